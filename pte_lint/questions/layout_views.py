"""Views whose copy the exporter left out, and that do not show their base in its order.

A view takes the elements of its base in row-major order, whatever their places in memory. Leaving
out the copy (exir/passes/replace_view_copy_with_view_pass.py) is right where both number the same
places in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.method import Method
from pte_lint.ops.layouts.placed import Digits, Placed, walk
from pte_lint.questions.layout_faults import unusual_tensors
from pte_lint.questions.liveness import liveness_of
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class LostOrder:
    """A value that shows the memory of another one in another order; `step` reads it first."""

    view: Placed
    base: Placed
    step: int


def lost_orders(method: Method) -> Iterator[LostOrder]:
    """The views of a method that show their base in another order; by value."""
    if not unusual_tensors(method):
        return
    storage = liveness_of(method).storage
    for v in method.tensors:
        base = storage.base(v)
        reader = liveness_of(method).next_read(v, -1) if base is not None else None
        if base is not None and reader is not None and not method.writers(v):
            yield from _compared(method, v, base, reader)
    for step in method.calls.of(ET_VIEW):
        if len(step.args) > 2 and flow_of(method).reachable[step.index]:
            source, view = step.args[0], step.args[2]
            if method.tensor(source) is not None and method.tensor(view) is not None:
                yield from _compared(method, view, source, step.index)


def _compared(method: Method, v: int, base: int, step: int) -> Iterator[LostOrder]:
    one, other = _placed(method, v), _placed(method, base)
    if one is None or other is None or one.numel != other.numel or one.numel < 2:
        return
    if _numbering(one) != _numbering(other):
        yield LostOrder(one, other, step)


def _numbering(tensor: Placed) -> Digits:
    """For places in memory, from the first on, the number of the element in row-major order."""
    same = {d: d for d in range(tensor.rank)}
    return walk(tensor, tensor.order, tensor, tensor.row_major, same)


def _placed(method: Method, v: int) -> Placed | None:
    tensor = method.tensor(v)
    if tensor is None or tensor.sizes is None or residency_of(method).is_rebound(v):
        return None
    order = tensor.dim_order or ()
    if sorted(order) != list(range(len(tensor.sizes))):
        return None
    return Placed(method.describe(v), v, tensor.sizes, order, tensor.scalar_type)
