"""PTE132."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, adder_program, found, only, verdict

RULE = "PTE132"


def test_a_free_is_odd() -> None:
    b = adder()
    b.free(3)
    assert only(build_program(b), RULE).severity is Severity.WARNING
    assert verdict(build_program(b), RULE) == OK


def test_freeing_a_number_is_refused() -> None:
    b = adder()
    b.free(2)
    assert only(build_program(b), RULE).severity is Severity.ERROR
    assert verdict(build_program(b), RULE) == "execute: error InvalidType"
    assert verdict(build_program(b), RULE, target="1.2") == "execute: crash SIGABRT"


def test_no_frees() -> None:
    assert found(adder_program(), RULE) == ()


def test_a_slot_for_a_size_never_holds_the_tensor() -> None:
    b = adder()
    size = b.null()
    b.kernel("aten::sym_size.int", 0, b.int_value(0), size)
    b.free(size)
    program = build_program(b)
    assert "frees value" in only(program, RULE).message
    assert found(program, "PTE131") == ()
    assert verdict(program, RULE) == "execute: error InvalidType"
