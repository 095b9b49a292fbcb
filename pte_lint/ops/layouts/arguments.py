"""Arguments of calls that may not go together: then nothing is said of what the call makes."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.placed import Placed


def need(is_so: bool) -> None:
    """Sizes that do not go together are for others to judge.

    Raises:
        Unknown: it is not so.
    """
    if not is_so:
        raise Unknown


def wrapped(dims: Sequence[int], tensor: Placed) -> list[int]:
    """Dimensions counted from the first."""
    need(all(-tensor.rank <= d < tensor.rank for d in dims))
    return [d % tensor.rank for d in dims]


def axis(call: PlacedCall, position: int, tensor: Placed) -> int:
    """A dimension that is there; a tensor without any has none to cut along."""
    need(tensor.rank > 0)
    return call.axis(position, tensor)


def ends(call: PlacedCall, position: int, size: int) -> tuple[int, int]:
    """Begin and end of a slice, which two numbers tell that may be absent."""
    first = 0 if call.numbers.is_none(position) else call.number(position)
    end = size if call.numbers.is_none(position + 1) else call.number(position + 1)
    first, end = (min(max(n + size * (n < 0), 0), size) for n in (first, end))
    return first, max(end, first)
