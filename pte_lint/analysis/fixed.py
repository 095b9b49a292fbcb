"""Jump conditions that are the same every time they are tested in one run.

A condition that no instruction writes is settled before the run: by the file when it is a number,
by the caller when it is an input tensor. One that a prim op computes from settled numbers is
settled, too, and often known. One that each lap of a loop computes from what no lap changes stays
as it is for the loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.analysis.method import Method
from pte_lint.analysis.numbers_known import known_int, known_sizes
from pte_lint.analysis.repeats import Repeats
from pte_lint.analysis.steps import Step, StepKind
from pte_lint.schema.program import Bool, Double, Int

_Number = int | float | bool

_DEPTH: Final = 16
"""How many prim ops are followed back from a condition."""

_PREFIX: Final = "executorch_prim::"

_OPERATIONS: Final[Mapping[str, Callable[[_Number, _Number], _Number]]] = {
    _PREFIX + "add.Scalar": operator.add,
    _PREFIX + "sub.Scalar": operator.sub,
    _PREFIX + "mul.Scalar": operator.mul,
    _PREFIX + "eq.Scalar": operator.eq,
    _PREFIX + "gt.Scalar": operator.gt,
    _PREFIX + "lt.Scalar": operator.lt,
    _PREFIX + "ge.Scalar": operator.ge,
    _PREFIX + "le.Scalar": operator.le,
}


def settled(method: Method, condition: int, repeats: Repeats) -> tuple[bool, ...]:
    """The outcomes that a condition can have, if it has the same one throughout a loop.

    Returns:
        One outcome when it is known, both when the caller decides, none when the condition may
        change from lap to lap or nothing can be said.
    """
    value = method.value(condition)
    if value is None:
        return ()
    if not method.writers(condition):
        if isinstance(value.val, Bool):
            # The caller cannot change an input of this kind: set_input refuses other values.
            return (value.val.bool_val,)
    else:
        number = _evaluate(method, condition, _DEPTH)
        if number is not None:
            return (bool(number),)
    jumps = [j for j in method.flow.jumps if method.steps[j].args[0] == condition]
    is_same = all(repeats.is_same(condition, j) for j in jumps)
    return (False, True) if is_same and repeats.is_up_to_caller(condition) else ()


def _evaluate(method: Method, v: int, depth: int) -> _Number | None:
    """The number that value `v` has whenever it is read after its only writer; None if unknown."""
    value = method.value(v)
    writers = method.writers(v)
    if value is None or depth == 0 or len(writers) > 1:
        return None
    if not writers:
        if isinstance(value.val, Int):
            return value.val.int_val
        if isinstance(value.val, Double):
            return value.val.double_val
        return value.val.bool_val if isinstance(value.val, Bool) else None
    return _result(method, method.steps[writers[0]], depth - 1)


def _result(method: Method, step: Step, depth: int) -> _Number | None:
    if step.kind is not StepKind.KERNEL or len(step.args) != 3:
        return None
    if step.operator == "aten::sym_size.int":
        sizes, dim = known_sizes(method, step.args[0]), known_int(method, step.args[1])
        if sizes is None or dim is None or not 0 <= dim < len(sizes):
            return None
        return sizes[dim]
    operation = _OPERATIONS.get(step.operator)
    if operation is None or step.args[2] in step.args[:2]:
        return None
    left = _evaluate(method, step.args[0], depth)
    right = _evaluate(method, step.args[1], depth) if left is not None else None
    return operation(left, right) if left is not None and right is not None else None
