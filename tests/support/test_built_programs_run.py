"""Built programs are programs: the real runtime runs them, and computes what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.harness.outcome import MethodRun
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.data_builder import BuiltData, DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.runtime import need_runtime, run_built

pytestmark = pytest.mark.runtime


@pytest.fixture(autouse=True)
def runtime() -> None:
    need_runtime()


def ran(folder: Path, *methods: MethodBuilder, data: BuiltData | None = None) -> list[MethodRun]:
    """The run of each method with all inputs 1; every one of them must be ok."""
    run = run_built(folder, build_program(*methods), data)
    assert run.program.outcome == "ok", run.program.logs
    found = [method.runs[0] for method in run.methods]
    for each in found:
        assert (each.outcome, each.remarks) == ("ok", ()), each.logs
    return found


def values(run: MethodRun) -> list[object]:
    """Each output: a tensor's first four elements, or the value."""
    return [list(out.head) if out.kind == "tensor" else out.value for out in run.outputs]


def test_constants(tmp_path: Path) -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    c = b.constant([1, 2, 3, 4], (2, 2))
    b.output(b.call("aten::mul.out", b.add(x, c), c, out=(2, 2)))
    assert values(ran(tmp_path, b)[0]) == [[2, 6, 12, 20]]


@pytest.mark.parametrize(("flag", "expected"), [(1, 10.0), (0, 20.0)])
def test_branches(tmp_path: Path, flag: int, expected: float) -> None:
    b = MethodBuilder()
    out = b.tensor((1,), planned=False)
    predicate = b.constant([bool(flag)], (), "bool")
    other, end = Label(), Label()
    b.jump_false(predicate, other)
    b.move(b.add(b.constant([9], (1,)), b.constant([1], (1,))), out)
    b.jump(end)
    b.mark(other)
    b.move(b.add(b.constant([19], (1,)), b.constant([1], (1,))), out)
    b.mark(end)
    b.output(out)
    assert values(ran(tmp_path, b)[0]) == [[expected]]


def test_loops(tmp_path: Path) -> None:
    b = MethodBuilder()
    x = b.input((1,))
    count, step, limit, done = b.int_value(0), b.int_value(1), b.int_value(3), b.null()
    start = b.mark()
    b.call("aten::add.out", x, x, b.int_value(1), out=x)
    b.kernel("executorch_prim::add.Scalar", count, step, count)
    b.kernel("executorch_prim::eq.Scalar", count, limit, done)
    b.jump_false(done, start)
    b.output(x, count)
    assert values(ran(tmp_path, b)[0]) == [[8.0], 3]


def test_states_and_values_of_several_methods(tmp_path: Path) -> None:
    a, g = MethodBuilder("accumulate"), MethodBuilder("get")
    x = a.input((3,))
    state = a.state((3,), initial=[1, 2, 3])
    total = a.add(state, x)
    a.kernel("aten::copy_", state, total, a.bool_value(False), state)
    a.output(total, state, a.bool_value(True), a.double_value(0.5), a.string_value("text"))
    g.output(g.int_value(9))
    first, second = ran(tmp_path, a, g)
    assert values(first) == [[2, 3, 4], [2, 3, 4], True, 0.5, "text"]
    assert values(second) == [9]


def test_lists(tmp_path: Path) -> None:
    b = MethodBuilder()
    x, y = b.constant(range(4), (1, 4)), b.constant([9] * 4, (1, 4))
    joined = b.call(
        "aten::cat.out", b.tensor_list([x, y]), b.int_value(0), out=(2, 4), dtype="float32"
    )
    index = b.constant([2, 0], (2,), "int64")
    picked = b.call("aten::index.Tensor_out", joined, b.optional_list([None, index]), out=(2, 2))
    b.output(b.call("aten::view_copy.out", picked, b.ints([4]), out=(4,)))
    assert values(ran(tmp_path, b)[0]) == [[2, 0, 9, 9]]


def test_external_tensors(tmp_path: Path) -> None:
    b = MethodBuilder()
    fixed, mutable = b.external("fixed", (2,)), b.external("mutable", (2,), mutable=True)
    b.output(b.add(fixed, mutable))
    data = build_data({"fixed": DataTensor([5, 6], (2,)), "mutable": DataTensor([1, 2], (2,))})
    assert values(ran(tmp_path, b, data=data)[0]) == [[6, 8]]


def test_device_delegates_between_copies(tmp_path: Path) -> None:
    b = MethodBuilder()
    x = b.input((8, 8))
    (y,) = b.delegate("SomeBackend", [b.h2d(x, device="cuda:1")], [(8, 8)], device="cuda:1")
    b.output(b.d2h(y))
    (run,) = ran(tmp_path, b)
    assert [(copy.op, copy.bytes, copy.index) for copy in run.copies] == [
        ("h2d", 256, 1),
        ("d2h", 256, 1),
    ]
    assert [call.expects for call in run.delegate_calls] == ["cuda:1"]


def test_inline_delegates_and_device_inputs(tmp_path: Path) -> None:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    y = b.tensor((4,), device="cuda:0", planned=False)
    b.delegate("SomeBackend", [x], [y], device="cuda:0", inline=True)
    b.output(y)
    (run,) = ran(tmp_path, b)
    assert [argument.where for argument in run.delegate_calls[0].args] == ["cuda:0", "cuda:0"]


def test_a_planned_device_input_is_refused(tmp_path: Path) -> None:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0")
    b.delegate("SomeBackend", [x], [(4,)], device="cuda:0")
    run = run_built(tmp_path, build_program(b)).methods[0].runs[0]
    assert (run.stage, run.outcome, run.error) == ("set_input", "error", "NotSupported")
