"""Kernel calls straight from their arguments, without a program: thousands take a second.

What a program's calls see (`FileCall`, `FilePlacedCall`) is the same; here arguments may also be
unknown, as those are that steps write.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from pte_lint.schema.enums import SCALAR_TYPES

from pte_lint.claims.forecast import NEWEST
from pte_lint.ops.checks.call import Call, Operand, Size
from pte_lint.ops.checks.scalars import Number
from pte_lint.ops.layouts.call import PlacedCall, Unknown
from pte_lint.ops.layouts.placed import Placed
from pte_lint.ops.promotion import BOOL, FLOAT64, INT64
from pte_lint.ops.schemas import OperatorSchema, operator_schema
from tests.support.kernel_calls import Argument, KernelCall, T

_CODES = {name: code for code, (name, _) in SCALAR_TYPES.items()}


def schema_of(call: KernelCall) -> OperatorSchema:
    """The schema of a call's operator, which has one."""
    schema = operator_schema(call.operator)
    assert schema is not None
    return schema


class DirectCall(Call):
    """A call; what is at the `unknown` positions may be anything.

    Attributes:
        resized: The sizes that outputs get, in the order in which the check tells.
    """

    def __init__(
        self, call: KernelCall, runtime: str = NEWEST, unknown: Collection[int] = ()
    ) -> None:
        super().__init__(call.operator, runtime)
        self._args, self._unknown = call.args, unknown
        self._inputs = schema_of(call).inputs
        self.resized: list[Sequence[Size]] = []

    def _at(self, position: int) -> Argument:
        return None if position in self._unknown else self._args[position]

    def _operand(self, item: object, name: str) -> Operand | None:
        if not isinstance(item, T):
            return None
        is_bounded = item.bounded and not item.zeros
        return Operand(
            name=name,
            sizes=(None,) * len(item.sizes) if is_bounded else item.sizes,
            dtype=_CODES[item.dtype],
            order=item.order or tuple(range(len(item.sizes))),
            capacity=prod(item.sizes) if is_bounded else None,
            resized=self.resized,
        )

    def _list(self, position: int, name: str) -> list[Operand] | None:
        items = self._at(position)
        given = items if isinstance(items, list) else []
        found = [self._operand(item, f"{name} item {n}") for n, item in enumerate(given)]
        known = [operand for operand in found if operand is not None]
        return known if len(known) == len(found) and position not in self._unknown else None

    def tensor(self, position: int) -> Operand | None:
        return self._operand(self._at(position), f"argument {position}")

    def inputs(self) -> list[Operand | None]:
        places = [n for n in range(self._inputs) if isinstance(self._args[n], T)]
        return [self.tensor(n) for n in places]

    def out(self, number: int = 0) -> Operand | None:
        name = "the output" if number == 0 else f"output {number}"
        at = self._inputs + number
        return self._operand(self._at(at if at < len(self._args) else 0), name)

    def tensors(self, position: int) -> list[Operand] | None:
        return self._list(position, f"argument {position}")

    def outs(self) -> list[Operand] | None:
        return self._list(self._inputs, "output")

    def optional_tensors(self, position: int) -> list[Operand | None] | None:
        items = self._at(position)
        if not isinstance(items, list):
            return None
        return [
            self._operand(item, f"argument {position} item {n}") for n, item in enumerate(items)
        ]

    def number(self, position: int) -> int | None:
        self.has_looked_at_numbers = True
        number = self._at(position)
        return number if isinstance(number, int) and not isinstance(number, bool) else None

    def numbers(self, position: int) -> tuple[int, ...] | None:
        self.has_looked_at_numbers = True
        return _all_of(self._at(position), int)

    def scalar(self, position: int) -> Number | None:
        self.has_looked_at_numbers = True
        number = self._at(position)
        return number if isinstance(number, int | float) else None

    def string(self, position: int) -> str | None:
        self.has_looked_at_numbers = True
        text = self._at(position)
        return text if isinstance(text, str) else None

    def scalar_type(self, position: int) -> int | None:
        return {bool: BOOL, int: INT64, float: FLOAT64}.get(type(self._at(position)))

    def doubles(self, position: int) -> tuple[float, ...] | None:
        self.has_looked_at_numbers = True
        return _all_of(self._at(position), float)

    def bools(self, position: int) -> tuple[bool, ...] | None:
        self.has_looked_at_numbers = True
        return _all_of(self._at(position), bool)

    def flag(self, position: int) -> bool | None:
        self.has_looked_at_numbers = True
        flag = self._at(position)
        return flag if isinstance(flag, bool) else None

    def is_none(self, position: int) -> bool | None:
        return None if position in self._unknown else self._args[position] is None


def _all_of(items: Argument, kind: type[Number]) -> tuple[Number, ...] | None:
    if not isinstance(items, list):
        return None
    found = tuple(item for item in items if isinstance(item, int | float) and type(item) is kind)
    return found if len(found) == len(items) else None


class DirectPlacedCall(PlacedCall):
    """A call with its tensors as they lie in memory; tensors that are `zeros` are uniform."""

    def __init__(
        self, call: KernelCall, runtime: str = NEWEST, unknown: Collection[int] = ()
    ) -> None:
        super().__init__(DirectCall(call, runtime, unknown), runtime)
        self._args, self._unknown = call.args, unknown
        self._inputs = schema_of(call).inputs

    def _placed(self, item: object, value: int, name: str) -> Placed:
        if not isinstance(item, T) or value in self._unknown:
            raise Unknown
        order = item.order or tuple(range(len(item.sizes)))
        return Placed(name, value, item.sizes, order, _CODES[item.dtype], item.zeros)

    def tensor(self, position: int) -> Placed:
        return self._placed(self._args[position], position, f"argument {position}")

    def has_tensor(self, position: int) -> bool:
        return isinstance(self._args[position], T)

    def inputs(self) -> list[Placed]:
        found: list[Placed] = []
        for n in range(self._inputs):
            if self.has_tensor(n):
                found.append(self.tensor(n))
            elif isinstance(self._args[n], list):
                found += [each for each in self.list_at(n) if each is not None]
        return found

    def out(self, number: int = 0) -> Placed:
        name = "the output" if number == 0 else f"output {number}"
        at = self._inputs + number if self._inputs < len(self._args) else 0
        return self._placed(self._args[at], at, name)

    def outs(self) -> list[Placed]:
        found: list[Placed] = []
        for at in range(self._inputs, len(self._args)):
            items = self._args[at]
            if isinstance(items, list):
                found += [self._placed(item, at, f"output {n}") for n, item in enumerate(items)]
            else:
                found.append(self.out(at - self._inputs))
        return found or [self.out()]

    def list_at(self, position: int) -> list[Placed | None]:
        items = self._args[position]
        assert isinstance(items, list)
        return [
            self._placed(item, position, f"argument {position} item {n}")
            if isinstance(item, T)
            else None
            for n, item in enumerate(items)
            if item is None or isinstance(item, T)
        ]
