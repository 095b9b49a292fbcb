"""Operators that move elements: each makes of terms the same ones, in other places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final

from pte_lint.ops.layouts import bounds
from pte_lint.ops.layouts.arguments import axis, ends, need, wrapped
from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.placed import Placed, element_count
from pte_lint.ops.layouts.rows import Meaning, places, strides_of
from pte_lint.ops.layouts.terms import Row, Terms


def _same(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    out, source = call.out(), call.tensor(0)
    if out.dtype == source.dtype and out.numel == source.numel:
        return [list(operands[0])]
    need(out.numel == source.numel)
    return [[_converted(each, out.dtype, terms) for each in operands[0]]]


def _converted(term: int, dtype: int, terms: Terms) -> int:
    known = terms.bounds(term)
    # What the type does not hold is cut off or rounded: the bounds say nothing then.
    holds = known is not None and bounds.encoded(dtype, known[0]) is not None
    return terms.bounded(terms.of("as", dtype, term), dtype, known if holds else None)


def _permuted(dims: Callable[[PlacedCall], Sequence[int]]) -> Meaning:
    def meaning(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
        sizes, out, order = call.tensor(0).sizes, call.out(), dims(call)
        need(sorted(order) == list(range(len(sizes))))
        need(out.sizes == tuple(sizes[d] for d in order))
        steps = strides_of(sizes)
        return [[operands[0][at] for at in places(out.sizes, [steps[d] for d in order])]]

    return meaning


def _transposed(call: PlacedCall) -> Sequence[int]:
    source = call.tensor(0)
    dims = list(range(source.rank))
    if source.rank > 1:
        a, b = (0, 1)
        if call.operator != "aten::t_copy.out":
            a, b = call.axis(1, source), call.axis(2, source)
        dims[a], dims[b] = b, a
    return dims


def _flipped(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    turned = set(wrapped(call.numbers.numbers(1) or (), source))
    steps = strides_of(source.sizes)
    start = sum(steps[d] * (source.sizes[d] - 1) for d in turned)
    taken = [-step if d in turned else step for d, step in enumerate(steps)]
    return [[operands[0][at] for at in places(source.sizes, taken, start)]]


def _rolled(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    shifts, dims = call.numbers.numbers(1), call.numbers.numbers(2)
    if not shifts or not dims or len(shifts) != len(dims):
        raise Unknown
    by = [0] * source.rank
    for shift, d in zip(shifts, wrapped(dims, source), strict=True):
        by[d] += shift
    steps = strides_of(source.sizes)
    return [
        [
            operands[0][sum((i - s) % n * step for i, s, n, step in zip(
                index, by, source.sizes, steps, strict=True))]
            for index in product(*map(range, source.sizes))
        ]
    ]  # fmt: skip


def _joined(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    out = call.out()
    dim = call.axis(1, out)
    need(
        all(len(row) in (0, each.numel) for row, each in zip(operands, call.inputs(), strict=True))
    )
    outer = element_count(out.sizes[:dim])
    blocks = [(row, len(row) // max(outer, 1)) for row in operands]
    return [
        [term for o in range(outer) for row, n in blocks for term in row[o * n : (o + 1) * n]]
    ]  # fmt: skip


def _sliced(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    dim, step = axis(call, 1, source), call.number(4)
    need(step > 0)
    taken = range(*ends(call, 2, source.sizes[dim]), step)
    need(out.sizes == _replaced(source.sizes, dim, len(taken)))
    return [_cut(operands[0], source.sizes, dim, taken)]


def _padded(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    pad = call.numbers.numbers(1)
    if pad is None or len(pad) > 2 * source.rank or out.rank != source.rank:
        raise Unknown
    before = [0] * source.rank
    for n in range(0, len(pad), 2):
        before[source.rank - 1 - n // 2] = pad[n]
    after = [n - m - b for n, m, b in zip(out.sizes, source.sizes, before, strict=True)]
    need(list(pad[1::2]) == after[::-1][: len(pad) // 2] and not any(
        after[: source.rank - len(pad) // 2]))  # fmt: skip
    steps, filled = strides_of(source.sizes), _filled(call, terms)
    found: Row = []
    for index in product(*map(range, out.sizes)):
        inner = [i - b for i, b in zip(index, before, strict=True)]
        inside = all(0 <= i < n for i, n in zip(inner, source.sizes, strict=True))
        at = sum(i * step for i, step in zip(inner, steps, strict=True))
        found.append(operands[0][at] if inside else filled)
    return [found]


def _filled(call: PlacedCall, terms: Terms, position: int = 2) -> int:
    """The term of a number that elements become."""
    number, dtype = call.numbers.scalar(position), call.out().dtype
    term = terms.of("filled", call.numbers)
    between = None if number is None else bounds.settled(dtype, (number, number), exact=True)
    return terms.bounded(term, dtype, between)


def _repeated(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    shift, steps = out.rank - source.rank, strides_of(source.sizes)
    need(shift >= 0)
    need(all(n in (1, out.sizes[shift + d]) for d, n in enumerate(source.sizes)))
    taken = [
        0 if d < shift or source.sizes[d - shift] == 1 else steps[d - shift]
        for d in range(out.rank)
    ]
    return [[operands[0][at] for at in places(out.sizes, taken)]]


def _replaced(sizes: Sequence[int], dim: int, *by: int) -> tuple[int, ...]:
    return (*sizes[:dim], *by, *sizes[dim + 1 :])


def _cut(row: Row, sizes: Sequence[int], dim: int, taken: range) -> Row:
    """A part along one dimension."""
    first, size, step = taken.start, len(taken), taken.step
    need(first >= 0 and (size == 0 or first + (size - 1) * step < sizes[dim]))
    steps = strides_of(sizes)
    steps_in = [s * step if d == dim else s for d, s in enumerate(steps)]
    return [row[at] for at in places(_replaced(sizes, dim, size), steps_in, first * steps[dim])]


def _narrowed(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    dim, first = axis(call, 1, source), call.number(2)
    first += source.sizes[dim] if first < 0 else 0
    return [_cut(operands[0], source.sizes, dim, range(first, first + call.number(3)))]


def _selected(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    dim, at = axis(call, 1, source), call.number(2)
    at += source.sizes[dim] * (at < 0)
    return [_cut(operands[0], source.sizes, dim, range(at, at + 1))]


def _split(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    """Into the outputs that there are, one after the other; `unbind_copy` too."""
    source = call.tensor(0)
    is_unbound = call.operator == "aten::unbind_copy.int_out"
    dim = axis(call, 1 if is_unbound else 2, source)
    made, first = [], 0
    for out in call.outs():
        need(is_unbound or dim < out.rank)
        size = 1 if is_unbound else out.sizes[dim]
        made.append(_cut(operands[0], source.sizes, dim, range(first, first + size)))
        first += size
    return made


def _put(source: Placed, rows: Sequence[Row], dim: int, first: int, size: int) -> Row:
    """The first of two rows, with a part of it replaced by the second."""
    sizes, (row, new) = source.sizes, rows
    need(first >= 0 and first + size <= sizes[dim])
    steps, changed = strides_of(sizes), list(row)
    where = places(_replaced(sizes, dim, size), steps, first * steps[dim])
    need(len(where) == len(new))
    for at, term in zip(where, new, strict=True):
        changed[at] = term
    return changed


def _select_put(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    dim, at = axis(call, 2, source), call.number(3)
    at += source.sizes[dim] * (at < 0)
    return [_put(source, operands, dim, at, 1)]


def _slice_put(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    dim = axis(call, 2, source)
    need(call.number(5) == 1)
    first, end = ends(call, 3, source.sizes[dim])
    return [_put(source, operands, dim, first, end - first)]


def _stacked(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    need(len(operands) > 0)
    dim, sizes = call.number(1), call.inputs()[0].sizes
    dim += (len(sizes) + 1) * (dim < 0)
    need(0 <= dim <= len(sizes) and len({len(row) for row in operands}) == 1)
    outer = element_count(sizes[:dim])
    n = len(operands[0]) // max(outer, 1)
    return [[term for o in range(outer) for row in operands for term in row[o * n : (o + 1) * n]]]


def _tiled(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    sizes = (1,) * (out.rank - source.rank) + source.sizes
    times = call.numbers.numbers(1)
    need(times is not None and len(times) == len(sizes) and tuple(
        n * t for n, t in zip(sizes, times, strict=True)) == out.sizes)  # fmt: skip
    steps = strides_of(sizes)
    return [[
        operands[0][sum(i % n * step for i, n, step in zip(index, sizes, steps, strict=True))]
        for index in product(*map(range, out.sizes))
    ]]  # fmt: skip


def _clamped(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    """Padding by replication: a place outside is the nearest one inside."""
    source, out, pad = call.tensor(0), call.out(), call.numbers.numbers(1)
    need(pad is not None and len(pad) <= 2 * source.rank)
    before, after = [0] * source.rank, [0] * source.rank
    for n, size in enumerate(pad or ()):
        (after if n % 2 else before)[source.rank - 1 - n // 2] = size
    grown = zip(source.sizes, before, after, strict=True)
    need(out.sizes == tuple(n + b + a for n, b, a in grown) and 0 not in source.sizes)
    steps = strides_of(source.sizes)
    return [[
        operands[0][sum(min(max(i - b, 0), n - 1) * step for i, b, n, step in zip(
            index, before, source.sizes, steps, strict=True))]
        for index in product(*map(range, out.sizes))
    ]]  # fmt: skip


def _enlarged(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    """Nearest resizing, to a multiple of the sizes."""
    source, out = call.tensor(0), call.out()
    need(source.rank == out.rank and 0 not in source.sizes)
    pairs = list(zip(out.sizes, source.sizes, strict=True))
    need(all(large % small == 0 for large, small in pairs))
    steps = strides_of(source.sizes)
    return [[
        operands[0][sum(i // (large // small) * step for i, (large, small), step in zip(
            index, pairs, steps, strict=True))]
        for index in product(*map(range, out.sizes))
    ]]  # fmt: skip


def _shuffled(is_up: bool) -> Meaning:
    """`pixel_shuffle`, which makes pixels of channels, and its inverse."""

    def meaning(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
        many, few = (call.tensor(0), call.out()) if is_up else (call.out(), call.tensor(0))
        need(many.rank == few.rank >= 3)
        c, height, width = few.sizes[-3:]
        r = call.number(1)
        need(r > 0 and many.sizes[-3:] == (c * r * r, height // max(r, 1), width // max(r, 1)))
        outer, h, w = element_count(few.sizes[:-3]), height // r, width // r
        # From the order (outer, c, r, r, h, w) to (outer, c, h, r, w, r).
        steps = strides_of((outer, c, r, r, h, w))
        to = places((outer, c, h, r, w, r), [steps[d] for d in (0, 1, 4, 2, 5, 3)])
        row = operands[0]
        need(len(row) == len(to))
        if is_up:
            return [[row[at] for at in to]]
        made = [0] * len(row)
        for term, at in zip(row, to, strict=True):
            made[at] = term
        return [made]

    return meaning


def _indices(row: Row, terms: Terms, size: int) -> list[int]:
    """Indices that the file holds.

    Raises:
        Unknown: they are not known.
    """
    found = []
    for term in row:
        known = terms.bounds(term)
        if known is None or known[0] != known[1]:
            raise Unknown
        found.append(int(known[0]) + size * (known[0] < 0))
    need(all(0 <= at < size for at in found))
    return found


def _gathered(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, index = call.tensor(0), call.tensor(2)
    dim = axis(call, 1, source)
    need(source.rank == index.rank)
    steps = strides_of(source.sizes)
    found = _indices(operands[1], terms, source.sizes[dim])
    starts = places(index.sizes, _replaced(steps, dim, 0))
    return [[operands[0][at + i * steps[dim]] for at, i in zip(starts, found, strict=True)]]


def _index_selected(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source = call.tensor(0)
    dim = axis(call, 1, source)
    steps, found = strides_of(source.sizes), _indices(operands[1], terms, source.sizes[dim])
    before = places(source.sizes[:dim], steps[:dim])
    after = places(source.sizes[dim + 1 :], steps[dim + 1 :])
    row = operands[0]
    return [[row[b + i * steps[dim] + a] for b in before for i in found for a in after]]


def _scattered(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, index = call.tensor(0), call.tensor(2)
    dim = axis(call, 1, source)
    need(source.rank == index.rank)
    steps, made = strides_of(source.sizes), list(operands[0])
    found = _indices(operands[1], terms, source.sizes[dim])
    starts = places(index.sizes, _replaced(steps, dim, 0))
    if len(operands) == 3:
        given = call.tensor(3)
        need(given.rank == index.rank)
        need(all(n <= m for n, m in zip(index.sizes, given.sizes, strict=True)))
        new = [operands[2][at] for at in places(index.sizes, strides_of(given.sizes))]
    else:
        new = [_filled(call, terms, 3)] * len(found)
    for at, i, term in zip(starts, found, new, strict=True):
        made[at + i * steps[dim]] = term
    return [made]


_SAME: Final = (
    "aten::_reshape_alias_copy.out", "aten::_to_copy.out", "aten::alias_copy.out",
    "aten::clone.out", "aten::detach_copy.out", "aten::lift_fresh_copy.out",
    "aten::squeeze_copy.dim_out", "aten::squeeze_copy.dims_out", "aten::unsqueeze_copy.out",
    "aten::view_copy.out", "dim_order_ops::_clone_dim_order.out",
    "dim_order_ops::_to_dim_order_copy.out",
)  # fmt: skip

MOVING: Final[Mapping[str, Meaning]] = {
    **dict.fromkeys(_SAME, _same),
    "aten::cat.out": _joined,
    "aten::constant_pad_nd.out": _padded,
    "aten::expand_copy.out": _repeated,
    "aten::flip.out": _flipped,
    "aten::gather.out": _gathered,
    "aten::index_select.out": _index_selected,
    "aten::narrow_copy.out": _narrowed,
    "aten::permute_copy.out": _permuted(lambda call: call.axes(1, call.tensor(0))),
    "aten::pixel_shuffle.out": _shuffled(is_up=True),
    "aten::pixel_unshuffle.out": _shuffled(is_up=False),
    "aten::repeat.out": _tiled,
    "aten::replication_pad1d.out": _clamped,
    "aten::replication_pad2d.out": _clamped,
    "aten::replication_pad3d.out": _clamped,
    "aten::roll.out": _rolled,
    "aten::scatter.src_out": _scattered,
    "aten::scatter.value_out": _scattered,
    "aten::select_copy.int_out": _selected,
    "aten::select_scatter.out": _select_put,
    "aten::slice_copy.Tensor_out": _sliced,
    "aten::slice_scatter.out": _slice_put,
    "aten::split_copy.Tensor_out": _split,
    "aten::split_with_sizes_copy.out": _split,
    "aten::stack.out": _stacked,
    "aten::t_copy.out": _permuted(_transposed),
    "aten::transpose_copy.int_out": _permuted(_transposed),
    "aten::unbind_copy.int_out": _split,
    "aten::upsample_nearest2d.vec_out": _enlarged,
}
"""Meanings by operator; the numbers of an operator are those of its schema."""
