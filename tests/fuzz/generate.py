"""Generated seeds: small random programs that are right by construction, and run.

Common operators, device and host delegates between boundary copies, branches, loops, several
methods, mutable state, external data, lists, symbolic sizes. Half of the straight-line methods have
a tight memory plan, in which tensors take the places of dead ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from random import Random

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.pack import pack
from tests.fuzz.subject import Seed

_SHAPES = ((4,), (2, 3), (3, 4), (1, 8), (2, 2, 3), ())
_UNARY = (
    "aten::relu.out", "aten::sigmoid.out", "aten::tanh.out", "aten::neg.out", "aten::abs.out",
    "aten::exp.out", "aten::cos.out", "aten::floor.out", "aten::sqrt.out",
)  # fmt: skip
_BINARY = ("aten::mul.out", "aten::div.out", "aten::maximum.out", "aten::minimum.out")
_BACKENDS = ("SomeBackend", "CudaBackend", "OtherBackend")


def generated_seeds(stream: int, count: int) -> Iterator[Seed]:
    """Random programs; the same numbers always give the same ones."""
    for number in range(count):
        yield generated(Random(f"seed/{stream}/{number}"), f"generated/{stream}-{number}")


def generated(rng: Random, name: str) -> Seed:
    """One random program."""
    external: dict[str, DataTensor] = {}
    wanted = rng.choices((1, 2, 3), (75, 18, 7))[0]
    methods = []
    for number in range(wanted):
        method = MethodBuilder("forward" if not number else f"method{number}")
        _Writer(rng, method, external, has_data=rng.random() < 0.15).write()
        methods.append(method)
    named = {"key": b"named bytes"} if rng.random() < 0.1 else None
    data = (build_data(external).bytes(),) if external else ()
    return Seed(name, build_program(*methods, named_data=named).bytes(), data)


class _Writer:
    """Writes one method: a pool of host tensors that grows, and pieces of code that use it."""

    def __init__(
        self, rng: Random, method: MethodBuilder, external: dict[str, DataTensor], has_data: bool
    ) -> None:
        self.rng = rng
        self.b = method
        self.external = external
        self.has_data = has_data
        self.pool: list[int] = []
        self.from_file: list[int] = []
        self.bound: set[int] = set()
        self.straight = True
        self.delegates = 0

    def write(self) -> None:
        rng, b = self.rng, self.b
        shape = rng.choice(_SHAPES)
        planned = rng.random() < 0.75
        for _ in range(rng.randint(1, 3)):
            self.pool.append(b.input(shape, planned=planned))
        if rng.random() < 0.25:
            b.takes(rng.choice([b.int_value(3), b.bool_value(True), b.double_value(0.5), b.null()]))
        state = b.state(shape, initial=self._numbers(shape) if rng.random() < 0.5 else None) \
            if rng.random() < 0.3 else None  # fmt: skip
        if state is not None:
            self.pool.append(state)
        pieces = [self.unary, self.binary, self.add, self.constant, self.reshape, self.joined,
                  self.device, self.device, self.host_delegate, self.branch, self.loop,
                  self.sizes, self.reduced, self.part]  # fmt: skip
        if self.has_data:
            pieces += [self.from_data] * 6
        for _ in range(rng.randint(2, 7)):
            rng.choice(pieces)()
        if state is not None:
            self._update(state)
        self._finish(planned)

    def _finish(self, planned: bool) -> None:
        rng, b = self.rng, self.b
        # Callers give memory to outputs that are not planned, external constants among them.
        barred = {*b.inputs, *self.from_file}
        made = [v for v in self.pool if v not in barred] or [b.add(self.pool[0], self.pool[0])]
        outputs = rng.sample(made, min(len(made), rng.randint(1, 2)))
        if made[-1] not in outputs:
            outputs.append(made[-1])
        # Memory that a caller gives for what a move has bound becomes that of a branch (PTE138).
        copied = [
            b.call("aten::relu.out", v, out=b.sizes_of(v)) if v in self.bound else v
            for v in outputs
        ]
        b.output(*copied)
        if rng.random() < 0.15:
            b.output(rng.choice([b.int_value(7), b.null(), b.bool_value(False)]))
        if self.straight and rng.random() < 0.5:
            pack(b)

    def _numbers(self, shape: tuple[int, ...]) -> list[float]:
        return [self.rng.randint(1, 9) / 2 for _ in range(prod(shape))]

    def _one(self) -> int:
        return self.rng.choice(self.pool)

    def _pair(self) -> tuple[int, int]:
        one = self._one()
        alike = [v for v in self.pool if self.b.sizes_of(v) == self.b.sizes_of(one)]
        return one, self.rng.choice(alike)

    def unary(self) -> None:
        one = self._one()
        self.pool.append(self.b.call(self.rng.choice(_UNARY), one, out=self.b.sizes_of(one)))

    def binary(self) -> None:
        one, other = self._pair()
        out = self.b.sizes_of(one)
        self.pool.append(self.b.call(self.rng.choice(_BINARY), one, other, out=out))

    def add(self) -> None:
        self.pool.append(self.b.add(*self._pair()))

    def constant(self) -> None:
        shape = self.b.sizes_of(self._one())
        self.pool.append(self.b.constant(self._numbers(shape), shape))

    def reshape(self) -> None:
        one = self._one()
        count = prod(self.b.sizes_of(one))
        self.pool.append(
            self.b.call("aten::view_copy.out", one, self.b.ints([count]), out=(count,))
        )

    def joined(self) -> None:
        one, other = self._pair()
        sizes = self.b.sizes_of(one)
        if not sizes:
            return
        out = (sizes[0] * 2, *sizes[1:])
        pair = self.b.tensor_list([one, other])
        dtype = self.b.dtype_of(one)
        self.pool.append(
            self.b.call("aten::cat.out", pair, self.b.int_value(0), out=out, dtype=dtype)
        )

    def reduced(self) -> None:
        one = self._one()
        sizes = self.b.sizes_of(one)
        if not sizes:
            return
        args = one, self.b.ints([0]), self.b.bool_value(False), self.b.null()
        self.pool.append(self.b.call("aten::mean.out", *args, out=sizes[1:]))

    def part(self) -> None:
        one = self._one()
        sizes = self.b.sizes_of(one)
        if not sizes:
            return
        at = self.b.int_value(self.rng.randrange(sizes[0]))
        args = one, self.b.int_value(0), at
        self.pool.append(self.b.call("aten::select_copy.int_out", *args, out=sizes[1:]))

    def from_data(self) -> None:
        shape = self.b.sizes_of(self._one())
        key = f"tensor{len(self.external)}"
        self.external[key] = DataTensor(self._numbers(shape), shape)
        mutable = self.rng.random() < 0.4
        self.from_file.append(self.b.external(key, shape, mutable=mutable))
        self.pool.append(self.from_file[-1])

    def device(self) -> None:
        """One or two delegates of a device between copies; the second takes the first's result."""
        if self.delegates >= 3:
            return
        rng, b = self.rng, self.b
        device = rng.choice(("cuda:0", "cuda:0", "cuda:1"))
        sources = [self._one() for _ in range(rng.randint(1, 2))]
        here = [b.h2d(each, device=device) for each in sources]
        backend = rng.choice(_BACKENDS)
        out = b.sizes_of(self._one())
        for _ in range(rng.randint(1, 3 - self.delegates)):
            self.delegates += 1
            inline = rng.random() < 0.2
            blob = self._blob(backend)
            here = b.delegate(backend, here, [out], device=device, blob=blob, inline=inline)
        self.pool.append(b.d2h(here[0]))

    def _blob(self, backend: str) -> bytes:
        """Bytes of its own for each delegate: the stand-in computes something of its own then."""
        return f"{self.b.name} {self.delegates} {backend}".encode()

    def host_delegate(self) -> None:
        if self.delegates >= 3:
            return
        self.delegates += 1
        one = self._one()
        out = self.b.sizes_of(one)
        inline, blob = self.rng.random() < 0.5, self._blob("HostBackend")
        self.pool += self.b.delegate("HostBackend", [one], [out], blob=blob, inline=inline)

    def sizes(self) -> None:
        """A size that is read, calculated with, and used."""
        b = self.b
        one = self._one()
        sizes = b.sizes_of(one)
        if not sizes:
            return
        size, double = b.null(), b.null()
        b.kernel("aten::sym_size.int", one, b.int_value(0), size)
        b.kernel("executorch_prim::mul.Scalar", size, b.int_value(prod(sizes[1:])), double)
        out = (prod(sizes),)
        self.pool.append(b.call("aten::view_copy.out", one, b.int_list([double]), out=out))

    def branch(self) -> None:
        """A branch on an input, as the exporter writes it."""
        self.straight = False
        b = self.b
        predicate = b.input((), "bool")
        one, other = self._pair()
        sizes = b.sizes_of(one)
        out = b.tensor(sizes, planned=False)
        is_else, end = Label(), Label()
        b.jump_false(predicate, is_else)
        b.move(b.add(one, other), out)
        b.jump(end)
        b.mark(is_else)
        b.move(b.call("aten::mul.out", one, other, out=sizes), out)
        b.mark(end)
        self.bound.add(out)
        self.pool.append(out)

    def loop(self) -> None:
        """A loop over the rows of a tensor, as the exporter writes it."""
        one = self._one()
        sizes = self.b.sizes_of(one)
        if not sizes:
            return
        self.straight = False
        b = self.b
        out = b.tensor(sizes, dynamism=1)
        count, at, done = b.null(), b.int_value(0), b.null()
        b.kernel("aten::sym_size.int", one, b.int_value(0), count)
        start = b.mark()
        row = b.call("aten::select_copy.int_out", one, b.int_value(0), at, out=sizes[1:])
        b.kernel("executorch_prim::et_copy_index.tensor", out, b.add(row, row), at)
        b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
        b.kernel("executorch_prim::eq.Scalar", at, count, done)
        b.jump_false(done, start)
        b.kernel("executorch_prim::sub.Scalar", at, count, at)
        self.pool.append(out)

    def _update(self, state: int) -> None:
        sizes = self.b.sizes_of(state)
        alike = [v for v in self.pool if self.b.sizes_of(v) == sizes and v != state]
        new = self.b.add(self.rng.choice(alike), state)
        self.b.kernel("aten::copy_", state, new, self.b.bool_value(False), state)
        self.pool.append(new)
