"""The catalogue of inconsistent device combinations, row by row, as measured on 1.3, 1.4 and 1.5.

K1 to K44 are the rows of the table that the rules were made from. Rows that change what the runner
has (no allocator, another loader, an event tracer) leave the file as it is: there the verdict must
stay that of the file, and PTE320 names what the runner needs.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.testing.builder import D2H, H2D, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import (
    BACKEND,
    CUDA,
    SIZES,
    add_method,
    only,
    report,
    verdict,
)

MISSING = "load_method error OperatorMissing"
OK = "execute ok"
REFUSED = "execute error InvalidArgument"
INTERNAL = "execute error Internal"
CRASH = "execute crash SIGSEGV"
INPUT_CRASH = "set_input crash SIGSEGV"
INPUT_REFUSED = "set_input error NotSupported"
UNDEFINED = "execute undefined"
TOO_SMALL = "load_method error MemoryAllocationFailed"
ONES = [1.0] * 64


def default() -> BuiltProgram:
    return build_program(add_method())


def listed(*entries: tuple[int, int, int]) -> BuiltProgram:
    """The default program with another list of arena devices."""
    devices = tuple(NonConstBufferDevice(*entry) for entry in entries)
    return default().replaced("execution_plan[0].non_const_buffer_device", devices)


def tagged_for_1_3(backend: str = BACKEND, *, planned: bool = True) -> BuiltProgram:
    """Tags, no device list, no copies: the default of 1.3."""
    b = MethodBuilder()
    ins = [b.input(SIZES, device="cuda:0", home="cpu", planned=planned) for _ in range(2)]
    out = b.tensor(SIZES, device="cuda:0", home="cpu", planned=planned)
    b.output(*b.delegate(backend, ins, [out], device="cuda:0"))
    return build_program(b)


def paired() -> BuiltProgram:
    return build_program(
        add_method(skip_h2d=True, skip_d2h=True, plan_inputs=False, plan_outputs=False)
    )


def copy(
    source: dict[str, object] | None = None,
    target: dict[str, object] | None = None,
    back: dict[str, object] | None = None,
    sizes: tuple[int, ...] = SIZES,
) -> BuiltProgram:
    """h2d, a delegate, d2h, with options for each tensor around the copies."""
    b = MethodBuilder()
    x = b.input(SIZES, **(source or {}))  # type: ignore[arg-type]
    y = b.tensor(sizes, **{"device": "cuda:0", **(target or {})})  # type: ignore[arg-type]
    b.call(H2D, x, out=y)
    (z,) = b.delegate(BACKEND, [y], [sizes], device="cuda:0")
    out = b.tensor(sizes, **(back or {}))  # type: ignore[arg-type]
    b.output(b.call(D2H, z, out=out))
    return build_program(b)


def typed() -> BuiltProgram:
    b = MethodBuilder()
    y = b.tensor(SIZES, "float16", device="cuda:0")
    b.call(H2D, b.input(SIZES), out=y)
    (z,) = b.delegate(BACKEND, [y], [SIZES], device="cuda:0", dtype="float16")
    b.output(b.d2h(z))
    return build_program(b)


def turned() -> BuiltProgram:
    return copy(target={"dim_order": (1, 0)})


def all_host(*, inputs: str = "cpu", inner: str = "cpu") -> BuiltProgram:
    """A program without delegates, with tags."""
    b = MethodBuilder()
    x = b.input(SIZES, device=inputs, home="cpu")
    mid = b.call("aten::relu.out", x, out=b.tensor(SIZES, device=inner, home="cpu"))
    b.output(b.call("aten::sigmoid.out", mid, out=b.tensor(SIZES, device=inner, home="cpu")))
    return build_program(b)


def kernel_on_device(*, device: str, output: bool = False) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input(SIZES)
    mid = b.call("aten::relu.out", x, out=b.tensor(SIZES, device=device, home="cuda:0"))
    b.output(mid if output else b.call("aten::sigmoid.out", mid, out=SIZES))
    return build_program(b)


def constant(backend: str | None) -> BuiltProgram:
    b = MethodBuilder()
    w = b.constant(ONES, SIZES, device="cuda:0")
    if backend is None:
        b.output(b.call("aten::sigmoid.out", w, out=SIZES))
    else:
        x = b.input(SIZES, device="cuda:0", planned=False)
        out = b.tensor(SIZES, device="cuda:0", planned=False)
        b.output(*b.delegate(backend, [x, w], [out], device="cuda:0"))
    return build_program(b)


def condition(*, as_input: bool) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input(SIZES)
    if as_input:
        p = b.input((), "bool", device="cuda:0")
    else:
        p = b.tensor((), "bool", device="cuda:0")
        b.delegate(BACKEND, [b.input((), device="cuda:0", planned=False)], [p], device="cuda:0")
    out = b.call("aten::relu.out", x, out=SIZES)
    b.jump_false(p, 3 - as_input)
    b.output(out)
    return build_program(b)


def state(*, external: bool) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input(SIZES)
    if external:
        kept = b.external("cache", SIZES, device="cuda:0", mutable=True)
    else:
        kept = b.state(SIZES, initial=ONES, device="cuda:0")
    out = b.tensor(SIZES, device="cuda:0", planned=False)
    given = b.input(SIZES, device="cuda:0", planned=False)
    b.output(x, *b.delegate(BACKEND, [kept, given], [out], device="cuda:0"))
    return build_program(b)


def sized(index: int, size: int) -> BuiltProgram:
    return default().replaced(f"execution_plan[0].non_const_buffer_sizes[{index}]", size)


def without_memory(*, back: bool) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input(SIZES)
    if back:
        b.call(D2H, b.h2d(x), out=b.tensor(SIZES, planned=False))
    else:
        b.call(H2D, x, out=b.tensor(SIZES, device="cuda:0", planned=False))
    b.output(x)
    return build_program(b)


def unplanned_result() -> BuiltProgram:
    b = MethodBuilder()
    z = b.tensor(SIZES, device="cuda:0", planned=False)
    b.delegate(BACKEND, [b.h2d(b.input(SIZES))], [z], device="cuda:0")
    b.output(b.d2h(z))
    return build_program(b)


Row = tuple[str, Callable[[], BuiltProgram], str, str, str]
ROWS: list[Row] = [
    ("K1 default", default, MISSING, OK, OK),
    ("K2 no CUDA allocator", default, MISSING, OK, OK),
    ("K3 device allocation fails", default, MISSING, OK, OK),
    ("K4 raw Program with host buffers", default, MISSING, OK, OK),
    ("K5 1.3 export", tagged_for_1_3, OK, UNDEFINED, INPUT_REFUSED),
    ("K5 1.3 export, CUDA", lambda: tagged_for_1_3(CUDA), OK, REFUSED, INPUT_REFUSED),
    ("K6 unplanned", lambda: tagged_for_1_3(planned=False), OK, OK, OK),
    (
        "K7 inputs in a device arena",
        lambda: build_program(add_method(skip_h2d=True, skip_d2h=True)),
        OK,
        INPUT_CRASH,
        INPUT_REFUSED,
    ),
    ("K8 paired", paired, OK, OK, OK),
    ("K9 device list removed", listed, MISSING, INTERNAL, INTERNAL),
    ("K10 inputs' arena too", lambda: listed((1, 1, 0), (2, 1, 0)), MISSING, *[INPUT_CRASH] * 2),
    ("K11 inputs' arena only", lambda: listed((1, 1, 0)), MISSING, INPUT_CRASH, INPUT_CRASH),
    (
        "K12 entries for nothing",
        lambda: listed((0, 1, 0), (99, 1, 0), (-1, 1, 0), (1, 0, 0), (2, 1, 0)),
        MISSING,
        OK,
        OK,
    ),
    ("K13 first entry wins", lambda: listed((2, 1, 0), (2, 0, 0)), MISSING, OK, OK),
    ("K13 first entry loses", lambda: listed((2, 0, 0), (2, 1, 0)), MISSING, INTERNAL, INTERNAL),
    *(
        (
            f"K14 device type {kind}",
            lambda kind=kind: listed((2, kind, 0)),
            MISSING,
            "load_method crash SIGABRT",
            "load_method error NotFound",
        )
        for kind in (2, -1)
    ),
    ("K15 arena on cuda:5", lambda: listed((2, 1, 5)), MISSING, OK, OK),
    ("K15 arena on cuda:-1", lambda: listed((2, 1, -1)), MISSING, OK, OK),
    (
        "K15 tag cuda:3",
        lambda: copy(target={"device": "cuda:3", "home": "cuda:0"}),
        MISSING,
        OK,
        OK,
    ),
    (
        "K16 h2d target untagged",
        lambda: copy(target={"device": "cpu", "home": "cuda:0"}),
        MISSING,
        REFUSED,
        REFUSED,
    ),
    (
        "K17 d2h source untagged",
        lambda: default().replaced(
            "execution_plan[0].values[4].val.extra_tensor_info.device_type", 0
        ),
        MISSING,
        REFUSED,
        REFUSED,
    ),
    (
        "K19 tagged input, then h2d",
        lambda: copy(source={"device": "cuda:0", "home": "cpu"}),
        MISSING,
        REFUSED,
        INPUT_REFUSED,
    ),
    (
        "K20 tagged output after d2h",
        lambda: copy(back={"device": "cuda:0", "home": "cpu"}),
        MISSING,
        REFUSED,
        REFUSED,
    ),
    (
        "K21 device type 5",
        lambda: copy(target={"device": (5, 0), "home": "cuda:0"}),
        MISSING,
        "execute error NotFound",
        "execute error NotFound",
    ),
    ("K22 constant, host kernel", lambda: constant(None), OK, OK, OK),
    ("K23 constant, CUDA delegate", lambda: constant(CUDA), OK, REFUSED, REFUSED),
    (
        "K24 every tensor tagged",
        lambda: all_host(inputs="cuda:0", inner="cuda:0"),
        OK,
        OK,
        INPUT_REFUSED,
    ),
    ("K25 only intermediates tagged", lambda: all_host(inner="cuda:0"), OK, OK, OK),
    ("K26 kernel, tagged", lambda: kernel_on_device(device="cuda:0"), OK, CRASH, CRASH),
    ("K26 kernel, untagged", lambda: kernel_on_device(device="cpu"), OK, CRASH, CRASH),
    (
        "K27 output",
        lambda: kernel_on_device(device="cuda:0", output=True),
        OK,
        CRASH,
        CRASH,
    ),
    ("K28 condition", lambda: condition(as_input=False), OK, CRASH, CRASH),
    ("K29 condition as input", lambda: condition(as_input=True), OK, INPUT_CRASH, INPUT_REFUSED),
    (
        "K30 initial state",
        lambda: state(external=False),
        OK,
        *["load_method error AccessFailed"] * 2,
    ),
    ("K32 smaller type", typed, MISSING, UNDEFINED, UNDEFINED),
    ("K33 dim order", turned, MISSING, OK, OK),
    ("K34 static sizes", lambda: copy(sizes=(8, 4)), MISSING, REFUSED, REFUSED),
    ("K34 rank", lambda: copy(sizes=(64,)), MISSING, REFUSED, REFUSED),
    ("K35 h2d without memory", lambda: without_memory(back=False), MISSING, INTERNAL, INTERNAL),
    ("K35 d2h without memory", lambda: without_memory(back=True), MISSING, INTERNAL, INTERNAL),
    ("K36 output unplanned", lambda: copy(back={"planned": False}), MISSING, OK, OK),
    (
        "K37 arena too small",
        lambda: sized(2, 512),
        *["load_method error MemoryAllocationFailed"] * 3,
    ),
    (
        "K38 negative size",
        lambda: sized(1, -1),
        "load_method error InvalidProgram",
        "load_method crash SIGABRT",
        "load_method error InvalidProgram",
    ),
    (
        "K39 output left there",
        lambda: build_program(add_method(skip_d2h=True)),
        MISSING,
        OK,
        OK,
    ),
    (
        "K40 skip_h2d, planned",
        lambda: build_program(add_method(skip_h2d=True)),
        MISSING,
        INPUT_CRASH,
        INPUT_REFUSED,
    ),
    (
        "K41 skip_h2d, unplanned",
        lambda: build_program(add_method(skip_h2d=True, plan_inputs=False)),
        MISSING,
        OK,
        OK,
    ),
    ("K42 alloc_graph_output=False", unplanned_result, MISSING, INTERNAL, INTERNAL),
    ("K43 event tracer", default, MISSING, OK, OK),
    ("K44 Python Runtime", default, MISSING, OK, OK),
]


@pytest.mark.parametrize(
    ("build", "on_1_3", "on_1_4", "on_1_5"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_row(build: Callable[[], BuiltProgram], on_1_3: str, on_1_4: str, on_1_5: str) -> None:
    built = build()
    told = {v: verdict(report(built, target=v, select=())) for v in ("1.3", "1.4", "1.5")}
    assert told == {"1.3": on_1_3, "1.4": on_1_4, "1.5": on_1_5}


def test_k18_delegate_arguments_untagged_in_a_device_arena() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, home="cuda:0")
    b.output(*b.delegate(BACKEND, [x], [b.tensor(SIZES, home="cuda:0")], device="cuda:0"))
    told = [verdict(report(b, target=v, select=())) for v in ("1.3", "1.4", "1.5")]
    assert told == [OK, INPUT_CRASH, INPUT_CRASH]


def test_k31_external_mutable_state() -> None:
    """Without the .ptd the runtime fails earlier, so only the device family is asked."""
    told = [verdict(report(state(external=True), target=v)) for v in ("1.3", "1.4", "1.5")]
    assert told == [OK, *["load_method error AccessFailed"] * 2]


@pytest.mark.parametrize(
    "need", ["a device allocator", "Module since 1.4", "the et_copy kernels (since 1.4)"]
)
def test_what_the_runner_lacks_in_k2_k3_k4_k44_is_named(need: str) -> None:
    assert need in "; ".join(only(report(default()), "PTE320").evidence["needs"])
