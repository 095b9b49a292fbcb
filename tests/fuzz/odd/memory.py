"""Arenas that nobody can have, and tensors far out in them."""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.examples import adder

_ADDER = "execution_plan[0]"


def _negative() -> OddDefect:
    good = build_program(adder())
    bad = good.replaced(f"{_ADDER}.non_const_buffer_sizes", (0, -1))
    return OddDefect("an arena of -1 bytes", bad.bytes(), good.bytes())


def _far() -> OddDefect:
    good = program = build_program(adder())
    for v in (1, 3):
        path = f"{_ADDER}.values[{v}].val.allocation_info.memory_offset_high"
        program = program.replaced(path, 1)
    bad = program.replaced(f"{_ADDER}.non_const_buffer_sizes", (0, 2**32 + 64))
    return OddDefect("tensors beyond 4 GiB of their arena", bad.bytes(), good.bytes())


def _unused() -> OddDefect:
    good = build_program(adder())
    (plan,) = good.program.execution_plan or ()
    sizes = (*(plan.non_const_buffer_sizes or ()), 64)
    bad = good.replaced(f"{_ADDER}.non_const_buffer_sizes", sizes)
    return OddDefect("an arena that no tensor is in", bad.bytes(), good.bytes())


MEMORY: dict[str, Callable[[], OddDefect]] = {
    "PTE206": _negative, "PTE207": _unused, "PTE208": _far,
}  # fmt: skip
