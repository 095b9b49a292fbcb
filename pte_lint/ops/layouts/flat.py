"""Kernels that take tensors as row-major, and when that leads them astray.

A pattern looks at one call and raises `Misread` where the kernel takes a tensor for something else
than it is. `flat` kernels take every tensor as row-major; such a call is right all the same where
the dimensions that the operator works along lie as in the default order and the others are
permuted in the same way in all tensors: they only number independent pieces then. Sources: the
kernels of kernels/portable/cpu, kernels/optimized/cpu and kernels/quantized/cpu named at each
pattern, and measurements (docs/values.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pte_lint.ops.layouts.call import Misread, PlacedCall
from pte_lint.ops.layouts.placed import Match, Placed, is_displaced, leads_astray

Pattern = Callable[[PlacedCall], None]

ROW_MAJOR = "takes {tensor} as row-major"
BROADCAST = "broadcasts its tensors as if all were row-major, and {tensor} is not"
BY_POSITION = "takes elements of {tensor} and {other} by their position in memory"


def same_dimensions(tensor: Placed) -> Match:
    """The match of tensors of one rank: every dimension with itself."""
    return {d: d for d in range(tensor.rank)}


def flat(
    anchor: Placed,
    others: Sequence[Placed],
    active: Collection[int] = (),
    match: Match | None = None,
) -> None:
    """All tensors are taken as row-major; the operator works along `active` dimensions.

    Args:
        anchor: the tensor that is walked over; its other dimensions number the pieces.
        others: the tensors that go with it, of the same rank unless `match` says otherwise.
        active: dimensions, the same in all tensors; each is worked along on its own.
        match: dimensions of the others by those of the anchor, but for active ones.
    """
    live = [other for other in others if not other.is_uniform]
    if not live or anchor.numel == 0:
        return
    for tensor in (anchor, *live):
        for dim in active:
            if dim < tensor.rank and is_displaced(tensor, (dim,)):
                raise Misread(tensor, ROW_MAJOR)
    for other in live:
        pairs = match if match is not None else same_dimensions(anchor)
        if leads_astray(anchor, other, pairs, active):
            raise disagreement(anchor, other)


def disagreement(anchor: Placed, other: Placed) -> Misread:
    """Names the tensor that is out of order; both where they only disagree."""
    if other.is_default and not anchor.is_default:
        return Misread(anchor, BY_POSITION, other)
    return Misread(other, BY_POSITION, anchor)


def all_flat(*tensors: Placed) -> None:
    """Every dimension matters: no tensor may be in another order than the default."""
    for tensor in tensors:
        if not tensor.is_default and not tensor.is_uniform:
            raise Misread(tensor, ROW_MAJOR)


def together(anchor: Placed, others: Sequence[Placed], group: Collection[int]) -> None:
    """Flat, for an operator that does not tell the dimensions of a group from each other."""
    live = [other for other in others if not other.is_uniform]
    if not live or not anchor.numel:
        return
    for tensor in (anchor, *live):
        if is_displaced(tensor, group):
            raise Misread(tensor, ROW_MAJOR)
    rest = set(range(anchor.rank)) - set(group)
    for other in live:
        pairs = same_dimensions(anchor)
        if leads_astray(anchor, other, pairs, group) or leads_astray(anchor, other, pairs, rest):
            raise disagreement(anchor, other)


def everything(call: PlacedCall) -> None:
    """Every tensor as row-major, along all dimensions."""
    all_flat(*call.inputs(), *call.outs())
