"""Constants and external data that are not where they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.examples import adder, externally, plain

_WEIGHT = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
_OTHER_HEADER = Layout(magic=b"FH02")
_OFFSETS = "constant_segment.offsets"
_INFO = "execution_plan[0].values[1].val.extra_tensor_info"


def _index() -> OddDefect:
    path = "execution_plan[0].values[1].val.data_buffer_idx"
    bad = plain().replaced(path, 3).bytes()
    return OddDefect("the third of two constants", bad, plain().bytes())


def _no_bytes() -> OddDefect:
    (segment, *others) = plain().program.segments or ()
    bad = plain().replaced("segments", (replace(segment, size=0), *others))
    return OddDefect("a constant segment of 0 bytes", bad.bytes(), plain().bytes())


def _range() -> OddDefect:
    bad = plain().replaced(_OFFSETS, (0, 0, 24)).bytes()
    return OddDefect("a constant that ends beyond its segment", bad, plain().bytes())


def _overlap() -> OddDefect:
    bad = plain().replaced(_OFFSETS, (0, 0, 8)).bytes()
    return OddDefect("a constant that starts inside another", bad, plain().bytes())


def _alignment() -> OddDefect:
    b = MethodBuilder()
    one = b.constant([1.0], (1,))
    b.output(b.call("aten::mul.out", one, b.constant([2.0] * 4, (4,)), out=(4,)))
    good = build_program(b)
    bad = good.replaced(_OFFSETS, (0, 2, 16))
    return OddDefect("a constant at an odd offset", bad.bytes(), good.bytes())


def _location() -> OddDefect:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, b.state((2, 2), initial=[1, 2, 3, 4], name="w")))
    good = build_program(b)
    bad = good.replaced(f"{_INFO}.location", 9)
    return OddDefect("state at a kind of place that nobody knows", bad.bytes(), good.bytes())


def _needed() -> OddDefect:
    file = build_program(externally()).bytes()
    what = "external data without a data file"
    return OddDefect(what, file, file, good_data=(_WEIGHT.bytes(),))


def _nameless() -> OddDefect:
    good = build_program(externally())
    bad = good.replaced(f"{_INFO}.fully_qualified_name", None)
    data = (_WEIGHT.bytes(),)
    return OddDefect("an external tensor without a name", bad.bytes(), good.bytes(), data=data)


def _spoilt(what: str, *data: bytes) -> OddDefect:
    """A program that is right, and data files that are not."""
    file = build_program(externally()).bytes()
    return OddDefect(what, file, file, data=data, good_data=(_WEIGHT.bytes(),))


def _short() -> OddDefect:
    (segment,) = _WEIGHT.flat_tensor.segments or ()
    data = _WEIGHT.replaced("segments", (replace(segment, size=12),)).bytes()
    return _spoilt("a segment of 12 bytes for 16", data)


def _headless() -> OddDefect:
    return _spoilt("a data file whose header is of another version", _WEIGHT.bytes(_OTHER_HEADER))


def _other_sizes() -> OddDefect:
    data = build_data({"w": DataTensor([1, 2, 3, 4], (4, 1))}).bytes()
    return _spoilt("a weight of other sizes in the data file", data)


def _unneeded() -> OddDefect:
    file = build_program(adder()).bytes()
    data = (_WEIGHT.bytes(),)
    return OddDefect(
        "a data file for a program that needs none", file, file, data=data, good_data=()
    )


def _twice() -> OddDefect:
    return _spoilt("one data file given twice", _WEIGHT.bytes(), _WEIGHT.bytes())


def _shared_key() -> OddDefect:
    def program(key: str) -> bytes:
        b = MethodBuilder()
        b.output(b.call("aten::relu.out", b.external("w", (2, 2)), out=(2, 2)))
        b.output(b.call("aten::relu.out", b.external(key, (4,)), out=(4,)))
        return build_program(b).bytes()

    weights = {"w": DataTensor([1, 2, 3, 4], (2, 2)), "v": DataTensor([1, 2, 3, 4], (4,))}
    data = build_data(weights).bytes()
    return OddDefect("two shapes under one key", program("w"), program("v"), data=(data,))


def _other_meaning() -> OddDefect:
    def program(key: str) -> bytes:
        methods = []
        for name, mine, sizes in (("one", "w", (2, 2)), ("two", key, (4,))):
            b = MethodBuilder(name)
            b.output(b.call("aten::relu.out", b.external(mine, sizes), out=sizes))
            methods.append(b)
        return build_program(*methods).bytes()

    weights = {"w": DataTensor([1, 2, 3, 4], (2, 2)), "v": DataTensor([1, 2, 3, 4], (4,))}
    data = build_data(weights).bytes()
    what = "one key for weights of two methods"
    return OddDefect(what, program("w"), program("v"), data=(data,))


def _no_content() -> OddDefect:
    def program(initial: list[int] | None) -> bytes:
        b = MethodBuilder()
        x, state = b.input((4,)), b.state((4,), initial=initial)
        total = b.add(state, x)
        b.kernel("aten::copy_", state, total, b.bool_value(False), state)
        b.output(total)
        return build_program(b).bytes()

    return OddDefect("a buffer without its first content", program(None), program([1, 2, 3, 4]))


DATA: dict[str, Callable[[], OddDefect]] = {
    "PTE501": _no_bytes, "PTE502": _index, "PTE503": _range, "PTE504": _overlap,
    "PTE505": _alignment, "PTE507": _location, "PTE508": _no_content, "PTE518": _other_meaning,
    "PTE511": _needed, "PTE512": _nameless,
    "PTE514": _other_sizes, "PTE516": _short, "PTE517": _shared_key, "PTE521": _headless,
    "PTE524": _twice, "PTE525": _unneeded,
}  # fmt: skip
