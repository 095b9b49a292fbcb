"""What tests of single rules need: programs in, findings and verdicts out."""

from __future__ import annotations

from typing import Any

import pte_lint
from pte_lint.claims.finding import Finding, Unchecked
from pte_lint.claims.result import ArtifactReport
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program


def report(program: BuiltProgram | bytes, rule: str, **options: Any) -> ArtifactReport:
    """What one rule says about a program; an internal error fails the test."""
    data = program if isinstance(program, bytes) else program.bytes()
    result = pte_lint.check(data, select=[rule], isolated=True, **options).artifacts[0]
    assert result.internal_errors == ()
    return result


def found(program: BuiltProgram | bytes, rule: str, **options: Any) -> tuple[Finding, ...]:
    """The findings of one rule."""
    return report(program, rule, **options).findings


def only(program: BuiltProgram | bytes, rule: str, **options: Any) -> Finding:
    """The one finding of a rule."""
    findings = found(program, rule, **options)
    assert len(findings) == 1, [f.message for f in findings]
    return findings[0]


def unchecked(program: BuiltProgram | bytes, rule: str) -> tuple[Unchecked, ...]:
    """What one rule could not judge."""
    return report(program, rule).unchecked


def verdict(program: BuiltProgram | bytes, rule: str, **options: Any) -> str:
    """The verdict that follows from one rule, as `stage: outcome detail`."""
    found_verdict = report(program, rule, **options).verdict[0]
    detail = found_verdict.error or found_verdict.signal
    return f"{found_verdict.stage}: {found_verdict.outcome}" + (f" {detail}" if detail else "")


def verdicts(program: BuiltProgram | bytes, rule: str) -> tuple[str, str]:
    """The verdicts under full and under minimal verification."""
    return (
        verdict(program, rule, verification="full"),
        verdict(program, rule, verification="minimal"),
    )


def adder() -> MethodBuilder:
    """A method that adds its two inputs: values x 0, y 1, alpha 2, sum 3."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.input((4,))
    b.output(b.add(x, y))
    return b


def adder_program() -> BuiltProgram:
    """The program of `adder`."""
    return build_program(adder())


OK = "execute: ok"
PLAN = "execution_plan[0]"
