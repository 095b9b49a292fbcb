"""The contiguous twin of a method: the same calls, with every tensor in the default dim order.

Operators are defined on logical elements, so that the twin computes the same. What goes by memory
is left alone: methods with such calls have no twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.edits.calls import ConvertBefore
from pte_lint.edits.draft import Draft, Edit
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.calling import list_items
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import base_name, is_repeatable
from pte_lint.questions.method import Method
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import EValue, Null, Tensor

_KNOWN_SPACES: Final = ("aten", "dim_order_ops", "executorch_prim", "quantized_decomposed")
_BY_MEMORY: Final = frozenset({"aten::as_strided_copy", "aten::set_", "aten::empty_strided"})
_ORDERS: Final = {
    "aten::_to_copy.out": 2,
    "aten::clone.out": 1,
    "dim_order_ops::_clone_dim_order.out": 2,
    "dim_order_ops::_to_dim_order_copy.out": 2,
}
"""Where operators are told the order of their result; without it they keep that of the input."""


@dataclass(frozen=True, slots=True)
class DefaultOrder:
    """Lets tensors lie in the default order."""

    plan: int
    values: tuple[int, ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        for v in self.values:
            plan.change_tensor(v, dim_order=tuple(range(len(plan.tensor(v).sizes or ()))))


@dataclass(frozen=True, slots=True)
class WithoutOrder:
    """Takes the argument away that tells an operator the order of its result."""

    plan: int
    instruction: int
    argument: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        nothing = plan.add_value(EValue(KernelTypes.NULL, Null()))

        def change(args: list[int]) -> None:
            args[self.argument] = nothing

        plan.change_call(self.instruction, change)


def contiguous_twin(method: Method) -> list[Edit]:
    """The edits that make the twin.

    Raises:
        EditError: there is none, or it is not known to compute the same; the text says why.
    """
    unusual = {v for v, tensor in _tensors(method) if _is_unusual(tensor)}
    if not unusual:
        raise EditError("every tensor is in the default order")
    if any(method.liveness.storage.is_state(v) for v in unusual):
        raise EditError("a state is kept in another order")
    constants = {v for v in unusual if method.is_constant(v)}
    edits: list[Edit] = [DefaultOrder(method.index, tuple(sorted(unusual - constants)))]
    for step in method.steps:
        edits += _edits(method, step, unusual, constants)
    return edits


def _tensors(method: Method) -> Iterator[tuple[int, Tensor]]:
    for v, value in enumerate(method.values):
        if isinstance(value.val, Tensor):
            yield v, value.val


def _is_unusual(tensor: Tensor) -> bool:
    order = list(tensor.dim_order or ())
    return order != sorted(order)


def _edits(method: Method, step: Step, unusual: set[int], constants: set[int]) -> Iterator[Edit]:
    if step.kind not in (StepKind.KERNEL, StepKind.DELEGATE):
        return
    listed = {i for v in step.args if 0 <= v < len(method.values)
              for i in list_items(method.value(v))}  # fmt: skip
    met = unusual & {*step.args, *listed}
    if step.kind is StepKind.DELEGATE:
        if met:
            raise EditError("a delegate takes or gives a tensor of another order")
        return
    name = base_name(step.operator)
    known = name.partition("::")[0] in _KNOWN_SPACES
    if known and not is_repeatable(step.operator):
        raise EditError(f"{step.operator} does not give the same twice")
    if met and (name in _BY_MEMORY or not known):
        raise EditError(f"{step.operator} may go by the order in memory")
    if constants & listed:
        raise EditError("a constant of another order stands in a list")
    for v in sorted(constants & {*step.args}):
        rank = len(method.tensor(v).sizes or ())  # type: ignore[union-attr]
        yield ConvertBefore(method.index, step.index, v, tuple(range(rank)))
    if met and step.operator in _ORDERS and len(step.args) > _ORDERS[step.operator]:
        yield WithoutOrder(method.index, step.index, _ORDERS[step.operator])
