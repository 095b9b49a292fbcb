"""Single calls in every layout: the programs, their data, and what PyTorch makes of them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from pte_lint.schema.enums import KernelTypes

from pte_lint.harness.reference.operators import expected
from pte_lint.ops.schemas import operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.kernels.bases import bases
from tests.support.kernel_calls import Argument, KernelCall, T

_IMAGE = T((2, 3, 4, 5))

LARGER: tuple[KernelCall, ...] = (
    *(KernelCall("aten::cat.out", ([_IMAGE, _IMAGE], d, T(s))) for d, s in (
        (0, (4, 3, 4, 5)), (1, (2, 6, 4, 5)), (2, (2, 3, 8, 5)), (3, (2, 3, 4, 10)))),
    *(KernelCall("aten::flip.out", (_IMAGE, dims, _IMAGE)) for dims in (
        [0], [1], [2, 3], [1, 2, 3], [0, 1, 2, 3])),
    *(KernelCall("aten::roll.out", (_IMAGE, [1], [d], _IMAGE)) for d in (0, 1, 3)),
    *(KernelCall(f"aten::{n}.out", (_IMAGE, d, False, _IMAGE)) for d in (0, 1, 3)
      for n in ("_softmax", "_log_softmax")),
    *(KernelCall("aten::cumsum.out", (_IMAGE, d, None, _IMAGE)) for d in (0, 1, 3)),
    *(KernelCall("aten::slice_copy.Tensor_out", (_IMAGE, d, 0, 1, 1, T(s))) for d, s in (
        (0, (1, 3, 4, 5)), (1, (2, 1, 4, 5)), (2, (2, 3, 1, 5)))),
    *(KernelCall("aten::unsqueeze_copy.out", (_IMAGE, d, T(s))) for d, s in (
        (0, (1, 2, 3, 4, 5)), (1, (2, 1, 3, 4, 5)), (4, (2, 3, 4, 5, 1)))),
    *(KernelCall("aten::permute_copy.out", (_IMAGE, d, T(s))) for d, s in (
        ([0, 2, 3, 1], (2, 4, 5, 3)), ([1, 0, 2, 3], (3, 2, 4, 5)), ([0, 1, 2, 3], (2, 3, 4, 5)))),
    *(KernelCall("aten::constant_pad_nd.out", (_IMAGE, p, 1.5, T(s))) for p, s in (
        ([1, 2], (2, 3, 4, 8)), ([0, 0, 0, 0, 0, 0, 1, 0], (3, 3, 4, 5)))),
    *(KernelCall("aten::native_layer_norm.out", (
        _IMAGE, [3, 4, 5], *w, 1e-5, _IMAGE, T((2, 1, 1, 1)), T((2, 1, 1, 1)))) for w in (
        (None, None), (T((3, 4, 5)), T((3, 4, 5))))),
    *(KernelCall(f"aten::{n}.out", (_IMAGE, T(s), *a, _IMAGE)) for n, a in (
        ("add", (1,)), ("sub", (1,)), ("mul", ()), ("div", ()), ("maximum", ()), ("atan2", ()))
      for s in ((1, 3, 1, 1), (2, 1, 4, 5), (1, 1, 1, 1), (2, 1, 1, 1), (2, 3, 4, 5))),
    *(KernelCall("aten::gather.out", (_IMAGE, d, T((2, 2, 3, 2), "int64", zeros=True), False,
                                      T((2, 2, 3, 2)))) for d in (0, 1, 3)),
    *(KernelCall("aten::scatter.value_out", (_IMAGE, d, T((2, 2, 3, 2), "int64", zeros=True), 1.5,
                                             _IMAGE)) for d in (0, 1, 3)),
    *(KernelCall("aten::topk.values", (_IMAGE, 2, d, True, True, T(s), T(s, "int64")))
      for d, s in ((0, (2, 3, 4, 5)), (1, (2, 2, 4, 5)), (3, (2, 3, 4, 2)))),
)  # fmt: skip
"""Dimensions inside and outside of what channels-last permutes."""


def layouts(call: KernelCall) -> Iterator[tuple[str, KernelCall]]:
    """The call with its tensors in other dimension orders."""
    schema = operator_schema(call.operator)
    assert schema is not None
    for kind in ("channels-last", "reversed", "last two"):
        for inputs in ("all", "first", "rest", "none"):
            for outs in (True, False):
                if inputs == "none" and not outs:
                    continue
                other, seen = list(call.args), 0
                for position, argument in enumerate(call.args):
                    is_out = position >= schema.inputs
                    chosen = inputs == "all" or (inputs == "first") == (seen == 0)
                    if outs if is_out else chosen and inputs != "none":
                        other[position] = _ordered(argument, kind)
                    if not is_out and isinstance(argument, T | list):
                        seen += 1
                changed = replace(call, args=tuple(other))
                if changed != call:
                    yield f"{kind}, inputs {inputs}, outputs {'too' if outs else 'not'}", changed


def _ordered(argument: Argument, kind: str) -> Argument:
    if isinstance(argument, list):
        return [_of_kind(item, kind) if isinstance(item, T) else item for item in argument]
    return _of_kind(argument, kind) if isinstance(argument, T) else argument


def _of_kind(tensor: T, kind: str) -> T:
    rank = len(tensor.sizes)
    order = tuple(range(rank))
    if kind == "channels-last" and rank in (4, 5):
        order = (0, *range(2, rank), 1)
    elif kind == "reversed":
        order = tuple(reversed(range(rank)))
    elif kind == "last two" and rank > 1:
        order = (*range(rank - 2), rank - 1, rank - 2)
    return replace(tensor, order=order)


_LEFT_OPEN = frozenset(
    {
        "aten::empty.out", "aten::native_dropout.out", "aten::rand.out", "aten::randn.out",
        "dim_order_ops::_empty_dim_order.out",
    }
)  # fmt: skip
"""Operators whose result nobody promises."""


def known_calls() -> Iterator[tuple[str, KernelCall]]:
    """Calls that work, of all operators whose result can be compared."""
    for name, call in bases():
        if call.operator not in _LEFT_OPEN:
            yield name, call
    for n, call in enumerate(LARGER):
        yield f"{call.operator} {n}", call


def every_call() -> Iterator[tuple[str, KernelCall]]:
    """All of them, each in every layout; as it is first."""
    for name, call in known_calls():
        yield f"{name}, as it is", call
        for label, other in layouts(call):
            yield f"{name}, {label}", other


_YES_OR_NO = frozenset({"any", "eq", "logical_and", "logical_or", "logical_xor", "ne",
                         "nonzero"})  # fmt: skip
"""Operators to which numbers that are all different look the same."""

# -- data -------------------------------------------------------------------------------------


def filled(call: KernelCall, seed: int) -> list[Any]:
    """Tensors for the arguments, contiguous, and numbers as they are; outputs are new tensors."""
    draw = torch.Generator().manual_seed(seed)
    if call.operator.partition("::")[2].partition(".")[0] in _YES_OR_NO:
        return [
            (torch.rand(a.sizes, generator=draw) < 0.25).to(getattr(torch, a.dtype))
            if isinstance(a, T)
            else a
            for a in call.args
        ]
    first = next((a for a in call.args if isinstance(a, T)), None)
    least = min(first.sizes, default=1) if first is not None else 1
    return [
        [_tensor(i, draw, least) if isinstance(i, T) else i for i in a]
        if isinstance(a, list)
        else _tensor(a, draw, least) if isinstance(a, T) else a
        for a in call.args
    ]  # fmt: skip


def _tensor(what: T, draw: torch.Generator, least: int) -> torch.Tensor:
    dtype = getattr(torch, what.dtype)
    if what.zeros:
        return torch.randint(0, max(least, 1), what.sizes, generator=draw).to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        # Positive and apart from each other: logarithms and comparisons tell elements apart.
        count = math.prod(what.sizes)
        values = torch.randperm(max(count, 1), generator=draw)[:count].reshape(what.sizes)
        return ((values + 1.0) / (count + 1)).to(dtype)
    top = 2 if what.dtype == "bool" else 7
    return torch.randint(0 if top == 2 else 1, top, what.sizes, generator=draw).to(dtype)


def stored(tensor: torch.Tensor, order: tuple[int, ...] | None) -> bytes:
    """The bytes of a tensor whose dimensions lie in an order."""
    laid = tensor.permute(order) if order is not None else tensor
    flat = laid.contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def program(call: KernelCall, values: list[Any]) -> bytes:
    """A program that makes the call with these values and returns what it writes."""
    schema = operator_schema(call.operator)
    assert schema is not None
    b = MethodBuilder("forward")

    def of(what: Argument, value: Any) -> int:
        if isinstance(what, T):
            if not value.numel():
                return b.tensor(what.sizes, what.dtype, dim_order=what.order)
            data = stored(value, what.order)
            return b.constant(data, what.sizes, what.dtype, dim_order=what.order)
        return b.null() if what is None else b.double_value(float(value))

    returned: list[int] = []

    def new(what: T) -> int:
        returned.append(b.tensor(what.sizes, what.dtype, dim_order=what.order))
        return returned[-1]

    def argument(n: int) -> int:
        what, value, accepted = call.args[n], values[n], schema.parameters[n].accepted
        if n >= schema.inputs and isinstance(what, T):
            return new(what)
        if isinstance(what, list):
            if KernelTypes.OPTIONAL_TENSOR_LIST in accepted:
                return b.optional_list(
                    None if i is None else of(i, v) for i, v in zip(what, value, strict=True)
                )
            if KernelTypes.TENSOR_LIST in accepted:
                if n >= schema.inputs:
                    return b.tensor_list([new(i) for i in what if isinstance(i, T)])
                return b.tensor_list(of(i, v) for i, v in zip(what, value, strict=True))
            return b.bools(what) if KernelTypes.BOOL_LIST in accepted else b.ints(what)
        if isinstance(what, bool):
            return b.bool_value(what)
        if isinstance(what, int):
            return b.int_value(what)
        return b.string_value(what) if isinstance(what, str) else of(what, value)

    args = [argument(n) for n in range(len(call.args))]
    outs = args[schema.inputs :]
    b.kernel(call.operator, *args, outs[0] if len(outs) == 1 else b.tensor_list(outs))
    b.output(*returned)
    return build_program(b).bytes()


def reference(call: KernelCall, values: list[Any]) -> list[torch.Tensor]:
    """What PyTorch's operator of that name writes.

    Raises:
        RuntimeError: it refuses the arguments, or there is none.
        NoDefinition: it is an operator of ExecuTorch alone.
    """
    space, _, rest = call.operator.partition("::")
    name, _, overload = rest.partition(".")
    if space == "dim_order_ops":
        return [values[0].to(values[-1].dtype)]
    schema = operator_schema(call.operator)
    assert schema is not None
    if space != "aten":
        return expected(call.operator, values[: schema.inputs], values[schema.inputs :])
    function = getattr(getattr(getattr(torch.ops, space), name), overload)
    names = list(function._schema.arguments)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument, value in zip(names, values, strict=False):
        kind = str(argument.type)
        if argument.is_out:
            empty = (
                [torch.zeros(v.shape, dtype=v.dtype) for v in value]
                if isinstance(value, list)
                else torch.zeros(value.shape, dtype=value.dtype)
            )
            named[argument.name] = empty
        elif argument.kwarg_only:
            named[argument.name] = _converted(kind, value)
        else:
            positional.append(_converted(kind, value))
    function(*positional, **named)
    outs: list[torch.Tensor] = []
    for argument in names:
        if argument.is_out:
            made = named[argument.name]
            outs += made if isinstance(made, list) else [made]
    # What has no outputs of its own has written its first argument.
    return outs or positional[:1]


def _converted(kind: str, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and argument_is_type(kind):
        return {6: torch.float32, 7: torch.float64, 4: torch.int64}.get(value, torch.float32)
    return None if kind.startswith("Optional[int]") and value is None else value


def argument_is_type(kind: str) -> bool:
    """Whether an argument is an element type."""
    return "ScalarType" in kind or "dtype" in kind


def shuffled(count: int, seed: int) -> list[tuple[str, KernelCall]]:
    """So many of all calls, drawn; each at most once."""
    known = list(every_call())
    random.Random(seed).shuffle(known)
    return known[:count]
