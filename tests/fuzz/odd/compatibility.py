"""Programs that are too new for the target."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.odd.defect import OddDefect
from tests.support.builder import MethodBuilder
from tests.support.examples import adder
from tests.support.program_builder import build_program


def _too_new() -> OddDefect:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.input((2, 2)))))
    good = build_program(adder()).bytes()
    what = "boundary copies for a 1.3 target"
    return OddDefect(what, build_program(b).bytes(), good, options={"target": "1.3"})


COMPATIBILITY: dict[str, Callable[[], OddDefect]] = {"PTE601": _too_new}
