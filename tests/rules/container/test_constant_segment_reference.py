from __future__ import annotations

import pytest
from pte_lint.schema.program import Buffer, Span

from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("segments", None, "2 constants are in segment 0, but there are none."),
        (
            "constant_segment.segment_index",
            7,
            "2 constants are in segment 7, but the program has 1 segment.",
        ),
        (
            "constant_buffer",
            (Buffer(Span(0, 0)),),
            "The program has 1 inline constant (constant_buffer) and 2 in a segment; only one of "
            "the two is allowed.",
        ),
    ],
)
def test_constants_that_are_not_there(path: str, value: object, message: str) -> None:
    report = judge(plain().replaced(path, value).bytes(), "PTE011")
    assert only(report).message == message
    assert verdict(report).error == "InvalidProgram"


def test_without_constants_the_index_does_not_matter() -> None:
    built = build_program(adder()).replaced("constant_segment.segment_index", 7)
    assert judge(built.bytes(), "PTE011").findings == ()


def test_a_right_reference() -> None:
    assert judge(plain().bytes(), "PTE011").findings == ()
