"""One kernel call with its tensors as the file has them lie in memory."""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.claims.forecast import NEWEST
from pte_lint.interpret.kinds import kinds_of
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import list_items
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.placed import Placed
from pte_lint.ops.schemas import OperatorSchema
from pte_lint.questions.sure_call import SureCall
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the tensors of a call come from."""

    method: Method
    step: Step
    is_uniform: Callable[[int], bool]


class FilePlacedCall(PlacedCall):
    """A kernel call with the tensors of the file."""

    def __init__(
        self,
        method: Method,
        step: Step,
        schema: OperatorSchema,
        is_uniform: Callable[[int], bool],
        runtime: str = NEWEST,
    ) -> None:
        """`is_uniform` tells of a value whether all of its elements are surely equal."""
        super().__init__(SureCall(method, step, schema, runtime), runtime)
        self._from = _Source(method, step, is_uniform)
        self._inputs = schema.inputs
        self._schema = schema

    def tensor(self, position: int) -> Placed:
        """The tensor at a position.

        Raises:
            Unknown: there is none.
        """
        return self._placed(self._from.step.args[position], f"argument {position}")

    def has_tensor(self, position: int) -> bool:
        """Whether there is a tensor at a position; an optional one may be absent.

        Raises:
            Unknown: a move may put one there.
        """
        method, v = self._from.method, self._from.step.args[position]
        is_tensor = method.tensor(v) is not None
        if not is_tensor and KernelTypes.TENSOR in kinds_of(method).of(v):
            raise Unknown
        return is_tensor

    def inputs(self) -> list[Placed]:
        """The tensors before the outputs, lists spread out."""
        found: list[Placed] = []
        for n in range(self._inputs):
            if self.has_tensor(n):
                found.append(self.tensor(n))
            elif self._schema.parameters[n].wanted in ("TensorList", "OptionalTensorList"):
                found += [each for each in self.list_at(n) if each is not None]
        return found

    def out(self, number: int = 0) -> Placed:
        """The tensor that an output goes to."""
        name = "the output" if number == 0 else f"output {number}"
        return self._placed(self._from.step.args[self._inputs + number], name)

    def outs(self) -> list[Placed]:
        """All tensors that outputs go to, lists spread out."""
        found: list[Placed] = []
        args = self._from.step.args
        count = max(len(self._schema.parameters) - self._inputs, 1)
        for number in range(count):
            v = args[self._inputs + number]
            if self._from.method.tensor(v) is not None:
                found.append(self.out(number))
            else:
                items = list_items(self._from.method.value(v))
                found += [self._placed(item, f"output {n}") for n, item in enumerate(items)]
        return found

    def list_at(self, position: int) -> list[Placed | None]:
        """The tensors of a list; None for one that is absent."""
        v = self._from.step.args[position]
        if self._from.method.writers(v):
            raise Unknown
        value = self._from.method.value(v)
        items = getattr(getattr(value, "val", None), "items", None) or ()
        return [
            self._placed(item, f"argument {position} item {n}") if item >= 0 else None
            for n, item in enumerate(items)
        ]

    def _placed(self, v: int, name: str) -> Placed:
        method = self._from.method
        tensor = method.tensor(v)
        if tensor is None or tensor.sizes is None or residency_of(method).is_rebound(v):
            raise Unknown
        order = tensor.dim_order or ()
        if sorted(order) != list(range(len(tensor.sizes))):
            raise Unknown
        return Placed(
            name=name,
            value=v,
            sizes=tensor.sizes,
            order=order,
            dtype=tensor.scalar_type,
            is_uniform=self._from.is_uniform(v),
        )
