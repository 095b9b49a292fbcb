"""A kernel call as the file has it: what its checks see before anything was run."""

from __future__ import annotations

from pte_lint.claims.forecast import NEWEST
from pte_lint.interpret.kinds import kinds_of
from pte_lint.interpret.numbers_known import known_int, known_ints
from pte_lint.ir.calling import list_items
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ir.tensor_size import tensor_numel
from pte_lint.ops.checks.call import Call, Operand
from pte_lint.ops.checks.scalars import Number
from pte_lint.ops.promotion import BOOL, FLOAT64, INT64
from pte_lint.ops.schemas import OperatorSchema
from pte_lint.schema.enums import KernelTypes, ShapeDynamism
from pte_lint.schema.program import (
    Bool,
    BoolList,
    Double,
    DoubleList,
    Int,
    OptionalTensorList,
    String,
    TensorList,
)


class FileCall(Call):
    """A kernel call with what the file has for its arguments.

    Tensors are taken as they stand in the file even where a move may exchange them: what is fine
    then is fine for all calls with tensors of the same form.
    """

    def __init__(
        self, method: Method, step: Step, schema: OperatorSchema, runtime: str = NEWEST
    ) -> None:
        """`step` must have the arguments that `schema` wants."""
        super().__init__(step.operator, runtime)
        self._method = method
        self._step = step
        self._outs = schema.inputs

    # -- arguments --------------------------------------------------------------------------------

    def tensor(self, position: int) -> Operand | None:
        """The tensor at a position; None when there is none, or a move may have exchanged it."""
        return self._operand(self._step.args[position], f"argument {position}")

    def inputs(self) -> list[Operand | None]:
        """The tensors before the outputs; None for one that a move may have exchanged."""
        return [self.tensor(n) for n in range(self._outs) if self._may_be_tensor(n)]

    def _may_be_tensor(self, position: int) -> bool:
        return KernelTypes.TENSOR in kinds_of(self._method).of(self._step.args[position])

    def out(self, number: int = 0) -> Operand | None:
        """The tensor that the given output goes to."""
        v = self._step.args[self._outs + number]
        return self._operand(v, "the output" if number == 0 else f"output {number}")

    def tensors(self, position: int) -> list[Operand] | None:
        """The tensors of a list; None unless all of them are known."""
        return self._list(self._step.args[position], f"argument {position}")

    def outs(self) -> list[Operand] | None:
        """The tensors of the list that an operator with a list of outputs writes."""
        return self._list(self._step.args[self._outs], "output")

    def optional_tensors(self, position: int) -> list[Operand | None] | None:
        """The tensors of a list with absent elements; None unless all of them are known."""
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, TensorList | OptionalTensorList):
            return None
        found = [
            self._operand(item, f"argument {position} item {n}") if item >= 0 else None
            for n, item in enumerate(value.val.items or ())
        ]
        present = sum(item >= 0 for item in value.val.items or ())
        return found if sum(operand is not None for operand in found) == present else None

    def number(self, position: int) -> int | None:
        """A number that no step writes; None when it is not known, or there is none."""
        self.has_looked_at_numbers = True
        return known_int(self._method, self._step.args[position])

    def numbers(self, position: int) -> tuple[int, ...] | None:
        """A list of numbers that no step writes."""
        self.has_looked_at_numbers = True
        return known_ints(self._method, self._step.args[position])

    def scalar(self, position: int) -> Number | None:
        """A number as it is, of any kind, that no step writes."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or self._method.writers(v):
            return None
        if isinstance(value.val, Double):
            return value.val.double_val
        if isinstance(value.val, Bool):
            return value.val.bool_val
        return value.val.int_val if isinstance(value.val, Int) else None

    def string(self, position: int) -> str | None:
        """A text that no step writes."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, String) or self._method.writers(v):
            return None
        return value.val.string_val

    def scalar_type(self, position: int) -> int | None:
        """The element type that a number of any kind counts as; None when it is not known."""
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or self._method.writers(v):
            return None
        kinds = {Bool: BOOL, Int: INT64, Double: FLOAT64}
        return kinds.get(type(value.val))

    def doubles(self, position: int) -> tuple[float, ...] | None:
        """A list of floating-point numbers."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, DoubleList) or self._method.writers(v):
            return None
        return tuple(value.val.items or ())

    def bools(self, position: int) -> tuple[bool, ...] | None:
        """A list of Bools."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, BoolList) or self._method.writers(v):
            return None
        return tuple(map(bool, value.val.items or ()))

    def flag(self, position: int) -> bool | None:
        """A Bool that no step writes."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, Bool) or self._method.writers(v):
            return None
        return value.val.bool_val

    def is_none(self, position: int) -> bool | None:
        """Whether the argument is None; None when steps write it, so that it may become so."""
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or self._method.writers(v):
            return None
        return value.val_type == KernelTypes.NULL

    def _operand(self, v: int, name: str) -> Operand | None:
        method = self._method
        tensor = method.tensor(v)
        if tensor is None or tensor.sizes is None:
            return None
        static = tensor.shape_dynamism == ShapeDynamism.STATIC
        return Operand(
            name=name,
            sizes=tensor.sizes if static else (None,) * len(tensor.sizes),
            dtype=tensor.scalar_type,
            order=tensor.dim_order or (),
            capacity=None if static else tensor_numel(tensor),
        )

    def _list(self, v: int, name: str) -> list[Operand] | None:
        if self._method.writers(v):
            return None
        items = list_items(self._method.value(v))
        found = [self._operand(item, f"{name} item {n}") for n, item in enumerate(items)]
        known = [operand for operand in found if operand is not None]
        return known if len(known) == len(found) else None
