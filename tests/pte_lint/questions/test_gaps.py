"""Kernels whose own checks are not judged."""

from __future__ import annotations

from pte_lint.claims.finding import Unchecked
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.judging import judge


def _unchecked(*operators: str) -> tuple[Unchecked, ...]:
    b = MethodBuilder()
    x = b.input((1,), "int64")
    for operator in operators:
        name, has_dim = operator, operator == "aten::sym_size.int"
        b.kernel(name, x, *([b.int_value(0)] if has_dim else []), b.int_value(0))
    b.output(x)
    report = judge(build_program(b).bytes(), "PTE101")
    return tuple(gap for gap in report.unchecked if gap.what.startswith("kernels"))


def test_prim_ops_have_nothing_that_is_not_judged() -> None:
    prims = ("aten::sym_size.int", "aten::_local_scalar_dense", "aten::sym_numel")
    assert _unchecked(*prims) == ()


def test_what_is_not_known_is_named_beside_prim_ops() -> None:
    assert _unchecked("aten::sym_size.int", "mine::thing.out") == (
        Unchecked(
            "kernels' own checks in method forward",
            "which shapes and types a kernel accepts is not in the file (mine::thing.out)",
        ),
    )
