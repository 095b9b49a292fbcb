"""Random programs of several calls, each on the result of the one before."""

from __future__ import annotations

import random
from typing import Any

import torch

from measure.calls import filled, reference, stored
from pte_lint.ops.schemas import operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.kernel_calls import Argument, KernelCall, T

LAST = (0, 2, 3, 1)
Sizes = tuple[int, ...]


def chain(seed: int) -> list[KernelCall]:
    """Two to five calls on images; the first tensor of each is the output of the one before."""
    draw = random.Random(seed)
    sizes: Sizes = draw.choice(((2, 3, 4, 5), (1, 3, 4, 4), (2, 1, 3, 4), (2, 4, 1, 1)))
    order = draw.choice((None, LAST, LAST))
    calls = []
    for _ in range(draw.randint(2, 5)):
        call = _next(draw, T(sizes, order=order))
        out = call.args[-1]
        assert isinstance(out, T)
        calls.append(call)
        sizes, order = out.sizes, out.order
    return calls


def _next(draw: random.Random, x: T) -> KernelCall:
    """A call with an output of four dimensions, mostly in the order of its input."""
    order = x.order if draw.random() < 0.9 else draw.choice((None, LAST))
    d = draw.randrange(4)
    n, c, h, w = x.sizes

    def out(sizes: Sizes = x.sizes) -> T:
        return T(sizes, order=order)

    grown = tuple(2 * size if at == d else size for at, size in enumerate(x.sizes))
    cut = tuple(max(size - 1, 1) if at == d else size for at, size in enumerate(x.sizes))
    flat = tuple(1 if at == d else size for at, size in enumerate(x.sizes))
    scale = T((1, c, 1, 1), order=x.order)
    options: list[tuple[str, tuple[Argument, ...]]] = [
        ("neg.out", (x, out())),
        ("exp.out", (x, out())),
        ("add.out", (x, x, 1, out())),
        ("mul.out", (x, scale, out())),
        ("maximum.out", (x, T((n, 1, h, w), order=x.order), out())),
        ("flip.out", (x, [d], out())),
        ("roll.out", (x, [1], [d], out())),
        ("cat.out", ([x, x], d, out(grown))),
        ("slice_copy.Tensor_out", (x, d, 0, cut[d], 1, out(cut))),
        ("cumsum.out", (x, d, None, out())),
        ("_log_softmax.out", (x, d, False, out())),
        ("amax.out", (x, [d], True, out(flat))),
        ("permute_copy.out", (x, [0, 1, 3, 2], out((n, c, w, h)))),
        ("constant_pad_nd.out", (x, [1, 0], 0.5, out((n, c, h, w + 1)))),
    ]
    name, args = draw.choice(options)
    return KernelCall(f"aten::{name}", args)


def chain_program(calls: list[KernelCall], seed: int) -> tuple[bytes, list[torch.Tensor]]:
    """The program, which returns the last result, and what PyTorch makes of the same numbers.

    Raises:
        RuntimeError: PyTorch refuses a call.
    """
    b = MethodBuilder("forward")
    value, known = -1, torch.empty(0)
    for n, call in enumerate(calls):
        schema = operator_schema(call.operator)
        assert schema is not None
        values = filled(call, seed + n)
        args: list[int] = []
        for position, (what, drawn) in enumerate(zip(call.args, values, strict=True)):
            if position >= schema.inputs:
                assert isinstance(what, T)
                args.append(b.tensor(what.sizes, what.dtype, dim_order=what.order))
            elif isinstance(what, list) and isinstance(what[0], T):
                if n == 0:
                    value, known = _constant(b, what[0], drawn[0]), drawn[0]
                values[position] = [known] * len(what)
                args.append(b.tensor_list([value] * len(what)))
            elif isinstance(what, T) and (position == 0 or what == call.args[0]):
                if n == 0 and position == 0:
                    value, known = _constant(b, what, drawn), drawn
                values[position] = known
                args.append(value)
            else:
                args.append(_other(b, what, drawn))
        known = reference(call, values)[0]
        value = args[-1]
        b.kernel(call.operator, *args, value)
    b.output(value)
    return build_program(b).bytes(), [known]


def _constant(b: MethodBuilder, what: T, value: torch.Tensor) -> int:
    data = stored(value, what.order)
    return b.constant(data, what.sizes, what.dtype, dim_order=what.order)


def _other(b: MethodBuilder, what: Argument, value: Any) -> int:
    if isinstance(what, T):
        return _constant(b, what, value)
    if what is None:
        return b.null()
    if isinstance(what, list):
        return b.ints([item for item in what if isinstance(item, int)])
    if isinstance(what, bool):
        return b.bool_value(what)
    return b.int_value(what) if isinstance(what, int) else b.double_value(float(value))
