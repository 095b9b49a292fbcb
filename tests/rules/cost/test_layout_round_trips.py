from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import found, only
from tests.support.judging import judge

RULE = "PTE805"


def _permuted(*orders: tuple[int, ...], returned: bool = False) -> MethodBuilder:
    b = MethodBuilder()
    sizes = [2, 3, 4]
    x = b.add(b.input(sizes), b.input(sizes))
    for order in orders:
        sizes = [sizes[d] for d in order]
        x = b.call("aten::permute_copy.out", x, b.ints(order), out=tuple(sizes))
        if returned:
            b.output(x)
    b.output(x)
    return b


@pytest.mark.parametrize("orders", [((1, 2, 0), (2, 0, 1)), ((0, 2, 1), (0, -1, -2))])
def test_there_and_back(orders: tuple[tuple[int, ...], ...]) -> None:
    finding = only(build_program(_permuted(*orders)), RULE)
    assert finding.message == "1 layout is converted and converted back, 192 bytes a run."
    assert (finding.location.instruction, finding.evidence["pairs"]) == (1, 1)


def test_there_and_elsewhere_or_needed_in_between() -> None:
    assert found(build_program(_permuted((1, 2, 0), (1, 2, 0))), RULE) == ()
    assert found(build_program(_permuted((1, 2, 0))), RULE) == ()
    assert found(build_program(_permuted((1, 2, 0), (2, 0, 1), returned=True)), RULE) == ()


def test_transposes() -> None:
    b = MethodBuilder()
    x = b.input((2, 3))
    zero, last = b.int_value(0), b.int_value(-1)
    y = b.call("aten::transpose_copy.int_out", x, zero, last, out=(3, 2))
    b.output(b.call("aten::transpose_copy.int_out", y, last, zero, out=(2, 3)))
    assert only(build_program(b), RULE).evidence["bytes"] == 48


@pytest.mark.parametrize("rule", [RULE, "PTE804"])
def test_calls_that_lack_arguments(rule: str) -> None:
    b = MethodBuilder()
    x = b.input((2, 3))
    for operator in ("permute_copy.out", "transpose_copy.int_out", "view_copy.out"):
        b.kernel(f"aten::{operator}")
        b.kernel(f"aten::{operator}", x)
    b.output(x)
    assert judge(build_program(b).bytes(), rule).internal_errors == ()
