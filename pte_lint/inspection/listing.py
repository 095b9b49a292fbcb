"""Prints a method's instructions readably: what is called, on what, and where it lives.

One line an instruction, in the style
`%7 f32[8,8] cuda:0@arena2+0 = delegate CudaBackend#0(%4, %5)`: a value is `%` and its number in the
value table; what an instruction writes stands to the left with its type, the device its metadata
claims, and its place (`@arena2+0` is byte 0 of arena 2; a device in parentheses is where the memory
really is, when that differs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pte_lint.inspection.labels import label
from pte_lint.inspection.literals import kind_name, scalar
from pte_lint.inspection.tensors import residence, tensor_type
from pte_lint.ir.steps import Step, StepKind
from pte_lint.judging.source import source_lines
from pte_lint.questions.method import Method
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    IntList,
    OptionalTensorList,
    TensorList,
)

_MAX_ITEMS = 16
"""Items of a list that are printed."""

_MAX_TEXT = 80
"""Characters of a string that are printed."""


def listing(method: Method) -> Iterator[str]:
    """Yields the lines of one method; names in them are not yet safe for a terminal."""
    writer = _Writer(method)
    inputs = ", ".join(writer.declared(v) for v in method.inputs)
    outputs = ", ".join(f"%{v}" for v in method.outputs)
    yield f"method {label(method.name)}({inputs}) -> ({outputs})"
    for v in method.tensors:
        if method.is_constant(v) or method.is_external(v) or method.has_initial_state(v):
            yield f"  data {writer.declared(v)}"
    targets = {method.flow.destination(s) for s in method.steps if s.kind is StepKind.JUMP}
    width = len(str(max(len(method.steps) - 1, 0)))
    for step in method.steps:
        mark = ">" if step.index in targets else " "
        yield f" {mark}{step.index:>{width}}  {writer.line(step)}"
    if len(method.steps) in targets:
        yield f" >{len(method.steps):>{width}}  end"


def instruction_text(method: Method) -> Callable[[Step], str]:
    """A function that gives the text of one instruction, not yet safe for a terminal."""
    return _Writer(method).line


class _Writer:
    def __init__(self, method: Method) -> None:
        self._method = method
        self._declared: dict[int, str] = {}

    def declared(self, v: int) -> str:
        """A value with its type and place."""
        known = self._declared.get(v)
        if known is None:
            known = self._declared[v] = self._declare(v)
        return known

    def _declare(self, v: int) -> str:
        method = self._method
        tensor, where = method.tensor(v), residence(method, v)
        if tensor is None or where is None:
            return f"%{v} {kind_name(method.value(v))}"
        key = f' "{where.key}"' if where.key else ""
        return f"%{v} {tensor_type(tensor)} {where}{key}"

    def line(self, step: Step) -> str:
        """One instruction."""
        text = self._text(step)
        trace = self._trace(step)
        return f"{text}  # {trace}" if trace else text

    def _text(self, step: Step) -> str:
        if step.kind is StepKind.JUMP:
            target = self._method.flow.destination(step)
            return f"jump_false {self._arguments(step.args)} -> {target}"
        if step.kind is StepKind.FREE:
            return f"free {self._arguments(step.args)}"
        if step.kind is StepKind.UNKNOWN:
            return "unknown instruction"
        outputs = ", ".join(dict.fromkeys(self.declared(v) for v in step.writes))
        inputs = self._arguments(step.args[: step.first_output])
        head = f"{outputs} = " if outputs else ""
        if step.kind is StepKind.MOVE:
            return f"{head}move {inputs}"
        name = label(step.operator)
        if step.kind is StepKind.DELEGATE:
            name = f"delegate {name}#{step.target}"
        return f"{head}{name}({inputs})"

    def _arguments(self, args: Sequence[int]) -> str:
        return ", ".join(self._argument(v) for v in args)

    def _argument(self, v: int) -> str:
        method = self._method
        value = method.value(v)
        if value is None:
            return f"missing %{v}"
        if method.is_input[v] or method.writers(v):
            return f"%{v}"
        match value.val:
            case IntList() | TensorList() | OptionalTensorList():
                return self._items(
                    [self._item(i) for i in (value.val.items or ())[:_MAX_ITEMS]],
                    len(value.val.items or ()),
                )
            case DoubleList() | BoolList():
                items = value.val.items or ()
                return self._items([str(i) for i in items[:_MAX_ITEMS]], len(items))
        literal, is_fixed = scalar(value)
        return _literal(literal) if is_fixed else f"%{v}"

    def _item(self, v: int) -> str:
        """An item of a list, which holds value numbers; items that are lists are not followed."""
        method = self._method
        value = method.value(v)
        if v < 0:
            return "None"
        if value is None:
            return f"missing %{v}"
        literal, is_fixed = scalar(value)
        if is_fixed and not method.writers(v) and not method.is_input[v]:
            return _literal(literal)
        return f"%{v}"

    def _items(self, shown: list[str], total: int) -> str:
        more = [f"... {total} items"] if total > len(shown) else []
        return "[" + ", ".join(shown + more) + "]"

    def _trace(self, step: Step) -> str:
        """Where in the model's source the instruction comes from: the innermost frame kept."""
        lines = source_lines(self._method, step.index)
        if not lines:
            return ""
        where = f"{label(lines[-1].file)}:{lines[-1].line}"
        return f"{where} in {label(lines[-1].function)}" if lines[-1].function else where


def _literal(literal: object) -> str:
    if isinstance(literal, str):
        return f'"{literal if len(literal) <= _MAX_TEXT else literal[:_MAX_TEXT] + "..."}"'
    return str(literal)
