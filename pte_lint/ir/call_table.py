"""All kernel calls of a method at a glance: which are alike.

A long program has many calls and few kinds of them. What only depends on the operator, on the
kinds of its arguments and on the forms of the tensors among them is judged once for all calls that
are alike. One sweep, linear in the calls.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from pte_lint.ir.steps import Step, StepKind
from pte_lint.schema.enums import KernelTypes

if TYPE_CHECKING:
    from pte_lint.ir.method_steps import MethodSteps

_FORMS = 256
"""Added to the number of a form, to tell it from the code of a kind."""


class AlikeCalls(NamedTuple):
    """Calls of one operator with alike arguments: of the same kinds, tensors of the same form.

    Lists of tensors are alike when they are the very same value; numbers and lists of numbers
    whatever they hold.
    """

    operator: str
    target: int
    """Index in the operator table, as stored."""
    calls: list[Step]
    """In order; at least one."""


class CallTable:
    """The kernel calls of a method, grouped.

    Attributes:
        groups: Calls that are alike, in the order of their first calls.
    """

    def __init__(self, method: MethodSteps) -> None:
        """Sweeps over the steps of `method`."""
        class_of = _classes(method).__getitem__
        groups: dict[tuple[object, ...], AlikeCalls] = {}
        kernel = StepKind.KERNEL
        for step in method.steps:
            if step.kind is kernel:
                key = step.target, step.first_output, *map(class_of, step.args)
                group = groups.get(key)
                if group is None:
                    group = groups[key] = AlikeCalls(step.operator, step.target, [])
                group.calls.append(step)
        self.groups: tuple[AlikeCalls, ...] = tuple(groups.values())
        self._by_operator: dict[str, list[AlikeCalls]] = {}
        for group in self.groups:
            self._by_operator.setdefault(group.operator, []).append(group)

    @property
    def operators(self) -> Collection[str]:
        """Names of the operators that are called, each once."""
        return self._by_operator.keys()

    def count(self, operator: str) -> int:
        """How many calls an operator has."""
        return sum(len(group.calls) for group in self._by_operator.get(operator, ()))

    def of(self, *operators: str) -> list[Step]:
        """The calls of some operators, in order."""
        groups = (group for name in operators for group in self._by_operator.get(name, ()))
        return sorted(step for group in groups for step in group.calls)


class _Classes(dict[int, int]):
    """What is equal for arguments that are alike, by value index; -1 outside the value table."""

    def __missing__(self, v: int) -> int:
        return -1


def _classes(method: MethodSteps) -> list[int] | _Classes:
    """What is equal for arguments that are alike, by value index.

    That is the code of the kind, for a tensor the number of its form, for a list of tensors a
    number of its own.
    """
    classes = list(method.val_types)
    for number, form in enumerate(method.table.forms, _FORMS):
        for v in form.values:
            classes[v] = number
    for v in method.values_of(KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST):
        classes[v] = -2 - v
    return classes if method.args_exist else _Classes(enumerate(classes))
