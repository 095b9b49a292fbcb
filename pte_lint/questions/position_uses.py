"""What the positions given to a language model index: caches, tables of angles, masks.

Positions are followed through copies and views, into numbers, and through sums with a range that
starts at zero. What is wrapped around or clamped on the way (the ring buffers of sliding windows)
is no position any more and bounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pte_lint.ir.calling import ET_VIEW, LOCAL_SCALAR
from pte_lint.ir.steps import Step, StepKind
from pte_lint.schema.program import Int, OptionalTensorList

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_SAME: Final = frozenset(
    {
        LOCAL_SCALAR,
        ET_VIEW,
        "aten::alias_copy.out",
        "aten::scalar_tensor.out",
        "aten::clone.out",
        "dim_order_ops::_clone_dim_order.out",
        "dim_order_ops::_to_dim_order_copy.out",
        "aten::_to_copy.out",
        "aten::view_copy.out",
        "aten::unsqueeze_copy.out",
        "aten::squeeze_copy.dims_out",
        "aten::expand_copy.out",
        "aten::permute_copy.out",
        "aten::slice_copy.Tensor_out",
        "aten::select_copy.int_out",
    }
)
"""Operators whose result holds positions where their first argument does."""

_COPIES: Final = frozenset({"aten::copy_", "aten::copy.out"})
"""Of these it is the second: transformers keeps the length of its caches in a buffer of its own."""

_RANGE: Final = "aten::arange.out"
_RANGE_FROM: Final = "aten::arange.start_out"

_WRITING: Final = frozenset(
    {
        "aten::index_put.out",
        "aten::index_put_",
        "aten::index_copy.out",
        "aten::index_copy_",
        "aten::slice_scatter.out",
        "aten::select_scatter.out",
        "llama::update_cache.out",
        "llama::sdpa_with_kv_cache.out",
    }
)


class PositionUse(NamedTuple):
    """A dimension that positions index: it must be longer than the largest of them."""

    step: Step
    value: int
    """The tensor that is indexed."""
    dim: int
    length: int
    """Its size in elements; an upper bound where it is dynamic."""

    @property
    def is_write(self) -> bool:
        """Whether rows are put there: the tensor is a cache."""
        return self.step.operator in _WRITING


def position_uses(method: Method) -> list[PositionUse]:
    """What the positions (input 1) of a method index, in order. Linear in the steps."""
    if len(method.inputs) < 2:
        return []
    positions = {method.inputs[1]}
    ranges: set[int] = set()
    found = []
    for step in method.steps:
        if step.kind is not StepKind.KERNEL:
            positions.difference_update(step.writes)
            continue
        indexed = _INDEXING.get(step.operator)
        if indexed is not None:
            for value, dim in indexed(method, step, positions):
                tensor = method.tensor(value)
                sizes = (tensor.sizes or ()) if tensor is not None else ()
                if -len(sizes) <= dim < len(sizes):
                    found.append(PositionUse(step, value, dim % len(sizes), sizes[dim]))
        if _makes_positions(step, positions, ranges):
            positions.update(step.writes)
        else:
            positions.difference_update(step.writes)
        if _starts_at_zero(method, step):
            ranges.update(step.writes)
        else:
            ranges.difference_update(step.writes)
    return found


def _makes_positions(step: Step, positions: set[int], ranges: set[int]) -> bool:
    args = step.args
    if step.operator in _SAME or step.operator == _RANGE_FROM:
        return bool(args) and args[0] in positions
    if step.operator in _COPIES:
        return len(args) > 1 and args[1] in positions
    if step.operator == "aten::add.out":
        pair = args[:2]
        return any(v in positions for v in pair) and any(v in ranges for v in pair)
    return False


def _starts_at_zero(method: Method, step: Step) -> bool:
    if step.operator != _RANGE_FROM:
        return step.operator == _RANGE
    start = method.value(step.args[0]) if step.args else None
    if start is None or method.is_written[step.args[0]]:
        return False
    return isinstance(start.val, Int) and start.val.int_val == 0


_Indexed = Iterator[tuple[int, int]]
"""Tensor and dimension."""


def _by_list(method: Method, step: Step, positions: set[int]) -> _Indexed:
    """`self`, then one index tensor a dimension, or None."""
    value = method.value(step.args[1]) if len(step.args) > 1 else None
    if value is not None and isinstance(value.val, OptionalTensorList):
        for dim, item in enumerate(value.val.items or ()):
            if item in positions:
                yield step.args[0], dim


def _by_dim(index: int, dim: int) -> Callable[[Method, Step, set[int]], _Indexed]:
    """`self` is indexed by argument `index` along the dimension that argument `dim` holds."""

    def indexed(method: Method, step: Step, positions: set[int]) -> _Indexed:
        if len(step.args) > max(index, dim) and step.args[index] in positions:
            value = method.value(step.args[dim])
            if value is not None and isinstance(value.val, Int):
                yield step.args[0], value.val.int_val

    return indexed


def _fixed(index: int, dim: int, *tensors: int) -> Callable[[Method, Step, set[int]], _Indexed]:
    """Arguments `tensors` are indexed by argument `index` along `dim`."""

    def indexed(method: Method, step: Step, positions: set[int]) -> _Indexed:
        if len(step.args) > max(index, *tensors) and step.args[index] in positions:
            yield from ((step.args[tensor], dim) for tensor in tensors)

    return indexed


_INDEXING: Final[dict[str, Callable[[Method, Step, set[int]], _Indexed]]] = {
    "aten::index_put.out": _by_list,
    "aten::index_put_": _by_list,
    "aten::index.Tensor_out": _by_list,
    "aten::index_copy.out": _by_dim(2, 1),
    "aten::index_copy_": _by_dim(2, 1),
    "aten::index_select.out": _by_dim(2, 1),
    "aten::select_copy.int_out": _by_dim(2, 1),
    "aten::slice_copy.Tensor_out": _by_dim(2, 1),
    "aten::slice_scatter.out": _by_dim(3, 2),
    "aten::select_scatter.out": _by_dim(3, 2),
    "aten::embedding.out": _fixed(1, 0, 0),
    "llama::update_cache.out": _fixed(2, 1, 1),
    "llama::sdpa_with_kv_cache.out": _fixed(5, 1, 3, 4),
}
"""By operator, which dimensions positions index (extension/llm/custom_ops: op_update_cache.cpp and
op_sdpa.cpp: `validate_cache_params`; the rest as their schemas say)."""
