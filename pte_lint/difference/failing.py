"""Which changes make a diff fail: `placement`, `planned-bytes>5%`, `new-findings=error`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

from pte_lint.claims.finding import Severity
from pte_lint.difference import changes, whole
from pte_lint.difference.changes import Change
from pte_lint.schema.frozen import dataclass

ANY: Final = "any"
"""Every change but fixed findings."""

KINDS: Final[dict[str, type[Change]]] = {
    cls.kind: cls
    for cls in (
        whole.VerdictChanged,
        whole.NewFinding,
        whole.FixedFinding,
        whole.RuntimesChanged,
        whole.RequirementChanged,
        changes.MethodAdded,
        changes.MethodRemoved,
        changes.SignatureChanged,
        changes.PlacementChanged,
        changes.DelegationChanged,
        changes.InnerOperatorsChanged,
        changes.OperatorsChanged,
        changes.InstructionsChanged,
        changes.BoundaryCopiesChanged,
        changes.PlannedBytesChanged,
        changes.StateChanged,
        changes.BlobChanged,
        changes.CompileSpecChanged,
        changes.DelegateNeedChanged,
        whole.ConstantsChanged,
        whole.NamedDataChanged,
        whole.BytesChanged,
        whole.FileSizeChanged,
    )
}
"""Every kind of change by its word."""

_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_CONDITION = re.compile(
    r"(?P<kind>[a-z-]+)"
    r"(?:>(?P<limit>\d+(?:\.\d+)?)\s*(?P<unit>%|B|KiB|MiB|GiB)?|=(?P<severity>[a-z]+))?"
)


class ConditionError(ValueError):
    """The text is no condition; the message says what is known."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A kind of change, and how much of it is too much.

    `limit` is growth: in per cent of the old amount when `is_percent`, else absolute. Without one,
    every change of the kind counts, shrinking too. `severity` is for findings: this or worse.
    """

    kind: str
    limit: float | None = None
    is_percent: bool = False
    severity: Severity | None = None

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Reads `KIND`, `KIND>N`, `KIND>N%`, `KIND>N KiB` or `new-findings=SEVERITY`.

        Raises:
            ConditionError: it is none of these, or has a kind without amounts and a limit.
        """
        match = _CONDITION.fullmatch(text.strip())
        if match is None:
            raise ConditionError(f"cannot read {text!r}: give KIND, KIND>N, KIND>N%, or KIND>N KiB")
        kind, limit = match["kind"], match["limit"]
        if kind != ANY and kind not in KINDS:
            near = difflib.get_close_matches(kind, [*KINDS, ANY], n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join([*KINDS, ANY])}"
            raise ConditionError(f"there is no kind of change {kind!r}; {hint}")
        if limit is not None and not _has_amounts(kind):
            raise ConditionError(f"{kind} has no amount that {text!r} could limit")
        severity = _severity(kind, match["severity"])
        unit = match["unit"] or ""
        if limit is None:
            return cls(kind, severity=severity)
        if unit == "%":
            return cls(kind, float(limit), is_percent=True)
        return cls(kind, float(limit) * _UNITS[unit])

    def __str__(self) -> str:
        """Renders as it was written, units worked out."""
        if self.severity is not None:
            return f"{self.kind}={self.severity}"
        if self.limit is None:
            return self.kind
        return f"{self.kind}>{self.limit:g}{'%' if self.is_percent else ''}"

    def matches(self, change: Change) -> bool:
        """True when the change is too much."""
        if self.kind == ANY:
            return not isinstance(change, whole.FixedFinding)
        if change.kind != self.kind:
            return False
        if self.severity is not None and isinstance(change, whole.FindingChange):
            return Severity(change.severity).rank <= self.severity.rank
        amounts = change.amounts()
        if self.limit is None or amounts is None:
            return True
        old, new = amounts
        allowed = old * self.limit / 100 if self.is_percent else self.limit
        return new - old > allowed


def _has_amounts(kind: str) -> bool:
    return kind in KINDS and KINDS[kind].amounts is not Change.amounts


def _severity(kind: str, text: str | None) -> Severity | None:
    if text is None:
        return None
    if kind not in (whole.NewFinding.kind, whole.FixedFinding.kind):
        raise ConditionError(f"{kind} has no severity")
    try:
        return Severity(text)
    except ValueError:
        known = ", ".join(Severity)
        raise ConditionError(f"there is no severity {text!r}; known are {known}") from None


def failing(
    changes: Iterable[Change], conditions: Iterable[Condition]
) -> tuple[tuple[Change, Condition], ...]:
    """The changes that are too much, each with the first condition that says so."""
    conditions = tuple(conditions)
    found = []
    for change in changes:
        for condition in conditions:
            if condition.matches(change):
                found.append((change, condition))
                break
    return tuple(found)
