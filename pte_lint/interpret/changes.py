"""Which steps change what values are, rather than what their tensors hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pte_lint.ir.calling import is_scalar_valued
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.prims import PRIM_OPS
from pte_lint.ops.schemas import operator_schema

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


def changing_steps(method: Method) -> Iterator[Step]:
    """Steps that change what values are, or where control goes."""
    for kind in (StepKind.MOVE, StepKind.FREE, StepKind.JUMP):
        yield from method.of_kind(kind)
    yield from method.calls.of(*(name for name in method.calls.operators if name in PRIM_OPS))


def changed_by(step: Step) -> Sequence[int]:
    """The values that a step changes; a move to a list changes the list, not its items."""
    return step.args[1:] if step.kind is StepKind.MOVE else step.writes


def returning_steps(method: Method) -> Iterator[Step]:
    """Calls of in-place operators that put their target into another slot as well.

    The wrapper assigns what the kernel returns (codegen/gen.py).
    """
    n = len(method.values)
    for alike in method.calls.groups:
        if updates_in_place(alike.operator):
            for step in alike.calls:
                if returns_its_target(step) and 0 <= step.args[0] < n and 0 <= step.args[-1] < n:
                    yield step


def returns_its_target(step: Step) -> bool:
    """An in-place operator whose slot for the return is another value than its target."""
    schema = operator_schema(step.operator)
    if schema is None or len(step.args) != schema.call_size or step.args[0] == step.args[-1]:
        return False
    return updates_in_place(step.operator)


def updates_in_place(operator: str) -> bool:
    """An operator without out arguments that returns a tensor: its wrapper assigns that."""
    schema = operator_schema(operator)
    if schema is None or is_scalar_valued(operator):
        return False
    return not any(parameter.is_out for parameter in schema.parameters)


def is_prim(step: Step) -> bool:
    """A call of a prim op."""
    return step.kind is StepKind.KERNEL and step.operator in PRIM_OPS
