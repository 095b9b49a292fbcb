from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.forecast import Stage
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict


def test_constants_without_elements_are_not_loadable_from_a_file() -> None:
    b = MethodBuilder()
    b.output(b.add(b.input((0,)), b.constant([], (0,))))
    report = judge(build_program(b).bytes(), "PTE501")
    assert only(report).message == (
        "The method has 1 constant, but the constant segment (segment 0) has 0 bytes. All of "
        "them have no elements."
    )
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, "InvalidProgram")
    assert report.runs_on["1.2"][0].error == "InvalidArgument"


def test_a_segment_of_0_bytes() -> None:
    segment = (plain().program.segments or ())[0]
    built = plain().replaced("segments", (replace(segment, size=0),))
    assert verdict(judge(built.bytes(), "PTE501")).error == "InvalidProgram"


def test_a_placeholder_only() -> None:
    report = judge(plain().replaced("constant_segment.offsets", (0,)).bytes(), "PTE501")
    assert "loads no constant segment" in only(report).message


def test_constants_with_data_and_none_at_all() -> None:
    assert judge(plain().bytes(), "PTE501").findings == ()
    assert judge(build_program(adder()).bytes(), "PTE501").findings == ()
