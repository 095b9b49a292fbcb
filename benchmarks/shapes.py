"""Programs of awkward shapes: each is to cost what a straight one of its size does, or near it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program

_SIDE = (8, 8)


def fan_out(size: int) -> MethodBuilder:
    """One tensor that `size` calls read, each into a tensor of its own."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    results = [method.call("aten::relu.out", x, out=_SIDE) for _ in range(size)]
    method.output(results[-1])
    return method


def fan_in(size: int) -> MethodBuilder:
    """Calls that all write one tensor, from `size` different ones."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    target = method.tensor(_SIDE)
    for _ in range(size // 2):
        y = method.call("aten::relu.out", x, out=_SIDE)
        method.kernel("aten::relu.out", y, target, target)
    method.output(target)
    return method


def branches_in_a_row(size: int) -> MethodBuilder:
    """`size` instructions: a branch around a call, again and again."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    condition = method.input((1,), "bool")
    for _ in range(size // 2):
        behind = Label()
        method.jump_false(condition, behind)
        method.kernel("aten::relu.out", x, x, x)
        method.mark(behind)
    method.output(method.call("aten::relu.out", x, out=_SIDE))
    return method


def nested_branches(size: int) -> MethodBuilder:
    """Branches inside branches, `size` / 2 deep, a call before each."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    condition = method.input((1,), "bool")
    ends = [Label() for _ in range(size // 2)]
    for end in ends:
        method.kernel("aten::relu.out", x, x, x)
        method.jump_false(condition, end)
    for end in reversed(ends):
        method.mark(end)
    method.output(method.call("aten::relu.out", x, out=_SIDE))
    return method


def nested_loops(size: int) -> MethodBuilder:
    """Loops inside loops, `size` / 3 deep, each with a call and a new condition."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    condition = method.input((1,), "bool")
    starts = []
    for _ in range(size // 3):
        starts.append(method.mark())
        method.kernel("aten::relu.out", x, x, x)
    for start in reversed(starts):
        method.kernel("aten::logical_not.out", condition, condition, condition)
        method.jump_false(condition, start)
    method.output(method.call("aten::relu.out", x, out=_SIDE))
    return method


def copies(size: int) -> MethodBuilder:
    """`size` instructions of which half are boundary copies around delegate calls."""
    method = MethodBuilder("forward")
    x = method.input(_SIDE)
    for _ in range(size // 4):
        there = method.h2d(x)
        (done,) = method.delegate("Backend", [there], outputs=[_SIDE], device="cuda:0")
        x = method.call("aten::relu.out", method.d2h(done), out=_SIDE)
    method.output(x)
    return method


SHAPES: dict[str, Callable[[int], MethodBuilder]] = {
    "half boundary copies": copies,
    "fan-out of one tensor": fan_out,
    "fan-in to one tensor": fan_in,
    "branches in a row": branches_in_a_row,
    "nested branches": nested_branches,
    "nested loops": nested_loops,
}


def write_shape(folder: Path, name: str, size: int) -> Path:
    """Writes a program of about `size` instructions."""
    path = folder / f"{name.replace(' ', '_')}_{size}.pte"
    if not path.exists():
        path.write_bytes(build_program(SHAPES[name](size)).bytes())
    return path
