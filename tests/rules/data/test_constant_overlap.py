from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_constants_that_overlap_in_part() -> None:
    report = judge(plain().replaced("constant_segment.offsets", (0, 0, 8)).bytes(), "PTE504")
    assert only(report).message == (
        "Constant 2 (bytes 8 to 23 of the constant segment) overlaps constant 1 (bytes 0 to 15)."
    )
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_one_inside_the_other_is_doubtful() -> None:
    b = MethodBuilder()
    x = b.input((1,))
    big = b.constant([1, 2, 3, 4], (4,))
    b.output(b.add(x, b.constant([5], (1,))), big)
    built = build_program(b).replaced("constant_segment.offsets", (0, 0, 4))
    report = judge(built.bytes(), "PTE504")
    assert only(report).severity is Severity.WARNING
    assert "lies inside constant 1" in only(report).message


@pytest.mark.parametrize("offsets", [(0, 0, 0), (0, 0, 16), (0, 16, 0)])
def test_shared_and_separate_constants(offsets: tuple[int, ...]) -> None:
    built = plain().replaced("constant_segment.offsets", offsets)
    assert judge(built.bytes(), "PTE504").findings == ()
