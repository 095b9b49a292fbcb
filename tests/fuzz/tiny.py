"""Tiny programs that together hold every table of the format: quick to read a million times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pte_lint.schema.program import Buffer, CompileSpec, Frame, FrameList, Instruction, Span

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.fuzz.subject import Seed


def tiny_seeds() -> Iterator[Seed]:
    """The programs; of each also one without a header where nothing needs it."""
    for make in _TINY:
        program = make()
        name = make.__name__.strip("_")
        yield Seed(f"tiny/{name}", program.bytes())
        if not program.segment_data:
            yield Seed(f"tiny/{name}-headed", program.bytes(Layout(header=True)))


def _through() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.input((2,)))
    return build_program(b)


def _unary() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.input((2,)), out=(2,)))
    return build_program(b)


def _numbers() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.int_value(-1), b.double_value(0.5), b.bool_value(True), b.string_value("text"))
    b.output(b.null(), b.doubles([1.0, 2.0]), b.bools([True, False]))
    return build_program(b)


def _lists() -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((2, 3), dim_order=(1, 0))
    b.output(b.tensor_list([x, x]), b.optional_list([x, None]), b.int_list([0]))
    return build_program(b)


def _steps() -> BuiltProgram:
    b = MethodBuilder()
    x, y = b.input((2,)), b.tensor((2,))
    b.move(x, y)
    b.jump_false(b.takes(b.bool_value(True)), 0)
    b.free(y)
    return build_program(b)


def _constants() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.constant([1.0, 2.0], (2,)), b.state((2,), initial=[3.0, 4.0]))
    return build_program(b)


def _named() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.external("w", (2,)))
    return build_program(b, named_data={"key": b"bytes"})


def _inline() -> BuiltProgram:
    b = MethodBuilder()
    outs = b.delegate("SomeBackend", [b.input((2,))], [(2,)], specs={"a": b"1"}, inline=True)
    b.output(*outs)
    return build_program(b)


def _device() -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((2,), device="cuda:0", planned=False)
    b.output(*b.delegate("CudaBackend", [x], [(2,)], device="cuda:0"))
    return build_program(b)


def _traced() -> BuiltProgram:
    frames = FrameList((Frame("model.py", 3, "forward", "x + y"), Frame(None, 0, None, None)))
    chain = "execution_plan[0].chains[0]"
    return _unary().replaced(f"{chain}.stacktrace", (frames,)).replaced(f"{chain}.inputs", (0,))


def _two() -> BuiltProgram:
    methods = []
    for name in ("forward", "other"):
        methods.append(MethodBuilder(name))
        methods[-1].output(methods[-1].input((2,)))
    return build_program(*methods)


def _legacy() -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.input((2,)))
    program = build_program(b).program
    source = bytes(range(16)) * 2
    buffers = (Buffer(Span(0, 0)), Buffer(Span(0, 16)), Buffer(None))
    return BuiltProgram(replace(program, constant_buffer=buffers), source=source)


def _empty() -> BuiltProgram:
    chains = (Instruction(0, None),)
    program = _inline().replaced("execution_plan[0].chains[0].instructions", chains)
    spec = (CompileSpec(None, None),)
    return program.replaced("execution_plan[0].delegates[0].compile_specs", spec)


_TINY: tuple[Callable[[], BuiltProgram], ...] = (
    _through, _unary, _numbers, _lists, _steps, _constants, _named, _inline, _device, _traced, _two,
    _legacy, _empty,
)  # fmt: skip
