"""What a plugin's rule says, looked over before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pte_lint.claims.finding import Finding, Location, Severity, Unchecked
from pte_lint.claims.forecast import Forecast
from pte_lint.rulebook.rule import Rule


class BadAnswerError(TypeError):
    """A rule of a plugin said what no rule can say; the text tells its author what to change."""


def answers(rule: Rule, said: object) -> Iterator[Finding | Unchecked]:
    """What a rule's function returned, as findings that the engine can use.

    An error that does not say what the runtime does gets the rule's own forecast.

    Raises:
        BadAnswerError: it is something else than findings.
    """
    if said is None:
        raise BadAnswerError("the function returned None: it must yield findings")
    if isinstance(said, Finding | Unchecked) or not isinstance(said, Iterable):
        raise BadAnswerError(f"the function returned {said!r:.200}: it must yield findings")
    for each in said:
        if isinstance(each, Unchecked):
            _typed(each, what=str, why=str)
            yield each
        elif isinstance(each, Finding):
            yield _checked(rule, each)
        else:
            raise BadAnswerError(f"it yielded {each!r:.200}: yield Finding or Unchecked")


def _checked(rule: Rule, finding: Finding) -> Finding:
    _typed(
        finding,
        message=str,
        remediation=str,
        subject=str,
        location=Location,
        evidence=Mapping,
        order=tuple,
        orders=Mapping,
    )
    _typed(finding, none=True, severity=Severity, forecast=Forecast, method=str, plan=int)
    if not finding.message.strip():
        raise BadAnswerError("a finding has no message")
    if finding.forecast is None and (finding.severity or rule.severity) is Severity.ERROR:
        if rule.forecast is None:
            raise BadAnswerError(
                "an error says not what the runtime does: give the finding or its rule a forecast"
            )
        return replace(finding, forecast=rule.forecast)
    return finding


def _typed(said: object, *, none: bool = False, **kinds: type) -> None:
    for name, kind in kinds.items():
        value = getattr(said, name)
        if isinstance(value, kind) or (none and value is None):
            continue
        wanted = kind.__name__
        of = type(said).__name__
        raise BadAnswerError(f"the {name} of a {of} is {value!r:.200}: it must be a {wanted}")
