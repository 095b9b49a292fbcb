"""Completes what a rule yields: identity, severity for the target, order, fingerprint, names."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from pte_lint.claims.finding import Finding, Json, Location, Severity
from pte_lint.claims.forecast import (
    RUNTIME_VERSIONS,
    Forecast,
    Outcome,
    Prediction,
    Stage,
    Verification,
)
from pte_lint.claims.target import Target
from pte_lint.rulebook.rule import Rule
from pte_lint.text.printable import printable

LONGEST_TEXT = 8_192
"""Characters of a finding's text that are kept."""
LONGEST_LIST = 1_000
"""Entries of a list or mapping in a finding's evidence that are kept."""


def complete(
    finding: Finding,
    rule: Rule,
    target: Target,
    method: str | None,
    plan: int | None = None,
) -> Finding:
    """Fills in everything that a rule leaves to the engine, but for the fingerprint.

    The severity is the rule's word, which verdicts are made of; what a user would rather have
    reported comes later (`with_severity`).
    """
    at = finding.forecast.at(target.runtime, target.verification) if finding.forecast else None
    other = None
    if finding.forecast and target.verification is Verification.BOTH:
        other = finding.forecast.at(target.runtime, Verification.MINIMAL)
        if other == at:
            other = None
        elif other is None and at is not None:
            other = Prediction(at.stage, Outcome.OK)
    return replace(
        finding,
        rule=rule.id,
        name=rule.name,
        severity=finding.severity or rule.severity,
        method=printable(method) if method is not None else None,
        plan=finding.plan if finding.plan is not None else plan,
        message=_told(finding.message),
        remediation=_told(finding.remediation),
        subject=_told(finding.subject),
        location=_printable_location(finding.location),
        evidence=_printable_json(finding.evidence),
        runtime=at,
        runtime_minimal=other,
    )


def identified(
    finding: Finding, rule: Rule, method: str | None, plan: int | None, hidden: Collection[int]
) -> Finding:
    """Fills in what a verdict is derived from, and nothing for readers."""
    done = replace(
        finding,
        rule=rule.id,
        severity=finding.severity or rule.severity,
        method=printable(method) if method is not None else None,
        plan=finding.plan if finding.plan is not None else plan,
    )
    return unreachable(done) if plan in hidden else done


def unreachable(finding: Finding) -> Finding:
    """A finding about a method that an earlier one of the same name hides.

    The runtime finds methods by name and takes the first (`Program::load_method`), so only what
    full verification says, which walks over all methods, is sure to be met.
    """
    if finding.forecast is None or finding.severity is not Severity.ERROR:
        return finding
    full = tuple(
        p if p is not None and p.stage is Stage.LOAD_PROGRAM else None
        for p in finding.forecast.full
    )
    if any(p is not None for p in full):
        nothing = (None,) * len(full)
        return replace(finding, forecast=Forecast(full, nothing))
    return replace(finding, forecast=None, runtime=None, severity=Severity.WARNING)


def for_target(finding: Finding, target: Target) -> Finding | None:
    """Returns the finding as the target's user should see it, or None when it does not concern it.

    An error whose forecast does not trouble the target is dropped when only older runtimes are
    troubled, and becomes a warning when a newer one is: the file runs today and will not tomorrow.
    """
    if finding.severity is not Severity.ERROR or finding.forecast is None:
        return finding
    if _troubles(finding.runtime):
        return finding
    newer = RUNTIME_VERSIONS[RUNTIME_VERSIONS.index(target.runtime) + 1 :]
    if any(_troubles(finding.forecast.at(v, target.verification)) for v in newer):
        return replace(finding, severity=Severity.WARNING)
    return None


def with_severity(
    finding: Finding, overrides: Mapping[str, Severity], allow_unjudged: bool
) -> Finding:
    """Returns the finding with the severity that the user gives its rule.

    What was not judged is an error, or allowed and a warning, and nothing else.
    """
    wanted = overrides.get(finding.rule)
    if finding.is_unjudged:
        wanted = Severity.WARNING if allow_unjudged else Severity.ERROR
    return finding if wanted is None else replace(finding, severity=wanted)


def _troubles(prediction: Prediction | None) -> bool:
    return prediction is not None and prediction.outcome is not Outcome.OK


def in_order(findings: Iterable[Finding], methods: Sequence[str]) -> list[Finding]:
    """Sorts by method, instruction, value, rule; what belongs to no method comes first."""
    rank = {name: n for n, name in reversed(list(enumerate(methods)))}

    def key(f: Finding) -> tuple[object, ...]:
        where = f.location
        return (
            -1 if f.method is None else rank.get(f.method, len(rank)),
            -1 if where.instruction is None else where.instruction,
            -1 if where.value is None else where.value,
            f.rule,
            -1 if where.argument is None else where.argument,
            where.path,
            f.message,
        )

    return sorted(findings, key=key)


def fingerprinted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Gives each finding a fingerprint that survives a re-export.

    It is made of the rule and logical names (method, subject), never of offsets; findings that
    agree in all of these are told apart by counting.
    """
    seen: dict[tuple[str, ...], int] = {}
    out = []
    for finding in findings:
        subject = finding.subject or finding.location.path
        names = finding.rule, _told(finding.method or ""), subject
        count = seen.get(names, 0)
        seen[names] = count + 1
        text = "\x1f".join(names)
        digest = hashlib.sha256(f"{text}\x1f{count}".encode()).hexdigest()[:16]
        out.append(replace(finding, fingerprint=digest))
    return tuple(out)


def _told(text: str) -> str:
    """A printable text of bounded length: a name of megabytes can stand in thousands of them."""
    if len(text) <= LONGEST_TEXT:
        return printable(text)
    return f"{printable(text[:LONGEST_TEXT])}... [{len(text)} characters]"


def _printable_location(location: Location) -> Location:
    operator = location.operator
    if operator is None or operator.isascii():
        return location
    return replace(location, operator=printable(operator))


def _printable_json(value: Json) -> Json:
    if isinstance(value, str):
        return _told(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        shown = islice(value.items(), LONGEST_LIST)
        return {_told(str(k)): _printable_json(v) for k, v in shown}
    if isinstance(value, list | tuple):
        return [_printable_json(v) for v in value[:LONGEST_LIST]]
    return value
