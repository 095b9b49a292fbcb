"""What operators make of elements, as terms (`terms`).

Operators that move elements pass terms on; others make a term of theirs from those that an element
depends on. So it can be told whether a result is right although a kernel before it took a tensor
for something else than it is: when a later call forgets, leaves out or turns back what went wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final

from pte_lint.ops.checks.broadcast_path import OPERATORS, Path, path, trimmed
from pte_lint.ops.layouts import bounds
from pte_lint.ops.layouts.arguments import need
from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.moving import MOVING
from pte_lint.ops.layouts.rows import Meaning, groups, places, strides_of
from pte_lint.ops.layouts.terms import Row, Terms
from pte_lint.ops.operators import base_name, broadcasts
from pte_lint.ops.promotion import FLOAT32, FLOATING, INT64, WHOLE


def _elementwise(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    out = call.out()
    spread = []
    for tensor, row in zip(call.inputs(), operands, strict=True):
        steps = strides_of(tensor.sizes)
        shift = out.rank - tensor.rank
        if shift < 0 or any(n not in (1, out.sizes[shift + d]) for d, n in enumerate(tensor.sizes)):
            raise Unknown
        taken = [
            0 if d < shift or tensor.sizes[d - shift] == 1 else steps[d - shift]
            for d in range(out.rank)
        ]
        spread.append([row[at] for at in places(out.sizes, taken)])
    make = _one(call, terms)
    return [[make(each) for each in zip(*spread, strict=True)]]


_PLAIN: Final = ("", "out", "Tensor_out", "Scalar_out")
"""Overloads whose numbers are operands, but for what `add` and `sub` multiply the second by."""


_RATIOS: Final = ("atan2", "div")


def _one(call: PlacedCall, terms: Terms) -> Callable[[tuple[int, ...]], int]:
    """What makes the term of one result out of those of its operands."""
    name, _, overload = call.operator.partition("::")[2].partition(".")
    dtype = call.out().dtype
    kinds = {each.dtype for each in (*call.inputs(), call.out())}
    alpha = call.numbers.scalar(2) if name in ("add", "sub") else 1
    key = (call.operator, call.numbers, dtype)
    if name in ("maximum", "minimum") and len(kinds) == 1:
        return lambda each: terms.extreme("amax" if name == "maximum" else "amin", dtype, each)
    number = call.numbers.scalar(1) if overload == "Scalar_out" else None
    given = [] if number is None else [(number, number)]
    ends = [call.numbers.scalar(n) for n in (1, 2)] if name in ("clamp", "hardtanh") else []
    if name == "hardtanh" and kinds <= WHOLE:
        given = [(int(end), int(end)) for end in ends if end is not None and math.isfinite(end)]
    if ends and overload == "out" and kinds <= FLOATING:
        given = [(end, end) for end in ends if end is not None]
    # A condition has bounds only where it is known.
    chooses = name == "where" and {each.dtype for each in call.inputs()[1:]} == {dtype}

    def make(each: tuple[int, ...]) -> int:
        known = [terms.bounds(term) for term in each]
        if chooses and known[0] is not None:
            return each[1 if known[0][0] else 2]
        is_twice = alpha == 1 and len(set(each)) == 1 < len(each)
        if is_twice and (name == "sub" or (name in _RATIOS and bounds.is_positive(known[0]))):
            # The same number twice: as with any other one.
            known = [(1, 1), (1, 1)]
            if name == "atan2":
                each = (terms.of("twice"),)
        parts = tuple(sorted(each)) if name == "mul" or (name == "add" and alpha == 1) else each
        found = None
        if overload in _PLAIN:
            found = bounds.of_call(name, [*known, *given], dtype, alpha)
        return terms.bounded(terms.of(key, parts), dtype, found)

    return make


def _reduced(single: bool, plain: bool) -> Meaning:
    """Reductions that do not tell elements apart; `plain` are those that give a single one back."""

    def meaning(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
        source, out = call.tensor(0), call.out()
        if single and not call.numbers.is_none(1):
            dims = {call.axis(1, source)}
        else:
            dims = set(range(source.rank)) if single else set(call.axes(1, source))
        row, name = operands[0], base_name(call.operator).partition("::")[2]
        found = []
        for group in groups(source.sizes, dims):
            parts = tuple(sorted(row[at] for at in group))
            known = [terms.bounds(part) for part in parts]
            if plain and len(parts) == 1 and out.dtype == source.dtype:
                found.append(parts[0])
            elif name in ("amax", "amin") and parts:
                found.append(terms.extreme(name, out.dtype, parts))
            else:
                between = _REDUCED[name](known, out.dtype) if name in _REDUCED else None
                if name == "var":
                    correction = call.numbers.scalar(2)
                    less = 1 if correction is None else correction
                    between = bounds.of_variance(known, less, out.dtype)
                if name in ("sum", "mean") and out.dtype in FLOATING:
                    share = len(parts) if name == "mean" else 1
                    term = terms.total(out.dtype, share, parts)
                else:
                    term = terms.of(call.operator, call.numbers, parts)
                found.append(terms.bounded(term, out.dtype, between))
        return [found]

    return meaning


def _place_of_extreme(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    """`argmax` and `argmin`: of one element it is 0, whatever that is."""
    source, dtype = call.tensor(0), call.out().dtype
    dims = set(range(source.rank))
    if not call.numbers.is_none(1):
        dims = {call.axis(1, source)}
    found = []
    for group in groups(source.sizes, dims):
        term = terms.of(call.operator, tuple(operands[0][at] for at in group))
        found.append(terms.bounded(term, dtype, (0, 0) if len(group) == 1 else None))
    return [found]


def _product(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    """`linear`, whose second factor has a row for each result, and `mm`."""
    first, second = call.tensor(0), call.tensor(1)
    inner = first.sizes[-1] if first.rank else 0
    if second.rank != 2 or not inner or first.rank < 2:
        raise Unknown
    is_linear = call.operator == "aten::linear.out"
    count = second.sizes[0 if is_linear else 1]
    bias = operands[2] if len(operands) == 3 else [terms.of("no bias")] * count
    if second.sizes[1 if is_linear else 0] != inner or len(bias) != count:
        raise Unknown
    lines = [operands[0][at : at + inner] for at in range(0, first.numel, inner)]
    step, across = (inner, 1) if is_linear else (1, count)
    factors = [[operands[1][n * step + i * across] for i in range(inner)] for n in range(count)]
    dtype = call.out().dtype
    nothing = (0.0, 0.0) if len(operands) < 3 else None

    def one(line: Row, n: int) -> int:
        pairs = sorted(zip(line, factors[n], strict=True))
        known = [(terms.bounds(a), terms.bounds(b)) for a, b in pairs]
        between = bounds.of_products(known, nothing or terms.bounds(bias[n]), dtype)
        return terms.bounded(terms.of(call.operator, tuple(pairs), bias[n]), dtype, between)

    return [[one(line, n) for line in lines for n in range(count)]]


def _mean(parts: Sequence[bounds.Bounds | None], dtype: int) -> bounds.Bounds | None:
    total = bounds.of_sum(parts, dtype)
    if total is None:
        return None
    low, high = (end / len(parts) for end in total)
    return bounds.settled(dtype, (low, high), exact=False)


def _nonzero(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    """Places of elements, where all are known to be zero or not: as many rows as there are."""
    source = call.tensor(0)
    found: list[int] = []
    for term, at in zip(operands[0], product(*map(range, source.sizes)), strict=True):
        known = terms.bounds(term)
        if known is None or (known[0] <= 0 <= known[1] and known != (0, 0)):
            raise Unknown
        if known != (0, 0):
            found += [terms.constant(INT64, i.to_bytes(8, "little")) for i in at]
    return [found]


def _convolved(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    """Sums of products, of small images; nothing for those that are transposed or large."""
    source, weight, out = call.tensor(0), call.tensor(1), call.out()
    stride, padding, dilation = (call.numbers.numbers(n) for n in (3, 4, 5))
    groups, spatial = call.numbers.number(8), source.rank - 2
    if call.numbers.flag(6) is not False or not (stride and padding and dilation and groups):
        return []
    if not out.numel or not weight.numel:
        return []
    need(source.rank == weight.rank == out.rank > 2)
    inner, filters = weight.sizes[1], weight.sizes[0]
    if out.numel * weight.numel // filters > _MOST_PRODUCTS:
        return []
    steps, taken = strides_of(source.sizes), strides_of(weight.sizes)
    biases = operands[2] if len(operands) > 2 else [terms.constant(FLOAT32, bytes(4))] * filters
    need(filters == out.sizes[1] == len(biases) and inner * groups == source.sizes[1])
    need(source.sizes[0] == out.sizes[0])

    def one(at: tuple[int, ...]) -> int:
        image, n, pairs = at[0], at[1], []
        for c, *offsets in product(range(inner), *map(range, weight.sizes[2:])):
            x = image * steps[0] + (n * groups // filters * inner + c) * steps[1]
            w = n * taken[0] + c * taken[1]
            for d in range(spatial):
                place = at[d + 2] * _nth(stride, d) - _nth(padding, d)
                place += offsets[d] * _nth(dilation, d)
                if not 0 <= place < source.sizes[d + 2]:
                    break
                x += place * steps[d + 2]
                w += offsets[d] * taken[d + 2]
            else:
                pairs.append((operands[0][x], operands[1][w]))
        known = [(terms.bounds(a), terms.bounds(b)) for a, b in pairs]
        between = bounds.of_products(known, terms.bounds(biases[n]), out.dtype)
        term = terms.of(call.operator, tuple(sorted(pairs)), biases[n])
        return terms.bounded(term, out.dtype, between)

    return [[one(at) for at in product(*map(range, out.sizes))]]


_MOST_PRODUCTS: Final = 1 << 14


def _nth(numbers: Sequence[int], d: int) -> int:
    """The number for a dimension: a single one is for all."""
    return numbers[d] if len(numbers) > 1 else numbers[0]


_REDUCED: Final = {"mean": _mean, "prod": bounds.of_product, "sum": bounds.of_sum}


def _softmax(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, dtype = call.tensor(0), call.out().dtype
    is_log = call.operator == "aten::_log_softmax.out"
    row, found = operands[0], [0] * source.numel
    for group in groups(source.sizes, {call.axis(1, source)} if source.rank else set()):
        parts = tuple(sorted(row[at] for at in group))
        known = [terms.bounds(part) for part in parts]
        for at in group:
            between = bounds.of_softmax(terms.bounds(row[at]), known, dtype, is_log)
            if len(set(parts)) == 1:
                # Equal ones are certain, whatever they are.
                between = (0, 0) if is_log else (1, 1)
                if len(parts) > 1:
                    between = bounds.of_softmax((0, 0), [(0, 0)] * len(parts), dtype, is_log)
                term = terms.of(call.operator, len(parts))
            else:
                term = terms.of(call.operator, row[at], parts)
            found[at] = terms.bounded(term, dtype, between)
    return [found]


def _summed_up(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    row, found = operands[0], [0] * source.numel
    for group in groups(source.sizes, {call.axis(1, source)} if source.rank else set()):
        for n, at in enumerate(group):
            parts = tuple(row[each] for each in group[: n + 1])
            if n == 0 and out.dtype == source.dtype:
                found[at] = parts[0]
            else:
                between = bounds.of_sum([terms.bounds(part) for part in parts], out.dtype)
                found[at] = terms.bounded(terms.of(call.operator, parts), out.dtype, between)
    return [found]


MEANINGS: Final[Mapping[str, Meaning]] = {
    **MOVING,
    "aten::_log_softmax.out": _softmax,
    "aten::_softmax.out": _softmax,
    "aten::amax.out": _reduced(single=False, plain=True),
    "aten::amin.out": _reduced(single=False, plain=True),
    "aten::argmax.out": _place_of_extreme,
    "aten::argmin.out": _place_of_extreme,
    "aten::convolution.out": _convolved,
    "aten::any.out": _reduced(single=True, plain=False),
    "aten::cumsum.out": _summed_up,
    "aten::linear.out": _product,
    "aten::mm.out": _product,
    "aten::nonzero.out": _nonzero,
    "aten::mean.out": _reduced(single=False, plain=True),
    "aten::prod.int_out": _reduced(single=True, plain=True),
    "aten::sum.IntList_out": _reduced(single=False, plain=True),
    "aten::var.correction_out": _reduced(single=False, plain=False),
}


def meaning_of(operator: str) -> Meaning | None:
    """What an operator makes of elements; None where that is not told element by element."""
    known = MEANINGS.get(operator)
    return _elementwise if known is None and broadcasts(operator) else known


_STRIDED: Final = frozenset(
    {
        "aten::amax", "aten::amin", "aten::any", "aten::prod", "aten::t_copy",
        "aten::transpose_copy", "aten::var",
    }
)  # fmt: skip


def reads_by_strides(call: PlacedCall) -> bool:
    """Whether a kernel that goes wrong reads its inputs by their strides, but writes row-major."""
    if base_name(call.operator) in _STRIDED:
        return True
    if not broadcasts(call.operator):
        return False
    out = call.out()
    if all(trimmed(each.sizes) == trimmed(out.sizes) for each in call.inputs()):
        return False
    if call.operator not in OPERATORS:
        return True
    left, right = call.tensor(0), call.tensor(1)
    way = path((left.sizes, right.sizes, out.sizes), (left.dtype, right.dtype, out.dtype))
    return way is Path.PORTABLE
