"""What the kernels of matrix products refuse.

Sources: kernels/portable/cpu/util/matmul_ops_util.cpp, op_addmm.cpp, and op_mm.cpp, op_bmm.cpp and
op_linear.cpp of kernels/portable/cpu and kernels/optimized/cpu.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    broadcasts_to,
    default_order,
    need,
    of_types,
    one_order,
    rank,
    resize,
    same,
    same_size,
    same_types,
    size_at,
)
from pte_lint.ops.promotion import COMPLEX, REAL


def mm(call: Call) -> None:
    """mm.out(self, mat2, *, out)."""
    left, right, out = call.tensor(0), call.tensor(1), call.out()
    for operand in (left, right, out):
        rank(operand, 2)
    same_types(left, right, out)
    same_size(left, 1, right, 0)
    result = (size_at(left, 0), size_at(right, 1))
    resize(out, result)
    _compute(left, result, size_at(left, 1))


def bmm(call: Call) -> None:
    """bmm.out(self, mat2, *, out)."""
    left, right, out = call.tensor(0), call.tensor(1), call.out()
    if left is not None:
        # The sizes of the result are taken before ranks are compared.
        need(left.rank >= 2, f"{left.name} has {left.rank} dimensions", End.ABORT)
    for operand in (left, right, out):
        rank(operand, 3)
    same_types(left, right, out)
    same_size(left, 0, right, 0)
    result = (size_at(left, 0), size_at(left, 1), size_at(right, 2))
    resize(out, result)
    of_types(REAL | COMPLEX, left)
    inner = size_at(left, 2), size_at(right, 1)
    if product(result) and all(inner):
        # Not checked: the optimised kernel takes the sizes of the second matrix from the first.
        message = f"matrices with {inner[0]} columns and {inner[1]} rows are multiplied"
        need(same(*inner), message, End.UNCHECKED)
    elif product(result):
        need(0 not in inner, "nothing is written for an inner size of 0", End.UNCHECKED)


def _compute(left: Operand | None, result: tuple[Size, ...], inner: Size) -> None:
    """What is looked at only where there is something to compute."""
    if product(result):
        of_types(REAL, left)
        need(inner != 0, "nothing is written for an inner size of 0", End.UNCHECKED)


def addmm(call: Call) -> None:
    """addmm.out(self, mat1, mat2, *, beta, alpha, out)."""
    addend, left, right, out = call.tensor(0), call.tensor(1), call.tensor(2), call.out()
    for operand in (left, right, out):
        rank(operand, 2)
    same_types(addend, left, right, out)
    same_size(left, 1, right, 0)
    result = (size_at(left, 0), size_at(right, 1))
    resize(out, result)
    broadcasts_to(addend, result)
    one_order(addend, left, right, out)
    default_order(addend)
    of_types(REAL, addend)


def linear(call: Call) -> None:
    """linear.out(input, weight, bias=None, *, out)."""
    source, weight, out = call.tensor(0), call.tensor(1), call.out()
    if source is None or weight is None or out is None:
        return
    need(source.rank == out.rank, f"{source.name} and {out.name} differ in rank")
    need(source.rank >= 2, f"{source.name} has {source.rank} dimensions, fewer than 2")
    rank(weight, 2)
    same_types(source, weight, out)
    same_size(source, source.rank - 1, weight, 1)
    result = (*source.sizes[:-1], size_at(weight, 0))
    resize(out, result)
    if product(result) in (0, None):
        return
    bias = call.tensor(2)
    if bias is None:
        of_types(REAL, source)
        return
    same_types(bias, out)
    rank(bias, 1)
    count = size_at(bias, 0)
    need(
        None if count is None else count == 1 or same(count, size_at(weight, 0)),
        f"{bias.name} has {count} elements for {size_at(weight, 0)} columns",
    )
    of_types(REAL, source)
