"""Programs that are right and move more bytes than they have to."""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.device_programs import add_method, state_on_host
from tests.support.quantized_layers import FP32, QCINT8, two_layers

_ASKED = {"select": ["ALL"]}
"""These rules run only when they are asked for."""


def _inputs() -> OddDefect:
    bad, good = _adding(planned=True), _adding(planned=False)
    return OddDefect("planned inputs", bad, good, options=_ASKED)


def _adding(*, planned: bool) -> bytes:
    b = MethodBuilder()
    b.output(b.add(b.input((2, 2), planned=planned), b.input((2, 2), planned=planned)))
    return build_program(b).bytes()


def _rearranged(operator: str, *, times: int) -> bytes:
    b = MethodBuilder()
    x = b.input((2, 2))
    order = b.ints((1, 0) if "permute" in operator else (2, 2))
    for _ in range(times):
        x = b.call(operator, x, order, out=(2, 2))
    b.output(b.add(x, x))
    return build_program(b).bytes()


def _views() -> OddDefect:
    operator = "aten::view_copy.out"
    bad, good = _rearranged(operator, times=1), _rearranged(operator, times=0)
    return OddDefect("a view that is copied", bad, good, options=_ASKED)


def _layouts() -> OddDefect:
    bad = _rearranged("aten::permute_copy.out", times=2)
    good = _rearranged("aten::permute_copy.out", times=1)
    return OddDefect("a layout there and back", bad, good, options=_ASKED)


def _state() -> OddDefect:
    bad, good = build_program(state_on_host()).bytes(), build_program(add_method()).bytes()
    return OddDefect("state that a delegate does not own", bad, good, options=_ASKED)


def _weights() -> OddDefect:
    bad, good = two_layers(FP32), two_layers(QCINT8)
    return OddDefect("a float32 layer beside a quantised one", bad, good, options=_ASKED)


COST: dict[str, Callable[[], OddDefect]] = {
    "PTE803": _inputs,
    "PTE804": _views,
    "PTE805": _layouts,
    "PTE806": _state,
    "PTE807": _weights,
}
