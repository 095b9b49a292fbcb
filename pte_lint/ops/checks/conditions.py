"""Conditions that kernels put on their tensors; one that is surely not met ends the call.

Sources: runtime/core/exec_aten/util/tensor_util.h and tensor_util_portable.cpp,
kernels/portable/cpu/util/broadcast_util.cpp, runtime/core/portable_type/tensor_impl.cpp.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from pte_lint.ops.checks.call import Call, Cause, End, Operand, Refused, Size, T, product
from pte_lint.ops.checks.chosen import equate
from pte_lint.ops.checks.scalars import castable
from pte_lint.ops.promotion import REAL_OR_BOOL
from pte_lint.schema.enums import dtype_name


def need(
    condition: bool | None, message: str, end: End = End.REFUSED, cause: Cause = Cause.SHAPES
) -> None:
    """Ends the call when the condition is surely false."""
    if condition is False:
        raise Refused(message, end, cause)


def need_type(condition: bool | None, message: str, end: End = End.REFUSED) -> None:
    """Ends the call for an element type when the condition is surely false."""
    need(condition, message, end, Cause.TYPES)


def need_order(condition: bool, message: str) -> None:
    """Refuses the call for an order of dimensions when the condition is false."""
    need(condition, message, cause=Cause.ORDER)


def support(condition: bool | None, message: str) -> None:
    """Refuses the call for an argument that PyTorch takes when the condition is surely false."""
    need(condition, message, cause=Cause.UNSUPPORTED)


def same(left: T | None, right: T | None) -> bool | None:
    """Whether two things are equal, as a kernel wants them; None when one is not known."""
    if left is None or right is None:
        return None
    if left != right:
        return False
    equate(left, right)
    return True


def rank(operand: Operand | None, *ranks: int) -> None:
    """The tensor has one of these ranks."""
    if operand is not None:
        wanted = " or ".join(map(str, ranks))
        message = f"{operand.name} has {operand.rank} dimensions, not {wanted}"
        need(operand.rank in ranks, message, cause=Cause.RANK)


def same_types(*operands: Operand | None) -> None:
    """All tensors have one element type."""
    known = [operand for operand in operands if operand is not None]
    for other in known[1:]:
        need_type(
            other.dtype == known[0].dtype,
            f"{other.name} is {dtype_name(other.dtype)} and {known[0].name} "
            f"{dtype_name(known[0].dtype)}",
        )


def of_types(types: Container[int], *operands: Operand | None) -> None:
    """The kernel is compiled for the element types of all tensors."""
    for operand in operands:
        if operand is not None:
            need_type(operand.dtype in types, f"{operand.name} is {dtype_name(operand.dtype)}")


def one_order(*operands: Operand | None) -> None:
    """All tensors are contiguous, or all are channels-last."""
    if None in operands or len(operands) < 2:
        return
    known = [operand for operand in operands if operand is not None]
    good = all(o.is_contiguous for o in known) or all(o.is_channels_last for o in known)
    need_order(good, "its tensors differ in dimension order")


def default_order(operand: Operand | None) -> None:
    """The tensor is contiguous."""
    if operand is not None:
        need_order(operand.is_contiguous, f"{operand.name} is not in the default dimension order")


def plain_or_channels_last(*operands: Operand | None) -> None:
    """The tensors are contiguous or channels-last."""
    for operand in operands:
        if operand is not None:
            need_order(
                operand.is_contiguous or operand.is_channels_last,
                f"{operand.name} is neither contiguous nor channels-last",
            )


def axis(operand: Operand | None, dim: int | None) -> int | None:
    """The dimension counted from the start; None when unknown.

    Raises:
        Refused: the tensor has no such dimension.
    """
    if operand is None or dim is None:
        return None
    count = max(operand.rank, 1)
    need(-count <= dim < count, f"{operand.name} has no dimension {dim}")
    return dim + count if dim < 0 else dim


def size_at(operand: Operand | None, dim: int | None) -> Size:
    """The size of a dimension; None when it is not known."""
    if operand is None or dim is None or not 0 <= dim < operand.rank:
        return None
    return operand.sizes[dim]


def same_size(left: Operand | None, at: int, right: Operand | None, where: int) -> None:
    """Two dimensions are equal."""
    if left is None or right is None:
        return
    one, other = size_at(left, at), size_at(right, where)
    need(
        same(one, other),
        f"dimension {at} of {left.name} is {one}, dimension {where} of {right.name} {other}",
    )


def resize(out: Operand | None, sizes: Sequence[Size] | None) -> None:
    """The output can take a result of these sizes (`TensorImpl::internal_resize_contiguous`)."""
    if out is None or sizes is None:
        return
    sizes = [None if size is None else int32(size) for size in sizes]
    if out.resized is not None:
        out.resized.append(sizes)
    need(
        out.rank == len(sizes),
        f"the result has {len(sizes)} dimensions, and {out.name} {out.rank}",
    )
    if out.rank == 0:
        return
    if out.capacity is None:
        need(
            not any(same(a, b) is False for a, b in zip(out.sizes, sizes, strict=True)),
            f"the result has the sizes {shown(sizes)}, and {out.name} {shown(out.sizes)}",
        )
        return
    negative = any(size is not None and size < 0 for size in sizes)
    need(not negative, f"the result has the sizes {shown(sizes)}")
    count = product(sizes)
    if count is not None:
        need(
            count <= out.capacity,
            f"the result has {count} elements, and {out.name} room for {out.capacity}",
        )


def broadcast(shapes: Sequence[Sequence[Size]]) -> tuple[Size, ...] | None:
    """The sizes that tensors broadcast to, dimension by dimension from the last.

    A size is None where it is not known; all is where they do not broadcast together.
    """
    result: list[Size] = [1] * max((len(sizes) for sizes in shapes), default=0)
    for sizes in shapes:
        for at, size in enumerate(sizes, len(result) - len(sizes)):
            have = result[at]
            if size in (1, have) or (size is None and have != 1):
                if size != 1:
                    equate(size, have)
                continue
            if have not in (None, 1):
                return None
            result[at] = size
    return tuple(result)


def int32(size: int) -> int:
    """The size as tensors hold it, in 32 bits."""
    return size if -(2**31) <= size < 2**31 else (size + 2**31) % 2**32 - 2**31


def broadcasts_to(source: Operand | None, sizes: Sequence[Size] | None) -> None:
    """The tensor can be broadcast to these sizes."""
    if source is None or sizes is None:
        return
    message = f"{source.name} of sizes {shown(source.sizes)} does not broadcast to {shown(sizes)}"
    need(source.rank <= len(sizes), message)
    for mine, wanted in zip(reversed(source.sizes), reversed(sizes), strict=False):
        need(mine == 1 or same(mine, wanted), message)


def shown(sizes: Sequence[Size]) -> str:
    """Sizes for readers; `?` for one that may change."""
    return "[" + ", ".join("?" if size is None else str(size) for size in sizes) + "]"


def goes_into(call: Call, position: int, target: Operand | None) -> None:
    """The number at a position can be converted to the tensor's type."""
    number = call.scalar(position)
    if number is None or target is None or target.dtype not in REAL_OR_BOOL:
        return
    good = castable(number, target.dtype)
    if isinstance(number, float) and castable(number, target.dtype, whole_part=False) != good:
        good = good if call.since("1.5") else not good
    need(good, f"{number} does not go into {dtype_name(target.dtype)}")
