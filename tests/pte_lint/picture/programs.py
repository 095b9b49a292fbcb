"""Programs to draw."""

from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program


def built(*methods: MethodBuilder) -> bytes:
    """The bytes of a program."""
    program: BuiltProgram = build_program(*methods)
    return program.bytes()


def around_a_delegate(rounds: int = 1, kernels: int = 1, name: str = "forward") -> MethodBuilder:
    """h2d, delegate, d2h and host kernels, over and over."""
    b = MethodBuilder(name)
    x = b.input((8, 8))
    for _ in range(rounds):
        there = b.h2d(x)
        (done,) = b.delegate("Backend", [there], outputs=[(8, 8)], device="cuda:0")
        x = b.d2h(done)
        for _ in range(kernels):
            x = b.call("aten::relu.out", x, out=(8, 8))
    b.output(x)
    return b


def chain(length: int) -> MethodBuilder:
    """Host kernels only."""
    b = MethodBuilder()
    x = b.input((8, 8))
    for _ in range(length):
        x = b.call("aten::relu.out", x, out=(8, 8))
    b.output(x)
    return b


def planned_on_a_device() -> MethodBuilder:
    """Two inputs and an output of 256 bytes each, all planned on cuda:0: 768 bytes, 256 fixed."""
    b = MethodBuilder()
    x, y = (b.input((8, 8), device="cuda:0") for _ in range(2))
    b.output(*b.delegate("Backend", [x, y], outputs=[(8, 8)], device="cuda:0"))
    return b


def branches() -> MethodBuilder:
    """`if p: x + x else: relu(x)`, one branch inside of another."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input((4,))
    out = b.tensor((4,), planned=False)
    no, end = b.mark(), b.mark()
    b.jump_false(p, no)
    b.move(b.add(x, x), out)
    b.jump(end)
    b.mark(no)
    b.move(b.call("aten::relu.out", x, out=(4,)), out)
    b.mark(end)
    b.output(out)
    return b


def loop() -> MethodBuilder:
    """A tensor that is needed in every round of a loop, and one of each round."""
    b = MethodBuilder()
    x = b.input((4,))
    kept = b.call("aten::relu.out", x, out=(4,))
    again = b.mark()
    step = b.add(kept, kept)
    b.call("aten::neg.out", step, out=(4,))
    more = b.call("aten::any.all_out", step, out=(), dtype="bool")
    b.jump_false(more, again)
    b.output(b.call("aten::sigmoid.out", x, out=(4,)))
    return b


def overlapping() -> MethodBuilder:
    """Two results that are needed at one time and share half of their bytes."""
    b = MethodBuilder()
    x = b.input((8, 8), memory_id=1, offset=0)
    one = b.tensor((8, 8), memory_id=1, offset=256)
    other = b.tensor((8, 8), memory_id=1, offset=384)
    b.call("aten::relu.out", x, out=one)
    b.call("aten::neg.out", x, out=other)
    b.output(b.call("aten::mul.out", one, other, out=(8, 8)))
    return b
