"""Plays elementwise calls whose result lies over an input: does an element come too late?

Elements are computed in the order of the output; what an input broadcasts is read again for each
row. Kernels may take some elements of a row at once, and keep what they read for the elements that
follow, so an input's element counts as read when it is first needed in a row, and as overwritten
only by elements so far back, or in an earlier row, that they surely were written before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from pte_lint.interpret.residency import residency_of
from pte_lint.ops.operators import reads_ahead
from pte_lint.schema.enums import ShapeDynamism, element_size
from pte_lint.schema.program import Tensor

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.questions.overlap import SharedStep

_MOST_ELEMENTS: Final = 1 << 13
_BOOL: Final = 11


class TooMuchToPlay(Exception):  # noqa: N818 - the answer "it would take too long"
    """More bytes or elements than are followed one by one."""


def reads_too_late(method: Method, shared: SharedStep) -> bool | None:
    """Whether a call surely reads an element that it has written over; None when not known.

    Raises:
        TooMuchToPlay: There are too many elements.
    """
    step = method.steps[shared.step]
    out, source = _plain(method, shared.writer), _plain(method, shared.source)
    inputs = [tensor for v in step.reads if (tensor := method.tensor(v)) is not None]
    if out is None or source is None:
        return None
    if prod(out.sizes or ()) > _MOST_ELEMENTS:
        raise TooMuchToPlay
    width, source_width = element_size(out.scalar_type), element_size(source.scalar_type)
    if width is None or source_width is None:
        return None
    sizes = tuple(out.sizes or ())
    places = _places(sizes, tuple(source.sizes or ()))
    if places is None:
        return None
    at_once = 1
    if _may_take_several(out, inputs):
        ahead = reads_ahead(step.operator, source.scalar_type, source_width)
        at_once = max(ahead // source_width, 1)
    is_broadcast = any(tuple(each.sizes or ()) != sizes for each in inputs)
    row = max(sizes[-1], 1) if sizes and is_broadcast else prod(sizes) + 1
    return _comes_late(shared, places, (width, source_width), row, at_once)


def _plain(method: Method, v: int) -> Tensor | None:
    tensor = method.tensor(v)
    if tensor is None or tensor.sizes is None or tensor.dim_order is None:
        return None
    is_plain = list(tensor.dim_order) == list(range(len(tensor.sizes)))
    is_static = tensor.shape_dynamism == ShapeDynamism.STATIC
    is_fixed = is_static and not residency_of(method).is_rebound(v)
    return tensor if is_plain and is_fixed else None


def _may_take_several(out: Tensor, inputs: Sequence[Tensor]) -> bool:
    """Whether all are of one type: kernels convert element by element."""
    types = {each.scalar_type for each in inputs}
    return len(types) == 1 and out.scalar_type in {*types, _BOOL}


def _places(sizes: Sequence[int], source: Sequence[int]) -> list[int] | None:
    """By element of the output: the element of the source that it is computed from."""
    if len(source) > len(sizes):
        return None
    wide = (1,) * (len(sizes) - len(source)) + tuple(source)
    if any(mine not in (1, size) for mine, size in zip(wide, sizes, strict=True)):
        return None
    strides = [0 if size == 1 else prod(wide[d + 1 :]) for d, size in enumerate(wide)]
    along = [[n * stride for n in range(size)] for size, stride in zip(sizes, strides, strict=True)]
    return [sum(each) for each in product(*along)]


def _comes_late(
    shared: SharedStep, places: Sequence[int], widths: tuple[int, int], row: int, at_once: int
) -> bool:
    width, source_width = widths
    ahead = shared.written.start - shared.read.start
    size = shared.read.end - shared.read.start
    written_by: list[int | None] = [None] * size
    before: int | None = None
    for n, place in enumerate(places):
        # One number for all may be read once for all.
        if place != before or (n % row == 0 and size > source_width):
            first = place * source_width
            over = written_by[first : first + source_width]
            if any(_is_sure(by, n, row, at_once) for by in over):
                return True
        before = place
        for at in _within(n * width + ahead, width, size):
            written_by[at] = n
    return False


def _is_sure(by: int | None, n: int, row: int, at_once: int) -> bool:
    """Whether element `by` is written before element `n` is read."""
    return by is not None and (by // row < n // row or n - by >= at_once)


def _within(start: int, length: int, size: int) -> Iterator[int]:
    yield from range(max(start, 0), min(start + length, size))
