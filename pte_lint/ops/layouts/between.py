"""Between which numbers all results of a call lie that are not told element by element.

Kernels that take weighted means stay between the least and the largest of what they are given;
sums of products are bounded by what each filter may make of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pte_lint.ops.layouts import bounds
from pte_lint.ops.layouts.bounds import Bounds
from pte_lint.ops.layouts.call import PlacedCall
from pte_lint.ops.layouts.terms import Row, Terms

_ZERO: Final = (0.0, 0.0)
_PADDING: Final = 4
_TRANSPOSED: Final = 6
_DIVISOR: Final = 6


def _mixture(call: PlacedCall, rows: Sequence[Row], terms: Terms) -> Bounds | None:
    known = bounds.hull(terms.bounds(term) for term in rows[0])
    return bounds.settled(call.out().dtype, known, exact=False)


def _mixture_with_nothing(call: PlacedCall, rows: Sequence[Row], terms: Terms) -> Bounds | None:
    """As `_mixture`, where padding counts as zeros."""
    if not call.numbers.is_none(_DIVISOR):
        return None
    known = bounds.hull([_ZERO, *(terms.bounds(term) for term in rows[0])])
    return bounds.settled(call.out().dtype, known, exact=False)


def _convolution(call: PlacedCall, rows: Sequence[Row], terms: Terms) -> Bounds | None:
    weight, dtype = call.tensor(1), call.out().dtype
    outside = [] if call.numbers.numbers(_PADDING) in ((0,), (0, 0)) else [_ZERO]
    given = bounds.hull([*outside, *(terms.bounds(term) for term in rows[0])])
    if call.numbers.flag(_TRANSPOSED) is not False or given is None or not weight.numel:
        return None
    per_filter = weight.numel // weight.sizes[0]
    biases = [terms.bounds(term) for term in rows[2]] if len(rows) > 2 else []
    found: list[Bounds | None] = []
    for n in range(weight.sizes[0]):
        factors = rows[1][n * per_filter : (n + 1) * per_filter]
        pairs = [(given, terms.bounds(term)) for term in factors]
        bias = biases[n] if n < len(biases) else _ZERO
        found.append(bounds.of_products(pairs, bias, dtype))
    return bounds.hull(found)


_BETWEEN: Final[Mapping[str, Callable[[PlacedCall, Sequence[Row], Terms], Bounds | None]]] = {
    "aten::_adaptive_avg_pool2d.out": _mixture,
    "aten::avg_pool2d.out": _mixture_with_nothing,
    "aten::convolution.out": _convolution,
    "aten::upsample_bilinear2d.vec_out": _mixture,
    "aten::upsample_nearest2d.vec_out": _mixture,
}


def between(call: PlacedCall, rows: Sequence[Row], terms: Terms) -> Bounds | None:
    """Bounds of every element of the result; None where they are not known."""
    find = _BETWEEN.get(call.operator)
    return find(call, rows, terms) if find is not None else None
