"""Random programs of several calls of many operators, each on results of any of those before."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import torch

from measure.calls import filled, reference
from measure.drawn import Inputs, Writer, can_be_given, otherwise
from pte_lint.ops.schemas import operator_schema
from tests.support.kernel_calls import KernelCall, T

Sizes = tuple[int, ...]
Source = dict[int, int]
"""For positions of a call's arguments, which value stands there (in all places of a list)."""

_LAST = (0, 2, 3, 1)
_FIRST: tuple[Sizes, ...] = (
    (2, 3, 4, 5), (1, 4, 4, 4), (2, 1, 3, 4), (2, 4, 1, 1), (1, 8, 2, 2),
    (3, 4), (2, 3, 4), (2, 4, 2, 3, 2),
)  # fmt: skip


@dataclass
class Graph:
    """Calls and where their tensors come from; value 0 is given, each call makes the next."""

    values: list[T]
    calls: list[tuple[KernelCall, Source]] = field(default_factory=list)


def graph(seed: int) -> Graph:
    """Two to six calls."""
    draw = random.Random(seed)
    sizes = draw.choice(_FIRST)
    dtype = draw.choice(("float32",) * 6 + ("float64", "float16", "int32", "int64"))
    made = Graph([T(sizes, dtype, _order(draw, sizes))])
    wanted = draw.randint(2, 6)
    while len(made.calls) < wanted:
        at = len(made.values) - 1 if draw.random() < 0.8 else draw.randrange(len(made.values))
        call = _Next(draw, made, at).call()
        if call is not None:
            made.calls.append(call)
            out = call[0].args[-1]
            assert isinstance(out, T)
            made.values.append(out)
    return made


def _order(draw: random.Random, sizes: Sizes) -> tuple[int, ...] | None:
    way = draw.random()
    if way < 0.35:
        return None
    if len(sizes) == 4 and way < 0.9:
        return _LAST
    order = list(range(len(sizes)))
    draw.shuffle(order)
    return tuple(order)


class _Next:
    """Draws one call on a value."""

    def __init__(self, draw: random.Random, known: Graph, at: int) -> None:
        self.draw, self.known, self.at = draw, known, at
        self.x = known.values[at]
        self.sizes, self.rank = self.x.sizes, len(self.x.sizes)
        self.d = draw.randrange(max(self.rank, 1))

    def call(self) -> tuple[KernelCall, Source] | None:
        """The call; None where this operator does not take this tensor."""
        kind = self.draw.choice(
            (self.unary, self.unary, self.binary, self.binary, self.moved, self.moved, self.moved,
             self.along, self.reduced, self.image, self.mixed)
        )  # fmt: skip
        if not self.rank and kind not in (self.unary, self.binary):
            return None
        found: tuple[str, list[Any], Source] | None = kind()
        if found is None:
            return None
        name, args, source = found
        return KernelCall(name if "::" in name else f"aten::{name}", tuple(args)), source

    def out(self, sizes: Sizes | None = None, dtype: str = "") -> T:
        """What is written: mostly in the order of the input."""
        sizes = self.sizes if sizes is None else sizes
        order = self.x.order if len(sizes) == self.rank else None
        if self.draw.random() < 0.1:
            order = _order(self.draw, sizes)
        return T(sizes, dtype or self.x.dtype, order)

    def with_(self, size: int) -> Sizes:
        """The sizes with another one along the dimension that was drawn."""
        return tuple(size if at == self.d else s for at, s in enumerate(self.sizes))

    def unary(self) -> Any:
        name = self.draw.choice(
            ("neg", "exp", "relu", "sigmoid", "abs", "tanh", "sqrt", "sin", "rsqrt", "floor", "log")
        )
        return f"{name}.out", [self.x, self.out()], {0: self.at}

    def binary(self) -> Any:
        same = [n for n, t in enumerate(self.known.values)
                if t.sizes == self.sizes and t.dtype == self.x.dtype]  # fmt: skip
        source = {0: self.at}
        if self.draw.random() < 0.5:
            at = self.draw.choice(same)
            other, source = self.known.values[at], {0: self.at, 1: at}
        else:
            sizes = tuple(1 if self.draw.random() < 0.5 else s for s in self.sizes)
            other = T(sizes, self.x.dtype, self.x.order)
        name = self.draw.choice(
            ("add.out", "sub.out", "mul.out", "div.out", "maximum.out", "minimum.out", "atan2.out")
        )
        alpha = [1] if name in ("add.out", "sub.out") else []
        return name, [self.x, other, *alpha, self.out()], source

    def moved(self) -> Any:
        x, d, n = self.x, self.d, self.sizes[self.d] if self.sizes else 1
        dims = list(range(self.rank))
        self.draw.shuffle(dims)
        permuted = tuple(self.sizes[i] for i in dims)
        options: list[tuple[str, list[Any]]] = [
            ("permute_copy.out", [x, dims, self.out(permuted)]),
            ("flip.out", [x, sorted(dims[: self.draw.randint(1, self.rank)]), self.out()]),
            ("roll.out", [x, [self.draw.randint(-2, 2)], [d], self.out()]),
            (
                "slice_copy.Tensor_out",
                [x, d, 0, max(n - 1, 1), 1, self.out(self.with_(max(n - 1, 1)))],
            ),
            ("slice_copy.Tensor_out", [x, d, n // 2, n, 1, self.out(self.with_(n - n // 2))]),
            ("cat.out", [[x, x], d, self.out(self.with_(2 * n))]),
            (
                "view_copy.out",
                [x, [self.sizes[0], -1], self.out((self.sizes[0], _rest(self.sizes)))],
            ),
            ("unsqueeze_copy.out", [x, d, self.out((*self.sizes[:d], 1, *self.sizes[d:]))]),
            (
                "select_copy.int_out",
                [x, d, n - 1, self.out((*self.sizes[:d], *self.sizes[d + 1 :]))],
            ),
            ("expand_copy.out", [x, list(self.sizes), False, self.out()]),
            (
                "constant_pad_nd.out",
                [x, [1, 0], 0.5, self.out((*self.sizes[:-1], self.sizes[-1] + 1))],
            ),
            ("narrow_copy.out", [x, d, 0, max(n - 1, 1), self.out(self.with_(max(n - 1, 1)))]),
            ("clone.out", [x, None, self.out()]),
        ]
        if self.rank in (4, 5):
            target = self.draw.choice((tuple(range(self.rank)), (0, *range(2, self.rank), 1)))
            options += [("dim_order_ops::_to_dim_order_copy.out",
                         [x, False, list(target), T(self.sizes, x.dtype, target)])] * 3  # fmt: skip
        if self.rank == 5 or self.rank < 2:
            options = [o for o in options if o[0] not in ("unsqueeze_copy.out", "view_copy.out")]
        name, args = self.draw.choice(options)
        return name, args, {0: self.at}

    def along(self) -> Any:
        x, d, n = self.x, self.d, self.sizes[self.d] if self.sizes else 1
        index = T(self.sizes, "int64", x.order, zeros=True)
        options: list[tuple[str, list[Any]]] = [
            ("cumsum.out", [x, d, None, self.out()]),
            ("_softmax.out", [x, d, False, self.out()]),
            ("_log_softmax.out", [x, d, False, self.out()]),
            ("gather.out", [x, d, index, False, self.out()]),
            ("index_select.out", [x, d, T((2,), "int64", zeros=True), self.out(self.with_(2))]),
            (
                "select_scatter.out",
                [x, T((*self.sizes[:d], *self.sizes[d + 1 :]), x.dtype), d, 0, self.out()],
            ),
            ("scatter.value_out", [x, d, index, 1, self.out()]),
        ]
        if n % 2 == 0:
            options.append(("glu.out", [x, d, self.out(self.with_(n // 2))]))
        name, args = self.draw.choice(options)
        return name, args, {0: self.at}

    def reduced(self) -> Any:
        x, kept = self.x, self.draw.random() < 0.5
        dims = sorted(self.draw.sample(range(self.rank), self.draw.randint(1, self.rank)))
        sizes = tuple(1 if d in dims else s for d, s in enumerate(self.sizes))
        if not kept:
            sizes = tuple(s for d, s in enumerate(self.sizes) if d not in dims)
        if not sizes:
            return None
        options: list[tuple[str, list[Any]]] = [
            ("amax.out", [x, dims, kept, self.out(sizes)]),
            ("amin.out", [x, dims, kept, self.out(sizes)]),
            ("sum.IntList_out", [x, dims, kept, None, self.out(sizes)]),
            ("mean.out", [x, dims, kept, None, self.out(sizes)]),
            ("var.correction_out", [x, dims, 0, kept, self.out(sizes)]),
        ]
        if len(dims) == 1:
            options += [
                ("prod.int_out", [x, dims[0], kept, None, self.out(sizes)]),
                ("argmax.out", [x, dims[0], kept, self.out(sizes, "int64")]),
            ]
        name, args = self.draw.choice(options)
        return name, args, {0: self.at}

    def image(self) -> Any:
        if self.rank != 4 or "float" not in self.x.dtype:
            return None
        x, dtype = self.x, self.x.dtype
        n, c, h, w = self.sizes
        weight = T((2, c, 1, 1), dtype, self.draw.choice((None, x.order)))
        deep = T((c, 1, 3, 3), dtype, x.order)
        plain, padded = ([[1, 1], [size] * 2, [1, 1], False, [0, 0]] for size in (0, 1))
        halves = (n, c, h // 2, w // 2)
        twice = (n, c, 2 * h, 2 * w)
        pads = [1, 1, 0, 1]
        options: list[tuple[str, list[Any]]] = [
            ("convolution.out", [x, weight, T((2,), dtype), *plain, 1, self.out((n, 2, h, w))]),
            ("convolution.out", [x, deep, None, *padded, c, self.out()]),
            ("upsample_nearest2d.vec_out", [x, None, [2.0, 2.0], self.out(twice)]),
            ("upsample_bilinear2d.vec_out", [x, [2 * h, 2 * w], False, None, self.out(twice)]),
            ("replication_pad2d.out", [x, pads, self.out((n, c, h + 1, w + 2))]),
            ("_adaptive_avg_pool2d.out", [x, [1, 1], self.out((n, c, 1, 1))]),
        ]  # fmt: skip
        if h > 1 and w > 1:
            options += [
                (
                    "avg_pool2d.out",
                    [x, [2, 2], [2, 2], [0, 0], False, True, None, self.out(halves)],
                ),
            ]
        if c % 4 == 0:
            options.append(("pixel_shuffle.out", [x, 2, self.out((n, c // 4, 2 * h, 2 * w))]))
        if h % 2 == w % 2 == 0:
            options.append(("pixel_unshuffle.out", [x, 2, self.out((n, 4 * c, h // 2, w // 2))]))
        name, args = self.draw.choice(options)
        return name, args, {0: self.at}

    def mixed(self) -> Any:
        x, last = self.x, self.sizes[-1] if self.sizes else 1
        mask = T(self.sizes, "bool", x.order)
        options: list[tuple[str, list[Any]]] = [
            ("where.self_out", [mask, x, x, self.out()]),
            ("hardtanh.out", [x, 0.25, 0.75, self.out()]),
            ("clamp.out", [x, 0.25, 0.75, self.out()]),
            ("add.Scalar_out", [x, 0.5, 1, self.out()]),
            ("mul.Scalar_out", [x, 0.5, self.out()]),
            ("gelu.out", [x, "none", self.out()]),
            ("masked_fill.Scalar_out", [x, mask, 0.5, self.out()]),
            ("linear.out", [x, T((3, last), x.dtype), None, self.out((*self.sizes[:-1], 3))]),
        ]  # fmt: skip
        name, args = self.draw.choice(options)
        return name, args, {1 if name == "where.self_out" else 0: self.at}


def _rest(sizes: Sizes) -> int:
    count = 1
    for size in sizes[1:]:
        count *= size
    return count


def graph_program(
    made: Graph, seed: int, bounded: bool, way: str = ""
) -> tuple[bytes, Inputs, list[torch.Tensor]]:
    """The program, which returns the last result, what it is given, and PyTorch's result.

    Raises:
        RuntimeError: PyTorch refuses a call.
    """
    w = Writer(bounded)
    first = filled(KernelCall("aten::neg.out", (made.values[0], made.values[0])), seed)[0]
    if way and can_be_given(made.values[0]):
        first = otherwise(first, way, len(way))
    values, known = [w.given(made.values[0], first)], [first]
    for n, (call, source) in enumerate(made.calls):
        schema = operator_schema(call.operator)
        assert schema is not None
        drawn, args = filled(call, seed + n), []
        for position, what in enumerate(call.args):
            tensors = what if isinstance(what, list) and what and isinstance(what[0], T) else None
            if position >= schema.inputs:
                assert isinstance(what, T)
                args.append(w.new(what))
            elif position in source:
                v = source[position]
                drawn[position] = [known[v]] * len(tensors) if tensors else known[v]
                args.append(w.b.tensor_list([values[v]] * len(tensors)) if tensors else values[v])
            elif isinstance(what, T):
                args.append(w.given(what, drawn[position], fixed=True))
            elif isinstance(what, list):
                args.append(w.numbers(what, schema.parameters[position].accepted))
            else:
                args.append(w.number(what))
        known.append(reference(call, drawn)[0])
        w.b.kernel(call.operator, *args, args[-1])
        values.append(args[-1])
    w.b.output(values[-1])
    return w.done(), w.inputs, [known[-1]]
