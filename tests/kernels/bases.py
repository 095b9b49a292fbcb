"""Calls that work, of many forms: ranks 0 to 5, broadcasting, every way to reduce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from pte_lint.ops.checks.elementwise import LAWS
from tests.support.kernel_calls import Argument, KernelCall, T
from tests.support.kernel_examples import ALL, elementwise

Sizes = tuple[int, ...]

#: Sizes of the first tensor, of the others, and of the result.
_BROADCASTS: Final[tuple[tuple[Sizes, Sizes, Sizes], ...]] = (
    ((), (), ()),
    ((), (3,), (3,)),
    ((4,), (), (4,)),
    ((2, 3), (3,), (2, 3)),
    ((2, 1), (1, 3), (2, 3)),
    ((1, 1, 4), (2, 3, 1), (2, 3, 4)),
    ((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)),
    ((2, 3, 4, 5), (3, 1, 5), (2, 3, 4, 5)),
    ((1, 2, 3, 2, 2), (2, 1, 2, 2), (1, 2, 3, 2, 2)),
    ((0, 3), (1, 3), (0, 3)),
)
_SAME: Final[tuple[Sizes, ...]] = ((), (3,), (2, 0), (2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 2, 2))

#: Where the indices are of which reading out of range is no matter of sizes.
_INDICES: Final = {
    "aten::embedding.out": (1,),
    "aten::gather.out": (2,),
    "aten::index_select.out": (2,),
    "aten::scatter.src_out": (2,),
    "aten::scatter.value_out": (2,),
    "aten::scatter_add.out": (2,),
    "aten::index.Tensor_out": (1,),
    "aten::index_put.out": (1,),
    "aten::index_put_": (1,),
}


def bases() -> Iterator[tuple[str, KernelCall]]:
    """Calls that work, each with a name."""
    for n, call in enumerate(ALL):
        yield f"{call.operator} {n}", _in_range(call)
    for operator in sorted(LAWS):
        yield from _elementwise(operator)
    for operator, tail, dtype in _REDUCTIONS:
        yield from _reductions(operator, tail, dtype)
    yield from _shape_kept()


def _in_range(call: KernelCall) -> KernelCall:
    """The call with indices of zeros."""
    for position in _INDICES.get(call.operator, ()):
        argument = call.args[position]
        if isinstance(argument, T):
            call = call.with_argument(position, replace(argument, zeros=True))
        elif isinstance(argument, list):
            items = [replace(i, zeros=True) if isinstance(i, T) else i for i in argument]
            call = call.with_argument(position, items)
    return call


def _elementwise(operator: str) -> Iterator[tuple[str, KernelCall]]:
    call = elementwise(operator)
    places = [n for n, argument in enumerate(call.args) if isinstance(argument, T)]
    binary = len(places) > 2 and not operator.startswith("aten::fill")
    shapes = _BROADCASTS if binary else [(sizes, sizes, sizes) for sizes in _SAME]
    for first, others, result in shapes:
        changed = call
        for place in places:
            old = call.args[place]
            assert isinstance(old, T)
            sizes = first if place == places[0] else result if place == places[-1] else others
            if operator.startswith("aten::fill") and place not in (places[0], places[-1]):
                sizes = ()
            changed = changed.with_argument(place, replace(old, sizes=sizes))
        yield f"{operator} {first} {others}", changed


#: Arguments after the dimensions, and the result's type where it is its own.
_REDUCTIONS: Final[tuple[tuple[str, tuple[Argument, ...], str], ...]] = (
    ("aten::amax.out", (), ""),
    ("aten::amin.out", (), ""),
    ("aten::any.dims_out", (), "bool"),
    ("aten::mean.out", (None,), ""),
    ("aten::sum.IntList_out", (None,), ""),
    ("aten::var.correction_out", (), ""),
    ("aten::var.out", (), ""),
)
_REDUCED: Final[tuple[Sizes, ...]] = (
    (),
    (3,),
    (2, 3),
    (2, 3, 4),
    (1, 2, 3, 4),
    (2, 0),
    (2, 1, 2, 1, 3),
)


def _reductions(
    operator: str, tail: tuple[Argument, ...], dtype: str
) -> Iterator[tuple[str, KernelCall]]:
    between: tuple[Argument, ...] = ()
    if operator == "aten::var.out":
        between = (True,)
    elif operator == "aten::var.correction_out":
        between = (1,)
    for sizes in _REDUCED:
        rank = len(sizes)
        for count in range(min(rank, 2) + 1):
            for dims in combinations(range(rank), count):
                for keep in (False, True):
                    out = T(_without(sizes, dims, keep), dtype or "float32")
                    named: list[int | T | float | bool | None] = [
                        d - rank if d % 2 else d for d in dims
                    ]
                    args = (T(sizes), named, *between, keep, *tail, out)
                    yield f"{operator} {sizes} {dims} {keep}", KernelCall(operator, args)


def _without(sizes: Sizes, dims: Sizes, keep: bool) -> Sizes:
    gone = dims or range(len(sizes))
    if keep:
        return tuple(1 if d in gone else size for d, size in enumerate(sizes))
    return tuple(size for d, size in enumerate(sizes) if d not in gone)


def _shape_kept() -> Iterator[tuple[str, KernelCall]]:
    """Operators of one tensor whose result has its sizes."""
    for operator, between in _KEEPING:
        for sizes in _SAME:
            call = KernelCall(operator, (T(sizes), *between, T(sizes)))
            yield f"{operator} {sizes}", call


_KEEPING: Final[tuple[tuple[str, tuple[Argument, ...]], ...]] = (
    ("aten::_log_softmax.out", (-1, False)),
    ("aten::_softmax.out", (0, False)),
    ("aten::_to_copy.out", (False, None)),
    ("aten::alias_copy.out", ()),
    ("aten::clone.out", (None,)),
    ("aten::cumsum.out", (0, None)),
    ("aten::detach_copy.out", ()),
    ("aten::flip.out", ([],)),
    ("aten::full_like.out", (1.0, None)),
    ("aten::lift_fresh_copy.out", ()),
    ("aten::roll.out", ([1], [-1])),
    ("dim_order_ops::_clone_dim_order.out", (False, None)),
    ("dim_order_ops::_to_dim_order_copy.out", (False, None)),
)
