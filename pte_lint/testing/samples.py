"""Files that every rule has to cope with: programs that run, and what is no such program."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import build_program


def running() -> Iterator[tuple[str, bytes]]:
    """Programs that run to their end on every runtime, with what is special about each."""
    yield "an addition", build_program(_adder()).bytes()
    yield "two methods", build_program(_adder("encode"), _adder("decode")).bytes()
    yield "tensors without elements", build_program(_adder(sizes=(0, 3))).bytes()
    yield "tensors without dimensions", build_program(_adder(sizes=())).bytes()
    yield "inputs without memory", build_program(_unplanned()).bytes()
    yield "sizes that are upper bounds", build_program(_dynamic()).bytes()
    yield "a state and a constant", build_program(_counter()).bytes()
    yield "a method without inputs", build_program(_constant()).bytes()
    yield "a jump", build_program(_jump()).bytes()
    yield "an absent input", build_program(_absent()).bytes()


def others() -> Iterator[tuple[str, bytes]]:
    """Files that hold no program, or one that does not run on every machine."""
    yield "no bytes", b""
    yield "text", b"not a program at all\n" * 9
    program = build_program(_adder())
    whole = build_program(_counter()).bytes()
    yield "a program that is cut", whole[: len(whole) // 2]
    yield "a program of another format", program.bytes(Layout(identifier=b"ET99"))
    yield "no methods", build_program().bytes()
    yield "methods without names", program.replaced("execution_plan[0].name", None).bytes()
    yield "absent tables", program.replaced("execution_plan[0].values", None).bytes()
    yield "absent chains", program.replaced("execution_plan[0].chains", None).bytes()
    yield (
        "an operator without a name",
        program.replaced("execution_plan[0].operators[0].name", None).bytes(),
    )
    yield "a value out of range", program.replaced("execution_plan[0].inputs", (0, 99)).bytes()
    yield "names with escapes", build_program(_adder("\x1b[31m<b>`\u202e\n")).bytes()
    yield "a delegate on a device", build_program(_device()).bytes()
    yield "a data file", build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()
    yield (
        "a program with test cases",
        build_bundle(program.bytes(), {"forward": [([], [])]}).bytes(),
    )


def _adder(name: str = "forward", sizes: tuple[int, ...] = (2, 2)) -> MethodBuilder:
    b = MethodBuilder(name)
    b.output(b.add(b.input(sizes), b.input(sizes)))
    return b


def _unplanned() -> MethodBuilder:
    b = MethodBuilder()
    x, y = b.input((2, 2), planned=False), b.input((2, 2), planned=False)
    b.output(b.add(x, y))
    return b


def _dynamic() -> MethodBuilder:
    b = MethodBuilder()
    x = b.input((4,), dynamism=1)
    out = b.tensor((4,), dynamism=1)
    b.output(b.call("aten::relu.out", x, out=out))
    return b


def _counter() -> MethodBuilder:
    b = MethodBuilder()
    state = b.state((3,), initial=[1, 2, 3])
    total = b.add(b.add(state, b.input((3,))), b.constant([4, 5, 6], (3,)))
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    b.output(total)
    return b


def _constant() -> MethodBuilder:
    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.constant([1, -2], (2,)), out=(2,)))
    return b


def _jump() -> MethodBuilder:
    b = MethodBuilder()
    x, condition = b.input((2,)), b.input((1,), "bool")
    out = b.tensor((2,))
    b.call("aten::neg.out", x, out=out)
    end = b.mark()
    end.at = None
    b.jump_false(condition, end)
    b.call("aten::relu.out", x, out=out)
    b.mark(end)
    b.call("aten::relu.out", out, out=out)
    b.output(out)
    return b


def _absent() -> MethodBuilder:
    b = MethodBuilder()
    x = b.input((2,))
    low, high = b.double_value(0.0), b.null()
    b.output(b.call("aten::clamp.out", x, low, high, out=(2,)))
    return b


def _device() -> MethodBuilder:
    b = MethodBuilder()
    x = b.input((8, 8))
    (z,) = b.delegate("CudaBackend", [b.h2d(x)], outputs=[(8, 8)], device="cuda:0")
    b.output(b.d2h(z))
    return b
