"""What pte-lint says about mutants, at both levels of verification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import NEWEST, Outcome, Stage, Verification
from pte_lint.claims.result import ArtifactReport, InternalError, Verdict
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, judge
from pte_lint.questions.method import Method
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule


@dataclass(frozen=True, slots=True)
class Said:
    """What was said at one level.

    Attributes:
        verdicts: One with `method=None` where the program does not load, else one a method.
        errors: The findings of severity error.
        warnings: Those of severity warning.
    """

    verdicts: tuple[Verdict, ...]
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...] = ()

    @property
    def program(self) -> Verdict | None:
        """The verdict on the program as a whole, if it is said not to load."""
        first = self.verdicts[0]
        return first if first.method is None and first.outcome is not Outcome.OK else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was said at both levels.

    Attributes:
        full: For a runtime that loads with InternalConsistency.
        minimal: For one that loads with Minimal.
        parses: Whether the file decodes as a program without any violation.
        methods: The methods as rules see them.
        failures: Rules that failed.
    """

    full: Said
    minimal: Said
    parses: bool
    methods: tuple[Method, ...]
    failures: tuple[InternalError, ...]


@cache
def _rules() -> tuple[Rule, ...]:
    return tuple(load_rules(isolated=True))


def judgement(program: bytes, data: Sequence[bytes], runtime: str = NEWEST) -> Judgement:
    """Checks a program with its data files, for a runtime."""
    given = tuple(
        open_data(Artifact(f"data-{number}.ptd", content)) for number, content in enumerate(data)
    )
    target = Target(runtime, Verification.FULL)
    context = open_context(Artifact("mutant.pte", program), target, given, {})
    full = judge(context, Settings(_rules(), target))
    said = _said(full)
    minimal = said
    failures = full.internal_errors
    if said.program is not None and said.program.stage is Stage.LOAD_PROGRAM:
        target = Target(runtime, Verification.MINIMAL)
        again = judge(_for_target(context, target), Settings(_rules(), target))
        minimal = _said(again)
        failures += again.internal_errors
    return Judgement(said, minimal, _parses(context), context.methods, failures)


def _said(report: ArtifactReport) -> Said:
    by_severity = {
        severity: tuple(each for each in report.findings if each.severity is severity)
        for severity in (Severity.ERROR, Severity.WARNING)
    }
    return Said(report.verdict, by_severity[Severity.ERROR], by_severity[Severity.WARNING])


def _for_target(context: Context, target: Target) -> Context:
    from dataclasses import replace

    return replace(context, target=target)


def _parses(context: Context) -> bool:
    return (
        context.loaded is not None
        and context.loaded.program is not None
        and not context.loaded.violations
    )
