"""PTE204."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pte_lint.finding import Severity
from tests.rules.checks import OK, found, only, verdict
from tests.support.builder import MethodBuilder
from tests.support.program_builder import BuiltProgram, build_program

RULE = "PTE204"
WRONG = "execute: undefined"


def over(operator: str, offset: int, sizes: Sequence[int] = (16, 16)) -> BuiltProgram:
    """y = operator(x, w) with x at byte 4096 and y at another; both of `sizes`."""
    b = MethodBuilder("forward")
    x = b.input(sizes, memory_id=1, offset=4096)
    weight = b.constant([1.0] * 256, (16, 16))
    b.output(b.call(operator, x, weight, out=b.tensor(sizes, memory_id=1, offset=offset)))
    return build_program(b)


@pytest.mark.parametrize("offset", [4096, 4032, 4160])
def test_a_matrix_product_comes_back_to_its_input(offset: int) -> None:
    assert verdict(over("aten::mm.out", offset), RULE) == WRONG


def test_apart() -> None:
    assert found(over("aten::mm.out", 8192), RULE) == ()


def test_element_by_element() -> None:
    assert found(over("aten::mul.out", 4096), RULE) == ()
    assert verdict(over("aten::mul.out", 4160), RULE) == WRONG
    behind = over("aten::mul.out", 4032)
    assert only(behind, RULE).severity is Severity.WARNING
    assert verdict(behind, RULE) == OK


def test_too_small_to_prove_anything() -> None:
    program = over("aten::mul.out", 4100, (1, 4))
    assert only(program, RULE).severity is Severity.WARNING


def test_operators_nobody_knows() -> None:
    assert found(over("custom::thing.out", 4096), RULE) == ()
    assert only(over("custom::thing.out", 4160), RULE).severity is Severity.WARNING
