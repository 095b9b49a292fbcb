"""Random single calls: any element type, any order of each tensor, sizes that may change."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import torch
from pte_lint.schema.enums import KernelTypes

from measure.calls import known_calls, layouts, stored
from pte_lint.ops.schemas import operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.kernel_calls import Argument, Item, KernelCall, T

DTYPES = ("float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
Inputs = list[torch.Tensor]


def drawn_calls(count: int, seed: int) -> list[KernelCall]:
    """So many calls; the same for the same seed."""
    known = [call for _, call in known_calls()]
    # Operators of many forms would be nearly all there is.
    by_operator: dict[str, list[KernelCall]] = {}
    for call in known:
        by_operator.setdefault(call.operator, []).append(call)
    draw = random.Random(seed)
    operators = sorted(by_operator)
    return [_changed(draw, draw.choice(by_operator[draw.choice(operators)])) for _ in range(count)]


def _changed(draw: random.Random, call: KernelCall) -> KernelCall:
    if draw.random() < 0.4:
        other = draw.choice(DTYPES)
        call = _each(call, lambda t: replace(t, dtype=other) if t.dtype == "float32" else t)
    elif draw.random() < 0.1:
        call = _each(call, lambda t: replace(t, dtype=draw.choice(DTYPES)))
    way = draw.random()
    if way < 0.5:
        every = list(layouts(call))
        return draw.choice(every)[1] if every else call
    if way < 0.7:
        known: dict[int, tuple[int, ...]] = {}
        return _each(
            call, lambda t: replace(t, order=known.setdefault(len(t.sizes), _order(draw, t)))
        )
    return _each(call, lambda t: replace(t, order=_order(draw, t))) if way < 0.8 else call


def _order(draw: random.Random, tensor: T) -> tuple[int, ...]:
    order = list(range(len(tensor.sizes)))
    draw.shuffle(order)
    return tuple(order)


def _each(call: KernelCall, change: Any) -> KernelCall:
    def of(argument: Argument) -> Argument:
        if isinstance(argument, list):
            items: list[Item] = [change(i) if isinstance(i, T) else i for i in argument]
            return items
        return change(argument) if isinstance(argument, T) else argument  # type: ignore[no-any-return]

    return replace(call, args=tuple(map(of, call.args)))


def can_be_given(what: T) -> bool:
    """Whether callers give a tensor where sizes may change: it is in the default order."""
    return what.order is None or list(what.order) == sorted(what.order)


def otherwise(value: torch.Tensor, way: str, seed: int = 1) -> torch.Tensor:
    """An input in another of the ways of `single_calls.WAYS`."""
    if way in ("one", "less"):
        size = value.shape[0] if value.dim() else 0
        return value[: 1 if way == "one" else max(size - 1, 1)].clone() if size else value
    draw = torch.Generator().manual_seed(seed)
    if value.dtype.is_floating_point:
        return torch.randn(value.shape, generator=draw).to(value.dtype)
    if value.dtype == torch.bool or way == "falling":
        return value.flip(list(range(value.dim()))).clone()
    return value


def inputs_changed(call: KernelCall, values: list[Any], way: str) -> list[Any]:
    """The values of a call, those that callers give in another way."""
    schema = operator_schema(call.operator)
    assert schema is not None
    seeds = iter(range(len(way), 1000))

    def of(what: Item | str, value: Any) -> Any:
        is_given = isinstance(what, T) and value.numel() and can_be_given(what)
        return otherwise(value, way, next(seeds)) if is_given else value

    return [
        value if n >= schema.inputs
        else [of(i, v) for i, v in zip(what, value, strict=True)] if isinstance(what, list)
        else of(what, value)
        for n, (what, value) in enumerate(zip(call.args, values, strict=True))
    ]  # fmt: skip


class Writer:
    """Writes programs; where sizes may change, first tensors are inputs or copies of constants."""

    def __init__(self, bounded: bool) -> None:
        """`bounded`: whether sizes are upper bounds only."""
        self.b = MethodBuilder("forward")
        self.inputs: Inputs = []
        self._dynamism = 1 if bounded else 0

    def new(self, what: T) -> int:
        """A tensor that a call writes."""
        dynamism = 1 if what.bounded else self._dynamism
        return self.b.tensor(what.sizes, what.dtype, dim_order=what.order, dynamism=dynamism)

    def given(self, what: T, value: torch.Tensor, fixed: bool = False) -> int:
        """A tensor that holds a value; a constant where it is fixed, or sizes do not change."""
        if not value.numel():
            return self.new(what)
        if self._dynamism and can_be_given(what) and not fixed:
            self.inputs.append(value)
            return self.b.input(what.sizes, what.dtype, dynamism=1)
        data = stored(value, what.order)
        v = self.b.constant(data, what.sizes, what.dtype, dim_order=what.order)
        if self._dynamism and not fixed:
            copy = self.new(what)
            name = "dim_order_ops::_clone_dim_order.out"
            order = self.b.ints(what.order or ())
            self.b.kernel(name, v, self.b.bool_value(False), order, copy, copy)
            v = copy
        return v

    def number(self, what: Any) -> int:
        """An argument that is no tensor."""
        if what is None:
            return self.b.null()
        if isinstance(what, bool):
            return self.b.bool_value(what)
        if isinstance(what, int):
            return self.b.int_value(what)
        return self.b.string_value(what) if isinstance(what, str) else self.b.double_value(what)

    def numbers(self, what: list[Any], accepted: frozenset[KernelTypes]) -> int:
        """A list of numbers."""
        if any(isinstance(item, float) for item in what):
            return self.b.doubles(what)
        return self.b.bools(what) if KernelTypes.BOOL_LIST in accepted else self.b.ints(what)

    def done(self) -> bytes:
        """The program."""
        return build_program(self.b).bytes()


def call_program(call: KernelCall, values: list[Any], bounded: bool) -> tuple[bytes, Inputs]:
    """A program that makes the call, and what it is to be given."""
    schema = operator_schema(call.operator)
    assert schema is not None
    w = Writer(bounded)
    returned: list[int] = []

    def written(what: T) -> int:
        returned.append(w.new(what))
        return returned[-1]

    def argument(n: int) -> int:
        what, value, accepted = call.args[n], values[n], schema.parameters[n].accepted
        if isinstance(what, T):
            return written(what) if n >= schema.inputs else w.given(what, value)
        if not isinstance(what, list):
            return w.number(what)
        if KernelTypes.OPTIONAL_TENSOR_LIST in accepted:
            return w.b.optional_list(
                w.given(i, v) if isinstance(i, T) else None
                for i, v in zip(what, value, strict=True)
            )
        if KernelTypes.TENSOR_LIST in accepted:
            pairs = [(i, v) for i, v in zip(what, value, strict=True) if isinstance(i, T)]
            return w.b.tensor_list(
                [written(i) if n >= schema.inputs else w.given(i, v) for i, v in pairs]
            )
        return w.numbers(what, accepted)

    args = [argument(n) for n in range(len(call.args))]
    outs = args[schema.inputs :] or args[:1]
    if not returned:
        returned.append(args[0])
    w.b.kernel(call.operator, *args, outs[0] if len(outs) == 1 else w.b.tensor_list(outs))
    w.b.output(*returned)
    return w.done(), w.inputs
