"""What a rule is, and how one is declared.

A rule is a module: a docstring with the fixed headings that `explain` prints, and one generator
function decorated with `method_rule` (asked once per method) or `artifact_rule` (asked once per
file). It yields `Finding`s, and `Unchecked` for what nobody could judge; it raises `NotEvaluated`
when it can judge nothing here. What it gives up on it enters in a ledger
(`pte_lint.claims.ledger`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast
from pte_lint.claims.sign import Signs
from pte_lint.rulebook.origin import Origin
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.str_enum import StrEnum

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method
    from pte_lint.rulebook.options import Options

    _O = TypeVar("_O", bound=Options)

Yields = Iterable[Finding | Unchecked]

HEADINGS = (
    "What it finds",
    "What the runtime does",
    "Why it happens",
    "How to fix it",
    "How it is confirmed",
    "Seen in",
)
"""The sections of a rule's docstring, in this order, each a line `Heading:`."""


class Scope(StrEnum):
    """What a rule is asked about."""

    ARTIFACT = "artifact"
    METHOD = "method"
    LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's metadata and its function."""

    id: str
    name: str
    severity: Severity
    summary: str
    """One line that completes "finds ..."."""
    scope: Scope
    module: str
    function: Callable[..., Yields]
    is_optional: bool = False
    """Whether it runs only when a selector or a severity names it: it speaks of good programs."""
    forecast: Forecast | None = None
    """What the runtime does about findings that do not say so themselves."""
    options: type[Options] | None = None
    """The model of its options; the function is given one as its last argument."""
    origin: Origin | None = None
    """The plugin that it comes from; None for a built-in rule."""
    sign: Signs | None = field(default=None, hash=False)
    """What a run shows where a finding's cause is true; None where nobody has said."""

    @property
    def doc(self) -> str:
        """The module's docstring."""
        return sys.modules[self.module].__doc__ or ""

    @property
    def family(self) -> str:
        """The family digit with zeros (`3xx`), or the letters of an id that is not pte-lint's."""
        letters = self.id.rstrip("0123456789")
        return f"{self.id[3:4]}xx" if letters == "PTE" else letters


@overload
def method_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
) -> Callable[[Callable[[Method, Context], Yields]], Rule]: ...


@overload
def method_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
    options: type[_O],
) -> Callable[[Callable[[Method, Context, _O], Yields]], Rule]: ...


def method_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
    options: type[Any] | None = None,
) -> Callable[[Callable[..., Yields]], Rule]:
    """Declares a rule that is asked once per method that could be decoded.

    Args:
        rule_id: capital letters and three digits.
        name: words in small letters with hyphens between them.
        severity: of its findings, where they do not say another.
        summary: one line that completes "finds ...".
        is_optional: whether it runs only when a selector or a severity names it.
        forecast: what the runtime does about findings that do not say so themselves.
        sign: what a run shows where a finding's cause is true.
        options: the model of its options; the function gets one as a third argument.
    """

    def declare(function: Callable[..., Yields]) -> Rule:
        module, scope = function.__module__, Scope.METHOD
        about = rule_id, name, severity, summary, scope, module, function
        return Rule(*about, is_optional, forecast, options, sign=sign)

    return declare


def ledger_rule(
    rule_id: str, name: str, severity: Severity, summary: str, *, sign: Signs | None = None
) -> Callable[[Callable[[Context], Yields]], Rule]:
    """Declares a rule about what was given up on: asked last, whatever is selected or ignored."""

    def declare(function: Callable[[Context], Yields]) -> Rule:
        where, module = Scope.LEDGER, function.__module__
        return Rule(rule_id, name, severity, summary, where, module, function, sign=sign)

    return declare


@overload
def artifact_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
) -> Callable[[Callable[[Context], Yields]], Rule]: ...


@overload
def artifact_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
    options: type[_O],
) -> Callable[[Callable[[Context, _O], Yields]], Rule]: ...


def artifact_rule(
    rule_id: str,
    name: str,
    severity: Severity,
    summary: str,
    *,
    is_optional: bool = False,
    forecast: Forecast | None = None,
    sign: Signs | None = None,
    options: type[Any] | None = None,
) -> Callable[[Callable[..., Yields]], Rule]:
    """Declares a rule that is asked once per file, also when it holds no readable program.

    The arguments are those of `method_rule`.
    """

    def declare(function: Callable[..., Yields]) -> Rule:
        module, scope = function.__module__, Scope.ARTIFACT
        about = rule_id, name, severity, summary, scope, module, function
        return Rule(*about, is_optional, forecast, options, sign=sign)

    return declare
