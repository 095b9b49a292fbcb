"""Defects that no random edit makes, one function a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pte_lint.analysis.calling import ET_VIEW
from pte_lint.placement.pipeline import Pipeline
from pte_lint.profile import Profile
from pte_lint.target import Target
from tests.support.builder import Label, MethodBuilder
from tests.support.data_builder import DataTensor, build_bundle, build_data
from tests.support.examples import adder, externally, plain
from tests.support.program_builder import build_program


@dataclass(frozen=True)
class OddDefect:
    """A file that a rule is for, and what it takes for the rule to speak.

    Attributes:
        what: What is wrong, in a few words.
        file: The artifact.
        name: Its name, of which the suffix matters.
        data: Data files given beside it.
        options: Keyword arguments of `pte_lint.check`.
    """

    what: str
    file: bytes
    name: str = "defect.pte"
    data: tuple[bytes, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


_ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0" + (183).to_bytes(2, "little") + bytes(40)
_ADDER = "execution_plan[0]"
_HUGE = 2**31 - 1


def _lfs() -> OddDefect:
    text = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
    return OddDefect("a Git LFS pointer in place of the file", text)


def _crlf() -> OddDefect:
    file = build_program(adder(), named_data={"text": b"two\nlines\n"}).bytes()
    return OddDefect("line ends were converted", file.replace(b"\n", b"\r\n"))


def _suffix() -> OddDefect:
    return OddDefect("a data file named .pte", build_data({"w": b"1234"}).bytes())


def _bundle() -> OddDefect:
    bundle = build_bundle(plain().bytes(), {"forward": []})
    return OddDefect("a bundled program", bundle.bytes(), "defect.bpte")


def _overflow() -> OddDefect:
    b = adder()
    extra = b.tensor((1,), planned=False)
    path = f"{_ADDER}.values[{extra}].val"
    program = build_program(b).replaced(f"{path}.sizes", (_HUGE, _HUGE, 4))
    file = program.replaced(f"{path}.dim_order", (0, 1, 2)).bytes()
    return OddDefect("sizes whose product passes 64 bits", file)


def _list_input() -> OddDefect:
    b = adder()
    b.takes(b.ints([1, 2]))
    return OddDefect("an IntList as a method input", build_program(b).bytes())


def _baked() -> OddDefect:
    b = adder()
    b.takes(b.int_value(7))
    return OddDefect("a number as a method input", build_program(b).bytes())


def _constant_input() -> OddDefect:
    b = adder()
    b.takes(b.constant([1.0] * 4, (2, 2)))
    return OddDefect("a constant as a method input", build_program(b).bytes())


def _view() -> OddDefect:
    b = MethodBuilder()
    target = b.tensor((2, 6), dynamism=1, planned=False)
    b.kernel(ET_VIEW, b.input((3, 4)), b.ints((2, 5)), target)
    b.output(b.call("aten::relu.out", target, out=(2, 6)))
    return OddDefect("a view of ten elements of twelve", build_program(b).bytes())


def _unbound() -> OddDefect:
    b = MethodBuilder()
    x, out = b.input((4,)), b.tensor((4,), planned=False)
    b.move(b.call("aten::relu.out", x, out=(4,)), out)
    b.output(out)
    return OddDefect("an unplanned output that a move replaces", build_program(b).bytes())


def _far() -> OddDefect:
    program = build_program(adder())
    for v in (1, 3):
        path = f"{_ADDER}.values[{v}].val.allocation_info.memory_offset_high"
        program = program.replaced(path, 1)
    sizes = f"{_ADDER}.non_const_buffer_sizes"
    return OddDefect(
        "tensors beyond 4 GiB of their arena", program.replaced(sizes, (0, 2**32 + 64)).bytes()
    )


def _condition() -> OddDefect:
    b = MethodBuilder()
    x, p = b.input((4,)), b.tensor((), "bool", device="cuda:0")
    b.delegate("Any", [b.h2d(x)], [p], device="cuda:0")
    out, end = b.tensor((4,)), Label()
    b.call("aten::relu.out", x, out=out)
    b.jump_false(p, end)
    b.call("aten::sigmoid.out", x, out=out)
    b.mark(end)
    b.output(out)
    return OddDefect("a jump on a tensor in device memory", build_program(b).bytes())


def _state_on_device() -> OddDefect:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    state = b.state((4,), initial=[1, 2, 3, 4], device="cuda:0")
    out = b.tensor((4,), device="cuda:0", planned=False)
    b.delegate("Any", [x, state], [out], device="cuda:0")
    b.output(out)
    return OddDefect("state with initial data in a device arena", build_program(b).bytes())


def _method(name: str, *, host: bool, planned: bool = False) -> MethodBuilder:
    b = MethodBuilder(name)
    x = b.input((4,)) if host else b.input((4,), device="cuda:0", planned=planned)
    out = b.tensor((4,), device="cuda:0", planned=False)
    b.delegate("Any", [b.h2d(x) if host else x], [out], device="cuda:0")
    b.output(out)
    return b


def _tags() -> OddDefect:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    out = b.tensor((4,), device="cuda:0", home="cpu")
    b.output(*b.delegate("Any", [x], [out], device="cuda:0"))
    return OddDefect("device tags without device memory", build_program(b).bytes())


def _disagree() -> OddDefect:
    file = build_program(_method("a", host=False), _method("b", host=True)).bytes()
    feed = Pipeline(None, "a", 0, None, "b", 0)
    what = "an output on the device declared to feed a planned host input"
    return OddDefect(what, file, options={"options": {"pipelines": [feed]}})


def _dict_flags() -> OddDefect:
    methods = _method("a", host=False), _method("b", host=False, planned=True)
    what = "one of two methods without copies plans its device inputs"
    return OddDefect(what, build_program(*methods).bytes())


def _kernel_key() -> OddDefect:
    profile = Profile("mine", "1.5.1", {"aten::add.out": ("v1/7;0,1|7;0,1|7;0,1|7;0,1",)}, ())
    target = Target(profile=profile, explicit_profile=True)
    file = build_program(adder()).bytes()
    return OddDefect("a target with kernels for float64 only", file, options={"target": target})


def _library() -> OddDefect:
    b = MethodBuilder()
    x, out = b.input((2, 2), "uint8"), b.tensor((2, 2), "uint8")
    scale = [b.double_value(1.0), b.int_value(0), b.int_value(0), b.int_value(255)]
    b.kernel("quantized_decomposed::add.out", x, *scale, x, *scale, *scale, out, out)
    b.output(out)
    return OddDefect("an operator of the quantized kernels", build_program(b).bytes())


def _overload() -> OddDefect:
    operator = f"{_ADDER}.operators[1]"
    program = plain().replaced(f"{operator}.overload", None)
    file = program.replaced(f"{operator}.name", "aten::mul.out").bytes()
    return OddDefect("no overload, not even an empty one", file)


def _cuda(*names: str, library: bytes = _ELF) -> bytes:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    for name in names:
        blob = f"{name}_so_blob\n{name}_weights_blob".encode()
        (x,) = b.delegate("CudaBackend", [x], [(4,)], device="cuda:0", blob=blob)
    b.output(x)
    data = {f"{name}_so_blob": library for name in names}
    return build_program(b, named_data=data).bytes()


def _no_library() -> OddDefect:
    return OddDefect("words in place of a library", _cuda("a", library=b"words, but no code"))


def _payload() -> OddDefect:
    key = b"k_so_blob"
    table = b"ETCUDAFQN3" + len(key).to_bytes(4, "little") + key + bytes(4)
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    b.output(*b.delegate("CudaBackend", [x], [(4,)], device="cuda:0", blob=table))
    program = build_program(b, named_data={"k_so_blob": _ELF})
    options = {"target": "1.4"}
    return OddDefect("a payload of 1.5 for a 1.4 target", program.bytes(), options=options)


def _shared_library() -> OddDefect:
    return OddDefect("two delegates with one library", _cuda("a", "a"))


def _constant_alignment() -> OddDefect:
    b = MethodBuilder()
    one = b.constant([1.0], (1,))
    b.output(b.call("aten::mul.out", one, b.constant([2.0] * 4, (4,)), out=(4,)))
    file = build_program(b).replaced("constant_segment.offsets", (0, 2, 16)).bytes()
    return OddDefect("a constant at an odd offset", file)


def _data_needed() -> OddDefect:
    return OddDefect("external data without a data file", build_program(externally()).bytes())


def _data_short() -> OddDefect:
    good = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
    (segment,) = good.flat_tensor.segments or ()
    data = good.replaced("segments", (replace(segment, size=12),)).bytes()
    return OddDefect(
        "a segment of 12 bytes for 16", build_program(externally()).bytes(), data=(data,)
    )


def _shared_key() -> OddDefect:
    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.external("w", (2, 2)), out=(2, 2)))
    b.output(b.call("aten::relu.out", b.external("w", (4,)), out=(4,)))
    data = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()
    return OddDefect("two shapes under one key", build_program(b).bytes(), data=(data,))


def _cases() -> OddDefect:
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    bundle = build_bundle(plain().bytes(), {"other": [([tensor], [tensor])]})
    return OddDefect("test cases for a method that is not there", bundle.bytes(), "defect.bpte")


def _too_new() -> OddDefect:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.input((2, 2)))))
    return OddDefect(
        "boundary copies for a 1.3 target", build_program(b).bytes(), options={"target": "1.3"}
    )


def _executable() -> OddDefect:
    file = build_program(adder(), named_data={"code": _ELF}).bytes()
    return OddDefect("machine code in named data", file)


def _duplicates() -> OddDefect:
    weights = bytes(range(256)) * 2
    file = build_program(adder(), named_data={"a": weights, "b": weights}).bytes()
    options = {"options": {"read_segments": True}}
    return OddDefect("equal bytes under two keys", file, options=options)


def _heavy() -> OddDefect:
    b = MethodBuilder()
    x = b.input((4, 4))
    b.output(b.call("aten::mm.out", x, x, out=(4, 4)))
    return OddDefect("a matrix product on the host", build_program(b).bytes())


ODD_DEFECTS: dict[str, Callable[[], OddDefect]] = {
    "PTE002": _lfs, "PTE005": _crlf, "PTE018": _suffix, "PTE019": _bundle, "PTE110": _overflow,
    "PTE114": _list_input, "PTE115": _baked, "PTE116": _constant_input, "PTE137": _view,
    "PTE138": _unbound, "PTE208": _far, "PTE313": _condition, "PTE315": _state_on_device,
    "PTE321": _tags, "PTE322": _disagree, "PTE323": _dict_flags, "PTE402": _kernel_key,
    "PTE404": _library, "PTE405": _overload, "PTE418": _no_library, "PTE419": _payload,
    "PTE420": _shared_library, "PTE505": _constant_alignment, "PTE511": _data_needed,
    "PTE516": _data_short, "PTE517": _shared_key, "PTE532": _cases, "PTE601": _too_new,
    "PTE704": _executable, "PTE705": _duplicates, "PTE802": _heavy,
}  # fmt: skip
