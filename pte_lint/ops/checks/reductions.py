"""What the kernels of reductions refuse.

Source: kernels/portable/cpu/util/reduce_util.cpp and the kernels that call it.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    axis,
    default_order,
    need,
    need_type,
    of_types,
    one_order,
    plain_or_channels_last,
    resize,
    same,
    same_types,
    shown,
    size_at,
)
from pte_lint.ops.promotion import (
    BOOL,
    COMPLEX,
    FLOATING,
    INT64,
    REAL,
    REAL_OR_BOOL,
    UINT8,
    WHOLE,
    can_cast,
)
from pte_lint.schema.enums import dtype_name


def mean(call: Call) -> None:
    """mean.out(self, dim, keepdim, *, dtype, out)."""
    source = call.tensor(0)
    _mean(call, source, 3)
    resize(call.out(), _reduced(call, source, call.flag(2)))


def mean_of_all(call: Call) -> None:
    """mean.dtype_out(self, *, dtype, out)."""
    _mean(call, call.tensor(0), 1)
    resize(call.out(), ())


def _mean(call: Call, source: Operand | None, place: int) -> None:
    out = call.out()
    _type_argument(call, place, out)
    if call.is_none(place):
        for operand in (source, out):
            if operand is not None:
                need_type(
                    operand.dtype in FLOATING, f"{operand.name} is {dtype_name(operand.dtype)}"
                )
    plain_or_channels_last(source, out)
    one_order(source, out)
    default_order(source)


def product_of_dim(call: Call) -> None:
    """prod.int_out(self, dim, keepdim, *, dtype, out)."""
    source, out = call.tensor(0), call.out()
    _type_argument(call, 3, out)
    _single(call, source, out, allow_empty=True)
    resize(out, _reduced(call, source, call.flag(2)))
    of_types(REAL_OR_BOOL, source, out)


def product_of_all(call: Call) -> None:
    """prod.out(self, *, dtype, out)."""
    source, out = call.tensor(0), call.out()
    _type_argument(call, 1, out)
    if call.is_none(1) and source is not None and out is not None:
        wanted = INT64 if source.dtype in WHOLE | {BOOL} else source.dtype
        need_type(out.dtype == wanted, f"{out.name} is {dtype_name(out.dtype)}")
    resize(out, ())
    of_types(REAL_OR_BOOL, source, out)


def variance_and_mean(call: Call) -> None:
    """var_mean.correction_out(self, dim, correction, keepdim, *, out0, out1)."""
    source, variance_, mean_ = call.tensor(0), call.out(0), call.out(1)
    plain_or_channels_last(source, variance_, mean_)
    sizes = _reduced(call, source, call.flag(3))
    resize(variance_, sizes)
    resize(mean_, sizes)
    of_types(FLOATING, source, variance_)
    if variance_ is not None and mean_ is not None and product(sizes or (None,)) != 0:
        types = f"{mean_.name} is {dtype_name(mean_.dtype)} and is taken for another type"
        need_type(mean_.dtype == variance_.dtype, types, End.UNCHECKED)


def sum_(call: Call) -> None:
    """sum.IntList_out(self, dim, keepdim, *, dtype, out)."""
    source, out = call.tensor(0), call.out()
    _type_argument(call, 3, out)
    plain_or_channels_last(source, out)
    resize(out, _reduced(call, source, call.flag(2)))
    one_order(source, out)
    default_order(source)
    if source is None or source.numel is None or (source.numel == 0 and call.since("1.3")):
        return
    if source.dtype in COMPLEX:
        same_types(source, out)
    else:
        of_types(REAL_OR_BOOL, source, out)
        one = call.numbers(1) or ()
        fast = out is not None and source.dtype == out.dtype and len(one) == 1
        if source.rank == 0 and fast and call.since("1.3"):
            need(False, f"{source.name} is a scalar", End.ABORT)


def variance(call: Call) -> None:
    """var.correction_out(self, dim, correction, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    _variance(call, source, out)
    of_types(FLOATING, source, out)


def biased_variance(call: Call) -> None:
    """var.out(self, dim, unbiased, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    of_types(FLOATING, source, out)
    one_order(source, out)
    default_order(source)
    _variance(call, source, out)


def _variance(call: Call, source: Operand | None, out: Operand | None) -> None:
    plain_or_channels_last(source, out)
    resize(out, _reduced(call, source, call.flag(3)))


def extreme(call: Call) -> None:
    """amax.out and amin.out(self, dim, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    plain_or_channels_last(source, out)
    same_types(source, out)
    resize(out, _reduced(call, source, call.flag(2)))
    one_order(source, out)
    if source is not None:
        need(source.numel != 0, f"{source.name} has no elements", End.ABORT)
    of_types(REAL_OR_BOOL, source)


def extreme_with_position(call: Call) -> None:
    """max.dim_max and min.dim_min(self, dim, keepdim, *, values, indices)."""
    source, values, indices = call.tensor(0), call.out(0), call.out(1)
    _single(call, source, values)
    same_types(source, values)
    of_types({INT64}, indices)
    plain_or_channels_last(indices)
    result = _reduced(call, source, call.flag(2))
    resize(values, result)
    resize(indices, result)
    if values is not None and indices is not None:
        # The kernel compares them as they come, before it resizes them.
        both = f"its outputs come with sizes {shown(values.sizes)} and {shown(indices.sizes)}"
        need(values.rank == indices.rank, both)
        for one, other in zip(values.sizes, indices.sizes, strict=True):
            need(same(one, other), both)
    one_order(source, values)
    default_order(indices)
    default_order(source)
    of_types(REAL_OR_BOOL, source)


def extreme_of_all(call: Call) -> None:
    """max.unary_out and min.unary_out(self, *, out)."""
    source, out = call.tensor(0), call.out()
    resize(out, ())
    one_order(source, out)
    if source is not None and out is not None:
        types = f"{dtype_name(source.dtype)} does not become {dtype_name(out.dtype)}"
        need_type(can_cast(source.dtype, out.dtype), types)
    of_types(REAL_OR_BOOL, source, out)


def any_of_all(call: Call) -> None:
    """any.all_out(self, *, out)."""
    _any(call.tensor(0), call.out(), [])


def any_of_dim(call: Call) -> None:
    """any.out(self, dim, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    _single(call, source, out, allow_empty=True)
    _any(source, out, _reduced(call, source, call.flag(2)))


def any_of_dims(call: Call) -> None:
    """any.dims_out(self, dim, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    plain_or_channels_last(source, out)
    if source is not None and call.numbers(1) == ():
        _any(source, out, list(source.sizes))
    else:
        _any(source, out, _reduced(call, source, call.flag(2)))


def _any(source: Operand | None, out: Operand | None, sizes: list[Size] | None) -> None:
    resize(out, sizes)
    one_order(source, out)
    of_types(REAL_OR_BOOL, source)
    of_types({BOOL, UINT8}, out)


def position(call: Call) -> None:
    """argmax.out and argmin.out(self, dim, keepdim, *, out)."""
    source, out = call.tensor(0), call.out()
    _single(call, source, out)
    of_types({INT64}, out)
    resize(out, _reduced(call, source, call.flag(2)))
    one_order(source, out)
    of_types(REAL, source)
    if source is not None and out is not None and out.numel != 0:
        need(source.numel != 0, f"{source.name} has no elements", End.ABORT)


def _single(
    call: Call, source: Operand | None, out: Operand | None, *, allow_empty: bool = False
) -> None:
    """`check_reduction_args_single_dim`."""
    dim = axis(source, call.number(1))
    if source is None or source.rank == 0:
        return
    if dim is not None and not allow_empty:
        need(size_at(source, dim) != 0, f"dimension {dim} of {source.name} has no elements")
    plain_or_channels_last(source, out)


def _type_argument(call: Call, place: int, out: Operand | None) -> None:
    wanted = call.number(place)
    if wanted is not None and out is not None:
        need_type(
            same(wanted, out.dtype),
            f"{out.name} is {dtype_name(out.dtype)}, and {dtype_name(wanted)} is asked for",
        )


def _reduced(call: Call, source: Operand | None, keep: bool | None) -> list[Size] | None:
    """The sizes after reducing the dimensions of argument 1; None when they are not known."""
    if source is None or keep is None:
        return None
    if call.is_none(1):
        dims: tuple[int, ...] = ()
    else:
        one = call.number(1)
        known = (one,) if one is not None else call.numbers(1)
        if known is None:
            return None
        dims = known
    axes = [axis(source, dim) for dim in dims]
    need(len(set(axes)) == len(axes), "a dimension is named twice")
    if not axes:
        return [1] * source.rank if keep else []
    if keep:
        return [1 if d in axes else size for d, size in enumerate(source.sizes)]
    return [size for d, size in enumerate(source.sizes) if d not in axes]
