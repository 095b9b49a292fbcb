"""Plays which bytes a kernel call reads and writes, in order, where its result lies over its input.

Copies go block by block, in the order of the output. Cat copies a block at once, as memcpy does
with ranges that overlap (glibc's is memmove); those that take a tensor apart, conversions and
nearest pixels go element by element. Reductions and products compute each element from all that it
needs and then write it. Sources: kernels/portable/cpu/op_cat.cpp, op_split_copy.cpp,
op_split_with_sizes_copy.cpp, op_unbind_copy.cpp, op__to_dim_order_copy.cpp,
op_upsample_nearest2d.cpp, op_addmm.cpp, util/reduce_util.h, kernels/optimized/cpu/op_fft_r2c.cpp,
op_fft_c2r.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from struct import pack, unpack
from typing import TYPE_CHECKING, Final

from pte_lint.interpret.numbers_known import known_int, known_ints
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import list_items
from pte_lint.ops.operators import base_name, broadcasts
from pte_lint.questions.replay_elementwise import TooMuchToPlay, reads_too_late
from pte_lint.schema.enums import KernelTypes, ShapeDynamism, element_size
from pte_lint.schema.program import DoubleList, Tensor

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step
    from pte_lint.questions.overlap import SharedStep

_MOST_BYTES: Final = 1 << 16
_MOST_MOVES: Final = 1 << 13
_FEW_LINES: Final = 3
"""Lines of a Fourier transform that are surely read one by one."""

_Range = tuple[int, int]
_Move = tuple[list[_Range], _Range | None]
"""What is read of the source, and what is then written of the output, in bytes from their starts;
None for what goes elsewhere."""


class _Unknown(Exception):  # noqa: N818 - the answer "cannot tell"
    """The call is not one whose order is known."""


def reads_what_it_wrote(method: Method, shared: SharedStep) -> bool | None:
    """Whether a call reads bytes that it has written over before; None when that is not known.

    Raises:
        TooMuchToPlay: There are too many bytes.
    """
    step = method.steps[shared.step]
    if broadcasts(step.operator):
        return reads_too_late(method, shared)
    play = _PLAYS.get(base_name(step.operator))
    size = shared.read.end - shared.read.start
    if play is None:
        return None
    if size > _MOST_BYTES:
        raise TooMuchToPlay
    ahead = shared.written.start - shared.read.start
    dirty = bytearray(size)
    try:
        for count, (reads, write) in enumerate(play(method, step, shared)):
            if count > _MOST_MOVES:
                raise TooMuchToPlay
            if any(1 in dirty[max(first, 0) : last] for first, last in reads):
                return True
            if write is None:
                continue
            first, last = write[0] + ahead, write[1] + ahead
            # Bytes that are copied onto themselves stay what they were.
            if (first, last) in reads and base_name(step.operator) in _COPIES:
                continue
            for at in range(max(first, 0), min(last, size)):
                dirty[at] = 1
    except _Unknown:
        return None
    return False


def _sizes(method: Method, v: int) -> tuple[tuple[int, ...], int]:
    """Sizes and bytes of an element of a plain static tensor."""
    tensor, width = _static(method, v)
    sizes, order = tensor.sizes or (), tensor.dim_order or ()
    if list(order) != list(range(len(sizes))):
        raise _Unknown
    return sizes, width


def _strided(method: Method, v: int) -> tuple[tuple[int, ...], int, list[int]]:
    """Sizes, bytes of an element and strides in elements of a static tensor."""
    tensor, width = _static(method, v)
    sizes, order = tensor.sizes or (), tensor.dim_order or ()
    if sorted(order) != list(range(len(sizes))):
        raise _Unknown
    strides, stride = [0] * len(sizes), 1
    for d in reversed(order):
        strides[d] = stride
        stride *= sizes[d]
    return sizes, width, strides


def _static(method: Method, v: int) -> tuple[Tensor, int]:
    tensor = method.tensor(v)
    if tensor is None or tensor.sizes is None or tensor.dim_order is None:
        raise _Unknown
    width = element_size(tensor.scalar_type)
    is_static = tensor.shape_dynamism == ShapeDynamism.STATIC
    is_fixed = is_static and not residency_of(method).is_rebound(v)
    if width is None or not is_fixed:
        raise _Unknown
    return tensor, width


def _axis(method: Method, v: int, rank: int) -> int:
    dim = known_int(method, v)
    if dim is None or not -rank <= dim < rank:
        raise _Unknown
    return dim % rank


def _cat(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
    """Blocks one after the other; the order of dimensions in memory is not looked at."""
    out, width = _static(method, shared.writer)
    sizes = out.sizes or ()
    dim = _axis(method, step.args[1], len(sizes))
    items = list_items(method.value(step.args[0]))
    parts = [_static(method, item) for item in items]
    if any(of != width for _, of in parts):
        raise _Unknown
    blocks = [prod((each.sizes or ())[dim:]) * width for each, _ in parts]
    at = 0
    for outer in range(prod(sizes[:dim])):
        for item, block in zip(items, blocks, strict=True):
            reads = [(outer * block, (outer + 1) * block)] if item == shared.source else []
            yield reads, (at, at + block)
            at += block


def _parts(position: int) -> Callable[[Method, Step, SharedStep], Iterator[_Move]]:
    """A list of outputs that are parts of the input along the dimension given at a position."""

    def play(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
        sizes, width = _sizes(method, shared.source)
        dim = _axis(method, step.args[position], len(sizes))
        row = prod(sizes[dim:]) * width
        ahead = shared.written.start - shared.read.start
        start = 0
        for out in step.writes:
            mine, of = _sizes(method, out)
            if of != width or not (sizes[dim] and prod(sizes[:dim])):
                raise _Unknown
            block = prod(mine) * width // prod(sizes[:dim])
            for outer in range(prod(sizes[:dim])):
                here = outer * row + start
                source = (here, here + block)
                if out != shared.writer:
                    yield [source], None
                    continue
                written = (outer * block, (outer + 1) * block)
                if here < written[0] + ahead < here + block:
                    # Its later elements are read when the earlier ones lie over them.
                    yield [], written
                yield [source], written
            start += block

    return play


def _converted(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
    """Element by element in the order of the sizes, whatever the order in memory."""
    sizes, width, strides = _strided(method, shared.source)
    wanted, out_width, out_strides = _strided(method, shared.writer)
    if sizes != wanted or step.args[0] != shared.source:
        raise _Unknown
    for index in product(*map(range, sizes)):
        here = sum(n * stride for n, stride in zip(index, strides, strict=True)) * width
        there = sum(n * stride for n, stride in zip(index, out_strides, strict=True)) * out_width
        yield [(here, here + width)], (there, there + out_width)


def _nearest(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
    """Each pixel from the nearest one, whose place is a product of 32-bit numbers."""
    sizes, width = _sizes(method, shared.source)
    wanted, _ = _sizes(method, shared.writer)
    if len(sizes) != 4 or len(wanted) != 4 or 0 in sizes or step.args[0] != shared.source:
        raise _Unknown
    factors = _factors(method, step.args[2])
    rows, columns = (
        [min(int(_single(n * _single(scale))), have - 1) for n in range(want)]
        for have, want, scale in (
            (have, want, 1 / factor if factor else have / want)
            for have, want, factor in zip(sizes[2:], wanted[2:], factors, strict=True)
        )
    )
    at = 0
    for plane, row, column in product(range(wanted[0] * wanted[1]), rows, columns):
        here = ((plane * sizes[2] + row) * sizes[3] + column) * width
        yield [(here, here + width)], (at, at + width)
        at += width


def _factors(method: Method, v: int) -> tuple[float | None, float | None]:
    """The factors for height and width; None where the sizes say."""
    value = method.value(v)
    if value is None or method.writers(v):
        raise _Unknown
    if value.val_type == KernelTypes.NULL:
        return None, None
    items = value.val.items or () if isinstance(value.val, DoubleList) else ()
    if len(items) != 2 or min(items) <= 0:
        raise _Unknown
    return items[0], items[1]


def _single(number: float) -> float:
    """The nearest 32-bit floating-point number."""
    return float(unpack("f", pack("f", number))[0])


def _reduction(position: int) -> Callable[[Method, Step, SharedStep], Iterator[_Move]]:
    """Each element from those along the dimensions given at a position."""

    def play(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
        sizes, width = _sizes(method, shared.source)
        out_width = _sizes(method, shared.writer)[1]
        rank, listed = len(sizes), step.args[position]
        one = known_int(method, listed)
        dims = (one,) if one is not None else known_ints(method, listed)
        if 0 in sizes or dims is None or any(not -rank <= dim < rank for dim in dims):
            raise _Unknown
        reduced = {dim % rank for dim in dims} or set(range(rank))
        strides = [prod(sizes[dim + 1 :]) * width for dim in range(rank)]
        kept = [
            range(0, sizes[d] * strides[d], strides[d]) for d in range(rank) if d not in reduced
        ]
        inner = [range(0, sizes[d] * strides[d], strides[d]) for d in sorted(reduced)]
        offsets = [sum(each) for each in product(*inner)]
        if len(offsets) * prod(map(len, kept)) > _MOST_BYTES:
            raise _Unknown
        for number, each in enumerate(product(*kept)):
            base = sum(each)
            reads = [(base + offset, base + offset + width) for offset in offsets]
            yield reads, (number * out_width, (number + 1) * out_width)

    return play


def _addmm(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
    """Each element from a row of the left factor and a column of the right one.

    A summand of other sizes than the result is added when the whole product has been written.
    """
    (added, _), (left, width) = (_sizes(method, v) for v in step.args[:2])
    sizes, out_width = _sizes(method, shared.writer)
    if len(left) != 2 or len(sizes) != 2 or width != out_width:
        raise _Unknown
    inner, columns = left[1], sizes[1]
    if inner * sizes[0] * columns > _MOST_BYTES:
        raise _Unknown
    is_added, is_left, is_right = (v == shared.source for v in step.args[:3])
    for row, column in product(range(sizes[0]), range(columns)):
        at = (row * columns + column) * width
        reads = [(at, at + width)] if is_added and added == sizes else []
        if is_left:
            reads.append((row * inner * width, (row + 1) * inner * width))
        if is_right:
            firsts = ((k * columns + column) * width for k in range(inner))
            reads += [(first, first + width) for first in firsts]
        yield reads, (at, at + width)
    if is_added and added != sizes:
        yield [(0, prod(added) * width)], None


def _fourier(method: Method, step: Step, shared: SharedStep) -> Iterator[_Move]:
    """Line by line along the last dimension; of many lines several are read at once."""
    sizes, width = _sizes(method, shared.source)
    wanted, out_width = _sizes(method, shared.writer)
    lines = prod(sizes[:-1])
    if known_ints(method, step.args[1]) not in ((len(sizes) - 1,), (-1,)) or lines > _FEW_LINES:
        raise _Unknown
    line, out_line = sizes[-1] * width, wanted[-1] * out_width
    for number in range(lines):
        yield (
            [(number * line, (number + 1) * line)],
            (number * out_line, (number + 1) * out_line),
        )


_COPIES: Final = frozenset(
    {"aten::cat", "aten::split_copy", "aten::split_with_sizes_copy", "aten::unbind_copy"}
)

_PLAYS: Final[Mapping[str, Callable[[Method, Step, SharedStep], Iterator[_Move]]]] = {
    "aten::_fft_c2r": _fourier,
    "aten::_fft_r2c": _fourier,
    "aten::addmm": _addmm,
    "aten::cat": _cat,
    "aten::split_copy": _parts(2),
    "aten::split_with_sizes_copy": _parts(2),
    "aten::unbind_copy": _parts(1),
    "aten::upsample_nearest2d": _nearest,
    "dim_order_ops::_clone_dim_order": _converted,
    "dim_order_ops::_to_dim_order_copy": _converted,
    **{
        f"aten::{name}": _reduction(1)
        for name in ("amax", "amin", "argmax", "argmin", "any", "max", "mean", "min", "sum", "var")
    },
}
