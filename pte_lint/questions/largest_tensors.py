"""What takes the memory of an arena: its largest tensors, and the inputs that bound them.

Which of a tensor's sizes vary is not in the file: it has the largest ones (`set_input` takes any
with no more elements). A tensor of bounded sizes whose size is that of a bounded input in the same
dimension grows with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pte_lint.schema.enums import ShapeDynamism, dtype_name
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_SHOWN = 3
_STATIC = """\
The method has no input whose sizes may change, so that this is what the model needs. Export it for
smaller inputs, or delegate more of it: what stays inside a delegate is not planned."""

_UNKNOWN = """\
Memory is planned for the largest sizes of the inputs that may change. Export with the largest that
is used as their bound."""

WORTH_TELLING = 1 << 20
"""Bytes from which on it is worth telling what an arena holds."""

HUGE = 1 << 30
"""Bytes from which on an arena is more than most machines give."""


@dataclass(frozen=True, slots=True)
class BoundedBy:
    """A dimension of an input that bounds a tensor, its largest size, bytes for each element."""

    position: int
    dimension: int
    largest: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Tenant:
    """A planned tensor, its sizes at the largest, and what bounds them."""

    value: int
    name: str
    """`input 0`, `value 7`."""
    dtype: str
    sizes: tuple[int, ...]
    nbytes: int
    bounded_by: tuple[BoundedBy, ...]

    def __str__(self) -> str:
        """Renders as `value 7 (float32[1, 32, 64, 64], 524288 bytes)`."""
        return f"{self.name} ({self.dtype}{list(self.sizes)}, {self.nbytes} bytes)"

    def growth(self) -> str:
        """`8192 bytes for each element of dimension 2 of input 0 (at most 64)`, or nothing."""
        if not self.bounded_by:
            return ""
        first = self.bounded_by[0]
        alike = [each for each in self.bounded_by if each.position == first.position]
        dims = " or ".join(dict.fromkeys(str(each.dimension) for each in alike))
        most = " or ".join(dict.fromkeys(str(each.largest) for each in alike))
        each = " or ".join(dict.fromkeys(str(each.nbytes) for each in alike))
        return (
            f"{each} bytes for each element of dimension {dims} of input {first.position} "
            f"(at most {most})"
        )


def largest_tenants(method: Method, memory_id: int) -> tuple[Tenant, ...]:
    """The largest tensors planned in an arena, one of each place and size, largest first."""
    plots = [plot for plot in method.table.plots if plot.info.memory_id == memory_id]
    plots.sort(key=lambda plot: (-plot.nbytes, plot.values[0]))
    return tuple(_tenant(method, plot.values[0]) for plot in plots[:_SHOWN])


def _tenant(method: Method, v: int) -> Tenant:
    tensor = method.tensor(v)
    assert tensor is not None
    sizes, nbytes = tuple(tensor.sizes or ()), method.nbytes(v)
    bounds: list[BoundedBy] = []
    if tensor.shape_dynamism != ShapeDynamism.STATIC:
        for position, w in enumerate(method.inputs):
            given = method.tensor(w)
            if given is None or given.shape_dynamism == ShapeDynamism.STATIC:
                continue
            mine = zip(sizes, given.sizes or (), strict=False)
            bounds += [
                BoundedBy(position, d, size, nbytes // size)
                for d, (size, bound) in enumerate(mine)
                if size == bound and size > 1
            ]
    # The longest dimension first: it is the one whose bound is worth a thought.
    bounds.sort(key=lambda each: (each.position, -each.largest, each.dimension))
    return Tenant(
        v, method.describe(v), dtype_name(tensor.scalar_type), sizes, nbytes, _top(bounds)
    )


def _top(bounds: list[BoundedBy]) -> tuple[BoundedBy, ...]:
    """Those whose bound is the largest: a batch of 1 or three colours bound nothing."""
    return tuple(each for each in bounds if each.largest == bounds[0].largest)


def bound_advice(method: Method, tenants: tuple[Tenant, ...], nbytes: int) -> str:
    """What to do about the memory of an arena: which bound to think about, if any bounds it.

    Args:
        method: The method.
        tenants: What is largest in the arena.
        nbytes: Its size: the bound that is printed leaves it less than `HUGE`.
    """
    grown = next((tenant for tenant in tenants if tenant.bounded_by), None)
    if grown is None:
        inputs = [method.tensor(v) for v in method.inputs]
        is_static = all(t is None or t.shape_dynamism == ShapeDynamism.STATIC for t in inputs)
        return _STATIC if is_static else _UNKNOWN
    bound = grown.bounded_by[0]
    alike = [each.dimension for each in grown.bounded_by if each.position == bound.position]
    # What is this large and has that size twice grows with its square, as attention's scores do.
    power = grown.sizes.count(bound.largest)
    most = bound.largest // 4
    while most > 2 and nbytes * most**power >= HUGE * bound.largest**power:
        most //= 2
    return (
        f"{grown.name[0].upper()}{grown.name[1:]} takes {grown.growth()}. If smaller inputs are "
        f"all that is used, give {_those(alike)} a smaller bound when exporting; if not, the "
        "runner needs this memory:\n\n"
        + "".join(
            f'    {size} = torch.export.Dim("{size}", max={max(most, 2)})\n'
            for size in _names(alike).values()
        )
        + f"    dynamic_shapes = ({{{_shapes(alike)}}},)  # of input {bound.position}"
    )


def _names(dimensions: Sequence[int]) -> dict[int, str]:
    """What a snippet calls the size of each dimension."""
    if len(dimensions) == 1:
        return {dimensions[0]: "size"}
    return {each: f"size_{each}" for each in dimensions}


def _shapes(dimensions: Sequence[int]) -> str:
    return ", ".join(f"{each}: {name}" for each, name in _names(dimensions).items())


def _those(dimensions: Sequence[int]) -> str:
    return "that dimension" if len(dimensions) == 1 else "those of them that may change"
