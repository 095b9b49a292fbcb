"""What operators make of elements, as terms (`terms`).

Operators that move elements pass terms on; others make a term of theirs from those that an element
depends on. So it can be told whether a result is right although a kernel before it took a tensor
for something else than it is: when a later call forgets, leaves out or turns back what went wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from pte_lint.ops.checks.broadcast_path import OPERATORS, Path, path, trimmed
from pte_lint.ops.layouts import bounds
from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.placed import Placed, element_count
from pte_lint.ops.layouts.terms import Row, Terms
from pte_lint.ops.operators import base_name, broadcasts

Meaning = Callable[[PlacedCall, Sequence[Row], Terms], list[Row]]
"""Given a call and its tensor inputs, in order and row-major, the results of the operator."""


def places(sizes: Sequence[int], steps: Sequence[int], start: int = 0) -> list[int]:
    """Where one gets to by counting over sizes in row-major order, with a step a dimension."""
    found = [start]
    for size, step in zip(sizes, steps, strict=True):
        found = [at + i * step for at in found for i in range(size)]
    return found


def to_memory(row: Row, tensor: Placed) -> Row:
    """The elements as they lie in memory."""
    laid = [0] * len(row)
    for at, term in zip(places(tensor.sizes, tensor.strides), row, strict=True):
        laid[at] = term
    return laid


def from_memory(memory: Row, tensor: Placed) -> Row:
    """The elements in row-major order."""
    return [memory[at] for at in places(tensor.sizes, tensor.strides)]


def _rows(sizes: Sequence[int], dims: set[int]) -> Iterator[list[int]]:
    """Places of the elements that differ along some dimensions only, group by group."""
    steps = _strides(sizes)
    kept = [d for d in range(len(sizes)) if d not in dims]
    starts = places([sizes[d] for d in kept], [steps[d] for d in kept])
    inner = sorted(dims)
    for start in starts:
        yield places([sizes[d] for d in inner], [steps[d] for d in inner], start)


def _strides(sizes: Sequence[int]) -> list[int]:
    steps, step = [0] * len(sizes), 1
    for d in reversed(range(len(sizes))):
        steps[d] = step
        step *= sizes[d]
    return steps


def _elementwise(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    out = call.out()
    spread = []
    for tensor, row in zip(call.inputs(), operands, strict=True):
        steps = _strides(tensor.sizes)
        shift = out.rank - tensor.rank
        if shift < 0:
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
    # A condition has bounds only where it is known.
    chooses = name == "where" and {each.dtype for each in call.inputs()[1:]} == {dtype}

    def make(each: tuple[int, ...]) -> int:
        known = [terms.bounds(term) for term in each]
        if chooses and known[0] is not None:
            return each[1 if known[0][0] else 2]
        parts = tuple(sorted(each)) if name == "mul" or (name == "add" and alpha == 1) else each
        found = None
        if overload in _PLAIN:
            found = bounds.of_call(name, [*known, *given], dtype, alpha)
        return terms.bounded(terms.of(key, parts), dtype, found)

    return make


def _same(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    out, source = call.out(), call.tensor(0)
    if out.dtype == source.dtype and out.numel == source.numel:
        return [list(operands[0])]
    if out.numel != source.numel:
        raise Unknown
    return [[terms.of("as", out.dtype, each) for each in operands[0]]]


def _permuted(dims: Callable[[PlacedCall], Sequence[int]]) -> Meaning:
    def meaning(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
        steps, out = _strides(call.tensor(0).sizes), call.out()
        return [[operands[0][at] for at in places(out.sizes, [steps[d] for d in dims(call)])]]

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
    turned = {d % source.rank for d in call.numbers.numbers(1) or ()}
    steps = _strides(source.sizes)
    start = sum(steps[d] * (source.sizes[d] - 1) for d in turned)
    taken = [-step if d in turned else step for d, step in enumerate(steps)]
    return [[operands[0][at] for at in places(source.sizes, taken, start)]]


def _rolled(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source = call.tensor(0)
    shifts, dims = call.numbers.numbers(1), call.numbers.numbers(2)
    if not shifts or not dims or len(shifts) != len(dims):
        raise Unknown
    by = [0] * source.rank
    for shift, d in zip(shifts, dims, strict=True):
        by[d % source.rank] += shift
    steps = _strides(source.sizes)
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
    outer = element_count(out.sizes[:dim])
    blocks = [(row, len(row) // max(outer, 1)) for row in operands]
    return [
        [term for o in range(outer) for row, n in blocks for term in row[o * n : (o + 1) * n]]
    ]  # fmt: skip


def _sliced(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    dim, step = call.axis(1, source), call.number(4)
    first = 0 if call.numbers.is_none(2) else call.number(2)
    size = source.sizes[dim]
    first = min(max(first + size if first < 0 else first, 0), size)
    steps = _strides(source.sizes)
    start = first * steps[dim]
    taken = [s * step if d == dim else s for d, s in enumerate(steps)]
    return [[operands[0][at] for at in places(out.sizes, taken, start)]]


def _padded(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    pad = call.numbers.numbers(1)
    if pad is None or len(pad) > 2 * source.rank:
        raise Unknown
    before = [0] * source.rank
    for n in range(0, len(pad), 2):
        before[source.rank - 1 - n // 2] = pad[n]
    steps, filled = _strides(source.sizes), _filled(call, terms)
    found: Row = []
    for index in product(*map(range, out.sizes)):
        inner = [i - b for i, b in zip(index, before, strict=True)]
        inside = all(0 <= i < n for i, n in zip(inner, source.sizes, strict=True))
        at = sum(i * step for i, step in zip(inner, steps, strict=True))
        found.append(operands[0][at] if inside else filled)
    return [found]


def _filled(call: PlacedCall, terms: Terms) -> int:
    number, dtype = call.numbers.scalar(2), call.out().dtype
    term = terms.of("filled", call.numbers)
    between = None if number is None else bounds.settled(dtype, (number, number), exact=True)
    return terms.bounded(term, dtype, between)


def _repeated(call: PlacedCall, operands: Sequence[Row], _: Terms) -> list[Row]:
    source, out = call.tensor(0), call.out()
    shift, steps = out.rank - source.rank, _strides(source.sizes)
    taken = [
        0 if d < shift or source.sizes[d - shift] == 1 else steps[d - shift]
        for d in range(out.rank)
    ]
    return [[operands[0][at] for at in places(out.sizes, taken)]]


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
        for group in _rows(source.sizes, dims):
            parts = tuple(sorted(row[at] for at in group))
            known = [terms.bounds(part) for part in parts]
            if plain and len(parts) == 1 and out.dtype == source.dtype:
                found.append(parts[0])
            elif name in ("amax", "amin") and parts:
                found.append(terms.extreme(name, out.dtype, parts))
            else:
                between = _REDUCED[name](known, out.dtype) if name in _REDUCED else None
                term = terms.of(call.operator, call.numbers, parts)
                found.append(terms.bounded(term, out.dtype, between))
        return [found]

    return meaning


_REDUCED: Final = {"prod": bounds.of_product, "sum": bounds.of_sum}


def _softmax(call: PlacedCall, operands: Sequence[Row], terms: Terms) -> list[Row]:
    source, dtype = call.tensor(0), call.out().dtype
    is_log = call.operator == "aten::_log_softmax.out"
    row, found = operands[0], [0] * source.numel
    for group in _rows(source.sizes, {call.axis(1, source)} if source.rank else set()):
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
    for group in _rows(source.sizes, {call.axis(1, source)} if source.rank else set()):
        for n, at in enumerate(group):
            parts = tuple(row[each] for each in group[: n + 1])
            if n == 0 and out.dtype == source.dtype:
                found[at] = parts[0]
            else:
                between = bounds.of_sum([terms.bounds(part) for part in parts], out.dtype)
                found[at] = terms.bounded(terms.of(call.operator, parts), out.dtype, between)
    return [found]


_SAME: Final = (
    "aten::_to_copy.out", "aten::alias_copy.out", "aten::clone.out", "aten::detach_copy.out",
    "aten::squeeze_copy.dim_out", "aten::squeeze_copy.dims_out", "aten::unsqueeze_copy.out",
    "aten::view_copy.out", "dim_order_ops::_clone_dim_order.out",
    "dim_order_ops::_to_dim_order_copy.out",
)  # fmt: skip

MEANINGS: Final[Mapping[str, Meaning]] = {
    **dict.fromkeys(_SAME, _same),
    "aten::_log_softmax.out": _softmax,
    "aten::_softmax.out": _softmax,
    "aten::amax.out": _reduced(single=False, plain=True),
    "aten::amin.out": _reduced(single=False, plain=True),
    "aten::any.out": _reduced(single=True, plain=False),
    "aten::cat.out": _joined,
    "aten::constant_pad_nd.out": _padded,
    "aten::cumsum.out": _summed_up,
    "aten::expand_copy.out": _repeated,
    "aten::flip.out": _flipped,
    "aten::mean.out": _reduced(single=False, plain=True),
    "aten::permute_copy.out": _permuted(lambda call: call.axes(1, call.tensor(0))),
    "aten::prod.int_out": _reduced(single=True, plain=True),
    "aten::roll.out": _rolled,
    "aten::slice_copy.Tensor_out": _sliced,
    "aten::sum.IntList_out": _reduced(single=False, plain=True),
    "aten::t_copy.out": _permuted(_transposed),
    "aten::transpose_copy.int_out": _permuted(_transposed),
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
