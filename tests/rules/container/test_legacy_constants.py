from __future__ import annotations

import pytest
from pte_lint.schema.program import Buffer, Span

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("constant_segment", None),
        ("constant_segment.offsets", None),
        ("constant_segment.offsets", ()),
    ],
)
def test_no_offsets_even_without_constants(path: str, value: object) -> None:
    report = judge(build_program(adder()).replaced(path, value).bytes(), "PTE012")
    assert only(report).message.endswith("runtimes since 1.3 refuse this layout.")
    assert verdict(report).error == "InvalidProgram"
    assert report.runs_on["1.2"][0].outcome is Outcome.OK


def test_inline_constants_are_counted() -> None:
    buffers = (Buffer(Span(0, 0)), Buffer(Span(0, 0)), Buffer(Span(0, 0)))
    built = plain().replaced("constant_segment", None).replaced("constant_buffer", buffers)
    assert "2 constants are inside the flatbuffer" in only(judge(built.bytes(), "PTE012")).message


def test_the_placeholder_is_enough() -> None:
    assert judge(build_program(adder()).bytes(), "PTE012").findings == ()
