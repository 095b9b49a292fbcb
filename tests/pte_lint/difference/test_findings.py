"""Verdicts and findings that are new, fixed, or the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Outcome, Stage, error
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.difference import whole
from pte_lint.difference.build import diff
from pte_lint.difference.compare import compare
from pte_lint.difference.sides import Side
from pte_lint.judging.engine import Settings
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import method_rule
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.look import look


@method_rule("PTE990", "wide-input", Severity.ERROR, "a wide input")
def wide_input(method: Method, context: Context) -> Iterator[Finding]:
    """Finds inputs of more than 100 bytes; names the offset, which a re-export changes."""
    for position, v in enumerate(method.inputs):
        if method.nbytes(v) > 100:
            yield Finding(
                message=f"Input {position} is wide (byte {method.plan.at}).",
                remediation="Make it narrow.",
                location=method.location(value=v),
                subject=f"input {position}",
                forecast=Forecast.always(error(Stage.SET_INPUT, "InvalidArgument")),
            )


SETTINGS = Settings(rules=(wide_input,))


def program(*widths: int, padding: int = 0) -> bytes:
    b = MethodBuilder()
    for n in range(padding):
        b.int_value(n)
    inputs = [b.input((width,)) for width in widths]
    b.output(b.add(inputs[0], inputs[0]))
    return build_program(b).bytes()


def test_new_and_fixed() -> None:
    told = diff(program(100, 2), program(2, 100), settings=SETTINGS).changes
    new, fixed = (c for c in told if isinstance(c, whole.FindingChange))
    assert isinstance(new, whole.NewFinding)
    assert (new.rule, new.about, new.severity, new.method) == (
        "PTE990", "input 1", "error", "forward",
    )  # fmt: skip
    assert isinstance(fixed, whole.FixedFinding)
    assert fixed.about == "input 0"
    assert new.fingerprint != fixed.fingerprint


def test_a_finding_that_moved_is_the_same() -> None:
    told = diff(program(100), program(100, padding=9), settings=SETTINGS).changes
    assert not [c for c in told if isinstance(c, whole.FindingChange | whole.VerdictChanged)]


def test_the_verdict_and_the_runtimes() -> None:
    told = diff(program(2), program(100), settings=SETTINGS).changes
    verdict = next(c for c in told if isinstance(c, whole.VerdictChanged))
    assert verdict == whole.VerdictChanged(
        method="forward",
        old="execute: ok",
        new="set_input: error InvalidArgument",
        old_rank=0,
        new_rank=1,
    )
    runtimes = next(c for c in told if isinstance(c, whole.RuntimesChanged))
    assert runtimes.new == ()
    assert runtimes.old


def report(*verdicts: Verdict) -> ArtifactReport:
    return ArtifactReport("m.pte", "program", 0, None, verdicts, ())


LOADS_NOT = Verdict(None, Stage.LOAD_PROGRAM, Outcome.ERROR, "InvalidProgram")
RUNS = Verdict("forward", Stage.EXECUTE, Outcome.OK)


@pytest.mark.parametrize(
    ("old", "new", "method", "ranks"),
    [(LOADS_NOT, RUNS, "forward", (1, 0)), (RUNS, LOADS_NOT, None, (0, 1))],
)
def test_a_file_that_does_not_load_has_one_verdict_for_all(
    old: Verdict, new: Verdict, method: str | None, ranks: tuple[int, int]
) -> None:
    seen = look(program(2))
    (change,) = compare(Side(seen, report(old)), Side(seen, report(new))).changes
    assert isinstance(change, whole.VerdictChanged)
    assert change.method == method
    assert change.amounts() == ranks
