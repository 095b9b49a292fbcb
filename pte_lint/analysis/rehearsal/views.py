"""What et_view makes of sizes.

Source: kernels/prim_ops/et_view.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from pte_lint.analysis.rehearsal.rows import takes
from pte_lint.analysis.rehearsal.state import Number, Sizes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor

_LARGEST: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Viewed:
    """The view's sizes, or the error that the kernel returns."""

    sizes: Sizes = None
    error: str | None = None
    message: str = ""


def view(source: Sizes, wanted: Sequence[Number | None], target: Tensor) -> Viewed:
    """Views a tensor as another one.

    Args:
        source: The sizes of what is viewed; None when not known.
        wanted: The sizes asked for; None for one that is not known.
        target: The view.
    """
    if len(wanted) != len(target.sizes or ()):
        dimensions = len(target.sizes or ())
        return _refused(f"has {len(wanted)} sizes then for an output of {dimensions} dimensions")
    known = [size for size in wanted if isinstance(size, int)]
    if any(size < -1 for size in known) or known.count(-1) > 1 or (-1 in known and 0 in known):
        return _refused(f"has the sizes {known} then")
    if len(known) != len(wanted):
        return Viewed()
    if -1 in known:
        if source is None:
            return Viewed()
        rest = prod(size for size in known if size != -1)
        known = [prod(source) // rest if size == -1 else size for size in known]
    if any(size > _LARGEST for size in known):
        return Viewed()
    sizes = tuple(known)
    if not takes(target, sizes):
        message = f"resizes an output of {list(target.sizes or ())} to {list(sizes)}"
        return Viewed(error="Internal", message=message)
    if source is not None and prod(source) != prod(sizes):
        return _refused(f"shows {prod(source)} elements as {prod(sizes)}")
    return Viewed(sizes)


def _refused(message: str) -> Viewed:
    return Viewed(error="InvalidArgument", message=message)
