"""PTE114."""

from __future__ import annotations

from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, only, verdict

RULE = "PTE114"


def test_a_list_cannot_be_set() -> None:
    b = adder()
    b.takes(b.ints([1, 2]))
    finding = only(build_program(b), RULE)
    assert finding.evidence == {"kind": "IntList"}
    assert verdict(build_program(b), RULE) == "set_input: error InvalidArgument"


def test_numbers_strings_and_none_can() -> None:
    b = adder()
    for value in (b.int_value(1), b.double_value(2.0), b.bool_value(True), b.null()):
        b.takes(value)
    b.takes(b.string_value("x"))
    assert verdict(build_program(b), RULE) == OK
