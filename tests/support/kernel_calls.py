"""One call of a kernel, written as its arguments, and small changes to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from pte_lint.schema.enums import KernelTypes

from pte_lint.ops.schemas import Parameter, operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.elements import tensor_bytes
from pte_lint.testing.program_builder import BuiltProgram, build_program


@dataclass(frozen=True, slots=True)
class T:
    """A tensor argument.

    Attributes:
        sizes: Size of each dimension, in elements.
        dtype: Element type by name.
        order: Dimensions from outer to inner; contiguous when left out.
        bounded: Whether the sizes are upper bounds only.
        zeros: Whether it is a constant of zeros: indices that are in range wherever there is one.
    """

    sizes: tuple[int, ...]
    dtype: str = "float32"
    order: tuple[int, ...] | None = None
    bounded: bool = False
    zeros: bool = False


Item: TypeAlias = T | int | bool | float | None
Argument: TypeAlias = T | int | bool | float | str | list[Item] | None

#: Element types that changes try, and one more of them than any kernel takes.
DTYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool", "bfloat16")


@dataclass(frozen=True)
class KernelCall:
    """A call: the arguments in the order of the operator's schema, outs last."""

    operator: str
    args: tuple[Argument, ...]

    def program(self, *, returned: bool = False) -> BuiltProgram:
        """The program of one method that makes this call; each tensor has memory of its own.

        Args:
            returned: Whether the method returns what the call writes.
        """
        schema = operator_schema(self.operator)
        assert schema is not None, self.operator
        assert len(self.args) == len(schema.parameters), self.operator
        b = MethodBuilder("forward")
        values = [
            _value(b, argument, parameter)
            for argument, parameter in zip(self.args, schema.parameters, strict=True)
        ]
        outs = values[schema.inputs :] or values[:1]
        result = outs[0] if len(outs) == 1 else b.tensor_list(outs)
        b.kernel(self.operator, *values, result)
        if returned:
            b.output(*outs)
        return build_program(b)

    def with_argument(self, position: int, argument: Argument) -> KernelCall:
        """A copy with another argument."""
        args = list(self.args)
        args[position] = argument
        return replace(self, args=tuple(args))

    def changes(self) -> Iterator[tuple[str, KernelCall]]:
        """Calls with one thing changed, and what it was."""
        for position, argument in enumerate(self.args):
            for label, other in _changed(argument):
                yield f"argument {position} {label}", self.with_argument(position, other)


def _value(b: MethodBuilder, argument: Argument, parameter: Parameter) -> int:
    if isinstance(argument, list):
        return _list(b, argument, parameter)
    if isinstance(argument, T):
        if argument.zeros and not argument.bounded:
            nothing = bytes(tensor_bytes(argument.sizes, argument.dtype))
            return b.constant(nothing, argument.sizes, argument.dtype, dim_order=argument.order)
        new = b.tensor if parameter.is_out else b.input
        dynamism = 1 if argument.bounded else 0
        if argument.order is None:
            return new(argument.sizes, argument.dtype, dynamism=dynamism)
        return new(argument.sizes, argument.dtype, dim_order=argument.order, dynamism=dynamism)
    if argument is None:
        return b.null()
    if isinstance(argument, bool):
        return b.bool_value(argument)
    if isinstance(argument, int):
        return b.int_value(argument)
    return b.double_value(argument) if isinstance(argument, float) else b.string_value(argument)


def _list(b: MethodBuilder, items: list[Item], parameter: Parameter) -> int:
    if KernelTypes.OPTIONAL_TENSOR_LIST in parameter.accepted:
        return b.optional_list(
            None if item is None else _value(b, item, parameter) for item in items
        )
    if KernelTypes.TENSOR_LIST in parameter.accepted:
        return b.tensor_list(_value(b, item, parameter) for item in items)
    if KernelTypes.DOUBLE_LIST in parameter.accepted:
        return b.doubles(item for item in items if isinstance(item, float))
    if KernelTypes.BOOL_LIST in parameter.accepted:
        return b.bools(item for item in items if isinstance(item, bool))
    return b.ints(item for item in items if isinstance(item, int))


def _changed(argument: Argument) -> Iterator[tuple[str, Argument]]:
    if isinstance(argument, T):
        yield from _changed_tensor(argument)
    elif isinstance(argument, bool):
        yield f"= {not argument}", not argument
    elif isinstance(argument, int):
        for number in (argument + 1, argument - 1, -argument - 1, argument + 5):
            yield f"= {number}", number
    elif isinstance(argument, list):
        for n, item in enumerate(argument):
            for label, other in _changed(item):
                assert not isinstance(other, (str, list))
                yield f"item {n} {label}", [*argument[:n], other, *argument[n + 1 :]]
        if argument:
            yield "shortened", argument[:-1]
            yield "lengthened", [*argument, argument[-1]]


def _changed_tensor(tensor: T) -> Iterator[tuple[str, Argument]]:
    sizes = tensor.sizes
    shapes: list[tuple[int, ...]] = [(*sizes, 1), (1, *sizes)]
    if sizes:
        shapes += [sizes[1:], sizes[:-1], tuple(reversed(sizes))]
    for d, size in enumerate(sizes):
        for other in (size + 1, size - 1, 1, 0):
            if other >= 0:
                shapes.append((*sizes[:d], other, *sizes[d + 1 :]))
    for shape in dict.fromkeys(shapes):
        if shape != sizes:
            order = tensor.order if tensor.order and len(tensor.order) == len(shape) else None
            yield f"sizes {shape}", replace(tensor, sizes=shape, order=order)
    for dtype in DTYPES:
        if dtype != tensor.dtype:
            yield f"dtype {dtype}", replace(tensor, dtype=dtype)
    if len(sizes) in {2, 3, 4}:
        order = (0, *range(2, len(sizes)), 1) if len(sizes) > 2 else (1, 0)
        yield f"order {order}", replace(tensor, order=order)
