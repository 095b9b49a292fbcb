"""PTE133."""

from __future__ import annotations

from pte_lint.ir.calling import ET_VIEW
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, found, only, verdict

RULE = "PTE133"
RELU = "aten::relu.out"


def with_weight() -> tuple[MethodBuilder, int]:
    b = adder()
    return b, b.constant([1.0] * 4, (4,))


def test_a_kernel_that_writes_a_constant() -> None:
    b, weight = with_weight()
    b.call(RELU, 0, out=weight)
    assert only(build_program(b), RULE).location.value == weight
    assert verdict(build_program(b), RULE) == "execute: undefined"


def test_in_place_operators_and_external_constants() -> None:
    b, weight = with_weight()
    b.kernel("aten::copy_", weight, 0, b.bool_value(False), weight)
    b.call(RELU, 0, out=b.external("w", (4,)))
    assert [f.location.instruction for f in found(build_program(b), RULE)] == [1, 2]


def test_through_a_move_and_a_view() -> None:
    b, weight = with_weight()
    target, view = b.tensor((4,)), b.tensor((4,), planned=False)
    b.move(weight, target)
    b.kernel(ET_VIEW, weight, b.ints([4]), view)
    b.call(RELU, 0, out=target)
    b.call(RELU, 0, out=view)
    assert {f.location.value for f in found(build_program(b), RULE)} == {target, view}


def test_reading_it_and_writing_state() -> None:
    b, weight = with_weight()
    b.call(RELU, weight, out=b.state((4,), initial=[0.0] * 4))
    assert verdict(build_program(b), RULE) == OK
