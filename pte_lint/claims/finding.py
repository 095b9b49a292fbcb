"""What a rule says: a finding, or that something could not be judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pte_lint.claims.forecast import Forecast, Outcome, Prediction
from pte_lint.claims.order import Order
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.str_enum import StrEnum

Json = Any
"""A JSON value: str, int, float, bool, None, or lists and dicts of them."""


class Severity(StrEnum):
    """How sure and how bad: an error is proven, a warning is likely or wasteful."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for error, rising with harmlessness."""
        return _SEVERITIES.index(self)


_SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Location:
    """Where in the artifact.

    `path` is the logical path (`execution_plan[0].values[17]`), `instruction` counts over all
    chains of the method, `argument` is the position in the instruction's argument list, and
    `byte_offset` is absolute in the file.
    """

    path: str = ""
    instruction: int | None = None
    value: int | None = None
    argument: int | None = None
    byte_offset: int | None = None
    operator: str | None = None
    """The operator, delegate id or kind of the instruction, for readers."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the real runtime showed about a finding."""

    status: str
    """`confirmed` (by the sign of its own cause), `confirmed_by_repair` (undone in a copy of the
    file, it is gone), `consistent` (the run ended as foretold, and other causes end like that),
    `refuted`, `not_reached` or `unsupported`."""
    runtime: Mapping[str, Json] = field(default_factory=dict)
    evidence: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the model's Python source, as a program that keeps stack traces names it."""

    file: str
    line: int
    function: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One judgement about one place.

    A rule fills in message, remediation, location, forecast, order, evidence and subject (and
    severity where it differs from the rule's own); the engine fills in the rest.
    """

    message: str
    """One or two sentences: what is wrong here and what follows."""
    remediation: str
    """Which setting to change, with a snippet (lines indented by four spaces are code)."""
    location: Location = Location()
    forecast: Forecast | None = None
    """What each runtime version does about it; None where running shows nothing."""
    order: Order = ()
    """The position inside the stage: what the runtime meets first is smaller. See `order.py`."""
    orders: Mapping[str, Order] = field(default_factory=dict)
    """The position by runtime version, where versions meet the matter in different places."""
    evidence: Mapping[str, Json] = field(default_factory=dict)
    subject: str = ""
    """What the finding is about, by logical names only (`input 0`); makes the fingerprint stable
    under re-export. Empty: derived from the location."""
    severity: Severity | None = None
    rule: str = ""
    name: str = ""
    method: str | None = None
    plan: int | None = None
    """Index of that method; names do not always tell methods apart."""
    runtime: Prediction | None = None
    """The forecast for the target."""
    runtime_minimal: Prediction | None = None
    """The forecast for the target under minimal verification, where the level is `both`."""
    fingerprint: str = ""
    cause: str | None = None
    """The fingerprint of the finding that this one follows from; see `causes.py`."""
    source: tuple[SourceLine, ...] = ()
    """Where the instruction comes from, outermost frame first, if the program tells."""
    written_by: str = ""
    """The instruction that writes the value, where a finding is about a value and about no
    instruction: `instruction 3 aten::mul.out`."""
    confirmation: Confirmation | None = None

    @property
    def is_unjudged(self) -> bool:
        """Whether it says that this tool gave up: nothing sets that aside but leave to do so."""
        return self.runtime is not None and self.runtime.outcome is Outcome.UNJUDGED


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Something that no tool could answer from the file alone, and why."""

    what: str
    why: str


class NotEvaluated(Exception):  # noqa: N818 - a result of a rule, not an error
    """Raised by a rule that cannot judge this artifact at all; the text says why."""
