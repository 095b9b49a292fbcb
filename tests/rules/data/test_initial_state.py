from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.examples import counter
from tests.support.judging import judge, only, verdict

GOOD = build_program(counter())
WHERE = "mutable_data_segments"


def segment(**fields: int) -> BuiltProgram:
    first, second = GOOD.program.segments or ()
    return GOOD.replaced("segments", (first, replace(second, **fields)))


@pytest.mark.parametrize(
    ("built", "error"),
    [
        (GOOD.replaced(WHERE, None), "NotFound"),
        (GOOD.replaced(WHERE, ()), "NotFound"),
        (GOOD.replaced(WHERE + "[0].offsets", None), "NotFound"),
        (GOOD.replaced(WHERE + "[0].offsets", (0,)), "NotFound"),
        (GOOD.replaced(WHERE + "[0].segment_index", 7), "NotFound"),
        (GOOD.replaced(WHERE + "[0].offsets", (0, 1)), "InvalidArgument"),
        (GOOD.replaced(WHERE + "[0].offsets", (0, 2**64 - 4)), "InvalidProgram"),
        (GOOD.replaced("segments", None), "InvalidProgram"),
        (segment(offset=2**64 - 64), "InvalidProgram"),
        (segment(offset=1 << 40), "InvalidArgument"),
        (segment(size=11), "InvalidArgument"),
    ],
)
def test_state_that_cannot_be_loaded(built: BuiltProgram, error: str) -> None:
    report = judge(built.bytes(), "PTE506")
    assert only(report).message.startswith("The initial state of value 1 (entry 1) ")
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, error)


def test_no_segment_base() -> None:
    report = judge(GOOD.bytes(Layout(segment_base_offset=0)), "PTE506")
    assert verdict(report).error == "NotFound"


def test_older_runtimes_crash_without_a_segment_table() -> None:
    report = judge(GOOD.replaced("segments", None).bytes(), "PTE506")
    assert report.runs_on["1.3"][0].outcome is Outcome.CRASH


def test_state_that_can_be_loaded() -> None:
    assert judge(GOOD.bytes(), "PTE506").findings == ()
