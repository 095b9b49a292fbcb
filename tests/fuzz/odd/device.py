"""Tensors on the wrong side of the boundary between host and device."""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.rulebook.pipeline import Pipeline
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.device_programs import SIZES, add_method


def _pair(what: str, bad: MethodBuilder, good: MethodBuilder) -> OddDefect:
    return OddDefect(what, build_program(bad).bytes(), build_program(good).bytes())


def _planned_output() -> OddDefect:
    good = add_method(skip_d2h=True, plan_outputs=False)
    return _pair("a device output that is planned", add_method(skip_d2h=True), good)


def _handed_over() -> OddDefect:
    def method(copied: bool) -> MethodBuilder:
        b = MethodBuilder()
        (z,) = b.delegate("Any", [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
        out = b.tensor(SIZES)
        b.move(b.d2h(z) if copied else z, out)
        b.output(out)
        return b

    what = "a device tensor moved over an output of the host"
    return _pair(what, method(False), method(True))


def _no_copy() -> OddDefect:
    def method(copied: bool) -> MethodBuilder:
        b = MethodBuilder()
        x = b.call("aten::relu.out", b.input(SIZES), out=SIZES)
        fed = b.h2d(x) if copied else x
        b.output(b.d2h(*b.delegate("Any", [fed], [SIZES], device="cuda:0")))
        return b

    return _pair("a host tensor given to a delegate on a device", method(False), method(True))


def _not_back() -> OddDefect:
    def method(copied: bool) -> MethodBuilder:
        b = MethodBuilder()
        (z,) = b.delegate("Any", [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
        b.output(b.call("aten::relu.out", b.d2h(z) if copied else z, out=b.tensor(SIZES)))
        return b

    return _pair("a kernel on the host that reads a device tensor", method(False), method(True))


def _repeated() -> OddDefect:
    def method(repeats: bool) -> MethodBuilder:
        b = MethodBuilder()
        x = b.input(SIZES)
        there = b.h2d(x)
        again = b.h2d(x) if repeats else there
        b.output(b.d2h(*b.delegate("Any", [there, again], [SIZES], device="cuda:0")))
        return b

    return _pair("one tensor copied to the device twice", method(True), method(False))


def _spec() -> OddDefect:
    bad = add_method(specs={"target_device": b"cpu"})
    return _pair("a delegate for the host amid device tensors", bad, add_method())


def _condition() -> OddDefect:
    def method(copied: bool) -> MethodBuilder:
        b = MethodBuilder()
        x, p = b.input((4,)), b.tensor((), "bool", device="cuda:0")
        b.delegate("Any", [b.h2d(x)], [p], device="cuda:0")
        out, end = b.tensor((4,)), Label()
        b.call("aten::relu.out", x, out=out)
        b.jump_false(b.d2h(p) if copied else p, end)
        b.call("aten::sigmoid.out", x, out=out)
        b.mark(end)
        b.output(out)
        return b

    return _pair("a jump on a tensor in device memory", method(False), method(True))


def _state() -> OddDefect:
    def method(initial: list[int] | None) -> MethodBuilder:
        b = MethodBuilder()
        x = b.input((4,), device="cuda:0", planned=False)
        state = b.state((4,), initial=initial, device="cuda:0")
        out = b.tensor((4,), device="cuda:0", planned=False)
        if initial is None:
            b.delegate("Any", [x], [state], device="cuda:0")
        b.delegate("Any", [x, state], [out], device="cuda:0")
        b.output(out)
        return b

    what = "state with initial data in a device arena"
    return _pair(what, method([1, 2, 3, 4]), method(None))


def _no_memory() -> OddDefect:
    def method(planned: bool) -> MethodBuilder:
        b = MethodBuilder()
        x = b.h2d(b.input(SIZES))
        z = b.tensor(SIZES, device="cuda:0", planned=planned)
        b.delegate("Any", [x], [z], device="cuda:0")
        b.output(b.d2h(z))
        return b

    return _pair("a delegate's result without memory", method(False), method(True))


def _order() -> OddDefect:
    def method(early: bool) -> MethodBuilder:
        b = MethodBuilder()
        x, z = b.h2d(b.input(SIZES)), b.tensor(SIZES, device="cuda:0")
        if early:
            b.output(b.d2h(z))
        b.delegate("Any", [x], [z], device="cuda:0")
        if not early:
            b.output(b.d2h(z))
        return b

    return _pair("a copy to the host before the delegate has run", method(True), method(False))


def _round_trip() -> OddDefect:
    def method(bounces: bool) -> MethodBuilder:
        b = MethodBuilder()
        (z,) = b.delegate("Any", [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
        again = b.h2d(b.d2h(z)) if bounces else z
        (w,) = b.delegate("Any", [again], [SIZES], device="cuda:0")
        b.output(b.d2h(w))
        return b

    return _pair("a result copied to the host and straight back", method(True), method(False))


def _tags() -> OddDefect:
    def method(home: str) -> MethodBuilder:
        b = MethodBuilder()
        x = b.input((4,), device="cuda:0", planned=False)
        out = b.tensor((4,), device="cuda:0", home=home)
        b.output(*b.delegate("Any", [x], [out], device="cuda:0"))
        return b

    return _pair("device tags without device memory", method("cpu"), method("cuda:0"))


def _method(name: str, *, host: bool = False, planned: bool = False) -> MethodBuilder:
    b = MethodBuilder(name)
    x = b.input((4,)) if host else b.input((4,), device="cuda:0", planned=planned)
    out = b.tensor((4,), device="cuda:0", planned=False)
    b.delegate("Any", [b.h2d(x) if host else x], [out], device="cuda:0")
    b.output(out)
    return b


def _disagree() -> OddDefect:
    bad = build_program(_method("a"), _method("b", host=True))
    good = build_program(_method("a"), _method("b"))
    options = {"options": {"pipelines": [Pipeline(None, "a", 0, None, "b", 0)]}}
    what = "an output on the device declared to feed a planned host input"
    return OddDefect(what, bad.bytes(), good.bytes(), options=options)


def _dict_flags() -> OddDefect:
    bad = build_program(_method("a"), _method("b", planned=True))
    good = build_program(_method("a"), _method("b"))
    what = "one of two methods without copies plans its device inputs"
    return OddDefect(what, bad.bytes(), good.bytes())


DEVICE: dict[str, Callable[[], OddDefect]] = {
    "PTE302": _planned_output, "PTE303": _handed_over, "PTE304": _no_copy, "PTE305": _not_back,
    "PTE312": _spec, "PTE313": _condition, "PTE315": _state, "PTE316": _no_memory,
    "PTE317": _order, "PTE318": _round_trip, "PTE319": _repeated, "PTE321": _tags,
    "PTE322": _disagree, "PTE323": _dict_flags,
}  # fmt: skip
