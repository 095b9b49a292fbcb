"""What et_copy_index makes of sizes.

Source: kernels/prim_ops/et_copy_index.cpp, and resize_tensor for the target.
"""

from __future__ import annotations

from pte_lint.interpret.state import Number, Sizes
from pte_lint.ops.checks.conditions import same
from pte_lint.ops.numbers import wrapped
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor


@dataclass(frozen=True, slots=True)
class RowCopied:
    """The target's new sizes, or the error that the kernel returns."""

    sizes: Sizes = None
    error: str | None = None
    message: str = ""
    leaves_a_gap: bool = False
    """Rows before the one copied were never written: they hold what the memory held."""


def copy_row(
    target: Tensor | None,
    target_sizes: Sizes,
    row: Sizes,
    index: Number | None,
    has_begun: bool = False,
) -> RowCopied:
    """Copies a row to position `index` of a tensor, which grows or shrinks to end there.

    Args:
        target: The tensor that is copied to.
        target_sizes: Its sizes now; None when not known.
        row: The sizes of what is copied; None when not known.
        index: The position; None when not known.
        has_begun: Whether a row was copied to it before.
    """
    at = index if isinstance(index, int) and not isinstance(index, bool) else None
    if at is not None and at < 0:
        return RowCopied(error="InvalidArgument", message=f"goes to row {at}")
    if target is None or target.sizes is None or row is None:
        return RowCopied()
    if len(target.sizes) != len(row) + 1:
        ranks = f"{len(target.sizes)} for {len(row)}"
        message = f"needs a target of one dimension more, not {ranks}"
        return RowCopied(error="InvalidArgument", message=message)
    inner = target_sizes[1:] if target_sizes is not None else None
    if inner is not None and inner != row:
        message = f"puts a tensor of sizes {list(row)} into rows of {list(inner)}"
        return RowCopied(error="InvalidArgument", message=message)
    if at is None:
        return RowCopied()
    # The number of rows is kept in 32 bits, the index is not.
    wanted = (wrapped(at + 1, 32), *row)
    if target.shape_dynamism == ShapeDynamism.STATIC and wanted != target.sizes:
        message = f"resizes a static tensor of {list(target.sizes)} to {list(wanted)}"
        return RowCopied(error="InvalidState", message=message)
    if not is_resized(target):
        if _count(wanted) > _count(target.sizes):
            message = f"goes to row {at} of a tensor of {list(target.sizes)} that is never resized"
            return RowCopied(error="InvalidArgument", message=message)
        return RowCopied(sizes=target.sizes)
    if target.shape_dynamism == ShapeDynamism.DYNAMIC_BOUND:
        room, need = _count(target.sizes), _count(wanted)
        if need > room or wanted[0] < 0:
            message = f"needs {need} elements of a target that has room for {room}"
            return RowCopied(error="InvalidState", message=message)
    if wanted[0] <= at and 0 not in row:
        message = f"goes to row {at} of {wanted[0]}, to which {at + 1} wraps around"
        return RowCopied(error="InvalidArgument", message=message)
    # The target ended with the row copied last; only that the first one goes to row 0 is told by
    # the file alone.
    written = target_sizes[0] if has_begun and target_sizes is not None else at
    if at > written:
        message = f"goes to row {at} when {written} are written: those between never are"
        return RowCopied(sizes=wanted, message=message, leaves_a_gap=True)
    return RowCopied(sizes=wanted)


def is_resized(tensor: Tensor) -> bool:
    """Whether resizing changes anything: not where the dynamism is none that the runtime knows.

    Source: TensorImpl::internal_resize_contiguous in runtime/core/portable_type/tensor_impl.cpp.
    """
    return tensor.shape_dynamism in (
        ShapeDynamism.STATIC,
        ShapeDynamism.DYNAMIC_BOUND,
        ShapeDynamism.DYNAMIC_UNBOUND,
    )


def takes(tensor: Tensor, sizes: tuple[int, ...]) -> bool:
    """Whether a tensor can be resized: its rank never changes, and there is a bound."""
    if tensor.sizes is None or len(sizes) != len(tensor.sizes):
        return tensor.sizes is None
    if tensor.shape_dynamism == ShapeDynamism.STATIC:
        return all(same(mine, given) for mine, given in zip(tensor.sizes, sizes, strict=True))
    if tensor.shape_dynamism == ShapeDynamism.DYNAMIC_BOUND:
        return _count(sizes) <= _count(tensor.sizes)
    return True


def _count(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count
