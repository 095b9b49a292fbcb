"""What kind of value an argument is when a step runs.

The file gives every value a kind, but two instructions change it: a prim op makes its result slot
an Int, Bool or Double whatever it was, and a move makes its target what its source is. Kinds are
followed over the whole method, not path by path: an argument is surely wrong only when every kind
it can ever have is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.prims import PRIM_OPS
from pte_lint.schema.enums import KernelTypes

KIND_NAMES = {
    KernelTypes.NULL: "None",
    KernelTypes.INT: "Int",
    KernelTypes.BOOL: "Bool",
    KernelTypes.DOUBLE: "Double",
    KernelTypes.TENSOR: "Tensor",
    KernelTypes.STRING: "String",
    KernelTypes.INT_LIST: "IntList",
    KernelTypes.DOUBLE_LIST: "DoubleList",
    KernelTypes.BOOL_LIST: "BoolList",
    KernelTypes.TENSOR_LIST: "TensorList",
    KernelTypes.OPTIONAL_TENSOR_LIST: "OptionalTensorList",
}


def kind_name(kind: int) -> str:
    """The name of a kind of value for readers."""
    return KIND_NAMES[KernelTypes(kind)] if kind in KIND_NAMES else f"kind {kind}"


class Kinds:
    """Kinds of all values of a method, those that steps give them included."""

    def __init__(self, method: Method) -> None:
        """Follows prim ops and moves; linear in the method."""
        self._method = method
        self._more: dict[int, set[int]] = {}
        """Kinds besides the one in the file, by value."""
        for operator in method.calls.operators:
            prim = PRIM_OPS.get(operator)
            if prim is None or not prim.results:
                continue
            for step in method.calls.of(operator):
                if len(step.args) == prim.count:
                    self._add(step.args[-1], prim.results)
        self._follow([s for s in method.of_kind(StepKind.MOVE) if s.reads and s.writes])

    def _add(self, v: int, kinds: Iterable[int]) -> bool:
        value = self._method.value(v)
        new = [k for k in kinds if value is not None and k != value.val_type]
        known = self._more.setdefault(v, set()) if new else set(new)
        before = len(known)
        known.update(new)
        return len(known) > before

    def _follow(self, moves: list[Step]) -> None:
        targets: dict[int, list[int]] = {}
        for step in moves:
            targets.setdefault(step.args[0], []).append(step.args[1])
        work = list(targets)
        while work:
            source = work.pop()
            for target in targets.get(source, ()):
                if self._add(target, self.of(source)):
                    work.append(target)

    def of(self, v: int) -> frozenset[int]:
        """Every kind that value `v` may have; empty when there is no such value."""
        value = self._method.value(v)
        if value is None:
            return frozenset()
        more = self._more.get(v)
        return frozenset((value.val_type, *more)) if more else frozenset((value.val_type,))

    def is_changed(self, v: int) -> bool:
        """True when some step may give the value another kind than the file does."""
        return v in self._more


@question
def kinds_of(method: Method) -> Kinds:
    """Kinds of all values, those that steps give them included."""
    return Kinds(method)
