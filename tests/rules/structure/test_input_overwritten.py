"""PTE140."""

from __future__ import annotations

import math

import pytest

from pte_lint.harness.batch import run_batch
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, adder, found, only, verdict
from tests.support.runtime import need_runtime

RULE = "PTE140"
REFUSED = "set_input: error InvalidArgument"


def test_a_tensor_of_another_element_type() -> None:
    b = adder()
    b.move(b.constant([True], (4,), "bool"), 0)
    program = build_program(b)
    assert only(program, RULE).location.value == 0
    assert verdict(program, RULE) == REFUSED


def test_another_kind() -> None:
    b = adder()
    b.move(2, 1)
    assert "holds an Int" in only(build_program(b), RULE).message
    assert verdict(build_program(b), RULE) == REFUSED


def test_another_rank() -> None:
    b = adder()
    b.move(b.constant([1.0], ()), 0)
    assert verdict(build_program(b), RULE) == "set_input: error NotSupported"


def test_another_number() -> None:
    b = adder()
    count = b.takes(b.int_value(1))
    b.kernel("executorch_prim::add.Scalar", count, b.int_value(1), count)
    assert verdict(build_program(b), RULE) == REFUSED
    b.kernel("executorch_prim::sub.Scalar", count, b.int_value(1), count)
    assert verdict(build_program(b), RULE) == OK


def test_planned_memory_that_is_gone() -> None:
    b = adder()
    b.free(0)
    assert verdict(build_program(b), RULE) == REFUSED


def test_the_caller_brings_new_memory() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), planned=False)
    b.output(b.add(x, x))
    b.free(x)
    assert found(build_program(b), RULE) == ()


def test_a_tensor_of_the_same_kind() -> None:
    b = adder()
    b.move(3, 0)
    assert found(build_program(b), RULE) == ()


def test_another_tensor_that_cannot_take_the_sizes() -> None:
    def moving(sizes: tuple[int, ...]) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.input((2, 4))
        other = b.call("aten::relu.out", b.constant([1.0] * 8, (2, 4)), out=b.tensor(sizes))
        b.move(other, x)
        return build_program(b)

    assert verdict(moving((2, 4)), RULE) == OK
    assert verdict(moving((2, 2)), RULE) == "set_input: error NotSupported"


@pytest.mark.parametrize(
    ("number", "added", "expected"),
    [
        (1.0, 0.00005, OK),
        (1.0, 0.0002, REFUSED),
        (1e9, 9_000.0, OK),
        (1e9, 11_000.0, REFUSED),
        (math.nan, 1.0, OK),
        (math.inf, 1.0, OK),
        (math.inf, -math.inf, REFUSED),
        (-math.inf, math.inf, OK),
        (1e308, math.inf, REFUSED),
    ],
)
def test_doubles_may_differ_a_little(number: float, added: float, expected: str) -> None:
    b = adder()
    b.takes(b.double_value(2.5))
    rate = b.takes(b.double_value(number))
    b.kernel("executorch_prim::add.Scalar", rate, b.double_value(added), rate)
    program = build_program(b)
    assert verdict(program, RULE) == expected
    need_runtime()
    (ran,) = run_batch([program.bytes()], variants=("rising",))
    run = ran.methods[0].runs[0]
    assert (run.stage, run.error) == (
        ("set_input", "InvalidArgument") if expected == REFUSED else ("execute", None)
    )
