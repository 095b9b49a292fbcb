"""Instructions in a form that survives renumbering and replanning.

Two exports of one model number their values and place their tensors differently. Here a value is
named by its first mention, and a tensor by its type, its tag and the kind of its memory, so that
equal texts mean equal programs and the first unequal one is where two programs part.
"""

from __future__ import annotations

import hashlib

from pte_lint.inspection.labels import label
from pte_lint.inspection.literals import kind_name, scalar
from pte_lint.inspection.tensors import residence, tensor_type
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.schema.program import BoolList, DoubleList, IntList, OptionalTensorList, TensorList

_MAX_LIST = 256
"""Characters of a list that are kept."""


def canonical_code(method: Method) -> tuple[str, ...]:
    """Returns one text per instruction."""
    namer = _Namer(method)
    lines = []
    for step in method.steps:
        operator = label(step.operator)
        if step.kind is StepKind.JUMP:
            operator = f"jump_false to {method.flow.destination(step)}"
        args = ", ".join(namer.name(v) for v in step.args)
        lines.append(f"{operator}({args})")
    return tuple(lines)


class _Namer:
    """Names values in the order in which they are first mentioned."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._names: dict[int, str] = {}
        self._count = 0

    def name(self, v: int) -> str:
        known = self._names.get(v)
        if known is None:
            known = self._names[v] = self._new(v)
            # Later mentions need no type: the first one told it.
            if known.startswith("%"):
                self._names[v] = known.partition(":")[0]
        return known

    def _new(self, v: int) -> str:
        method = self._method
        value, tensor, where = method.value(v), method.tensor(v), residence(method, v)
        if value is None:
            return f"missing({v})"
        if tensor is None and not method.writers(v) and not method.is_input[v]:
            literal, is_fixed = scalar(value)
            if is_fixed:
                return repr(literal)
            match value.val:
                case DoubleList() | BoolList():
                    return _short(repr(list(value.val.items or ())))
                case IntList() | TensorList() | OptionalTensorList():
                    return _short(self._list(value.val.items or ()))
        name = f"%{self._count}"
        self._count += 1
        if tensor is None or where is None:
            return f"{name}: {kind_name(value)}"
        return f"{name}: {tensor_type(tensor)} {where.device}@{where.memory}({where.memory_device})"

    def _list(self, items: tuple[int, ...]) -> str:
        # A list inside a list is malformed and could contain itself.
        return "[" + ", ".join(self._item(i) for i in items) + "]"

    def _item(self, v: int) -> str:
        value = self._method.value(v)
        if v < 0:
            return "None"
        if value is None or isinstance(value.val, IntList | TensorList | OptionalTensorList):
            return f"missing({v})"
        return self.name(v)


def _short(text: str) -> str:
    """A list that every instruction may mention; what is cut off is told by a hash."""
    if len(text) <= _MAX_LIST:
        return text
    return f"{text[:_MAX_LIST]}... {hashlib.sha256(text.encode()).hexdigest()}"
