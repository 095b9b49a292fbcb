from __future__ import annotations

import pytest

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally, plain
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
PROGRAM = build_program(externally()).bytes()


@pytest.mark.parametrize(
    ("content", "says", "detail"),
    [
        (GOOD.bytes()[:63], "has 63 bytes; the head alone has 64", "InvalidArgument"),
        (plain().bytes(), "is a program and no data file: identifier ET12", "InvalidExternalData"),
        (GOOD.bytes(Layout(magic=b"FH02")), "has no usable header", "InvalidExternalData"),
        (GOOD.bytes(Layout(header_length=39)), "has no usable header", "InvalidExternalData"),
        (GOOD.bytes()[:-1], "is cut off", "InvalidExternalData"),
        (GOOD.bytes(Layout(program_size=1 << 40)), "has its tables end at", "InvalidArgument"),
        (
            GOOD.bytes(Layout(flatbuffer_offset=0, program_size=0)),
            "has tables of 0 bytes",
            "SIGSEGV",
        ),
        (GOOD.bytes(Layout(root_offset=1 << 20)), "has its root table at", "InvalidExternalData"),
    ],
)
def test_files_that_cannot_be_loaded(content: bytes, says: str, detail: str) -> None:
    report = judge(PROGRAM, "PTE521", data={"w.ptd": content})
    assert only(report).message.startswith(f"w.ptd {says}")
    assert (verdict(report).error or verdict(report).signal) == detail
    assert verdict(report).method is None


def test_a_bound_that_wraps_is_not_noticed() -> None:
    content = GOOD.bytes(Layout(segment_data_size=2**64 - 1))
    assert judge(PROGRAM, "PTE521", data={"w.ptd": content}).findings == ()


def test_before_1_5_the_root_was_not_tested() -> None:
    report = judge(PROGRAM, "PTE521", data={"w.ptd": GOOD.bytes(Layout(root_offset=1 << 20))})
    assert report.runs_on["1.4"][0].outcome is Outcome.UNDEFINED


def test_a_data_file_by_itself() -> None:
    report = judge(GOOD.bytes()[:-1], "PTE521", name="w.ptd")
    assert verdict(report).error == "InvalidExternalData"
    assert judge(GOOD.bytes(), "PTE521", name="w.ptd").findings == ()


def test_data_files_are_loaded_before_the_program_is_looked_at() -> None:
    broken = {"w.ptd": GOOD.bytes(Layout(program_size=1 << 40))}
    report = judge(GOOD.bytes(), name="model.pte", data=broken)
    assert {f.rule for f in report.findings} >= {"PTE018", "PTE521"}
    assert verdict(report).error == "InvalidArgument"
    assert verdict(judge(GOOD.bytes(), name="model.pte")).error == "InvalidProgram"
    assert judge(GOOD.bytes(), name="model.ptd", data=broken).findings == ()
