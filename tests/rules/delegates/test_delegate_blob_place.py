from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.program import BackendDelegateDataReference, BackendDelegateInlineData

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict

GOOD = build_program(delegated())
PROCESSED = "execution_plan[0].delegates[0].processed"


def segment(**fields: int) -> BuiltProgram:
    first, second = GOOD.program.segments or ()
    return GOOD.replaced("segments", (first, replace(second, **fields)))


@pytest.mark.parametrize(
    ("built", "detail"),
    [
        (GOOD.replaced(PROCESSED + ".index", 7), "NotFound"),
        (GOOD.replaced("segments", None), "InvalidProgram"),
        (segment(offset=2**64 - 64), "InvalidProgram"),
        (segment(size=4096), "InvalidArgument"),
        (GOOD.replaced(PROCESSED, BackendDelegateDataReference(0, 3)), "NotFound"),
        (
            GOOD.replaced(PROCESSED, BackendDelegateDataReference(0, 0)).replaced(
                "backend_delegate_data", None
            ),
            "SIGSEGV",
        ),
        (
            GOOD.replaced(PROCESSED, BackendDelegateDataReference(0, 0)).replaced(
                "backend_delegate_data", (BackendDelegateInlineData(None),)
            ),
            "SIGSEGV",
        ),
    ],
)
def test_blobs_that_are_not_there(built: BuiltProgram, detail: str) -> None:
    report = judge(built.bytes(), "PTE413")
    assert only(report).message.startswith("The blob of delegate 0 (XnnpackBackend) is in ")
    assert (verdict(report).error or verdict(report).signal) == detail


@pytest.mark.parametrize("layout", [Layout(segment_base_offset=0), Layout(magic=b"XXXX")])
def test_no_segment_base(layout: Layout) -> None:
    report = judge(GOOD.bytes(layout), "PTE413")
    assert verdict(report).error == "NotFound"


def test_older_runtimes_crash_without_a_segment_table() -> None:
    report = judge(GOOD.replaced("segments", None).bytes(), "PTE413")
    assert report.runs_on["1.3"][0].signal == "SIGSEGV"


def test_blobs_in_their_places() -> None:
    assert judge(GOOD.bytes(), "PTE413").findings == ()
    assert judge(segment(size=0).bytes(), "PTE413").findings == ()
    b = MethodBuilder()
    b.output(*b.delegate("XnnpackBackend", [b.input((2, 2))], outputs=[(2, 2)], inline=True))
    report = judge(build_program(b).bytes(), "PTE413")
    assert verdict(report).outcome is Outcome.OK
