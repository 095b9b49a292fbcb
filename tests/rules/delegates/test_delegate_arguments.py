from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import EValue, Int, Program

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage, crash
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import write_program
from pte_lint.testing.edit import replaced
from pte_lint.testing.program_builder import build_program
from tests.fuzz.xnnpack_seeds import GraphBuilder
from tests.support.judging import judge, only, verdict
from tests.support.look import DATA

REAL = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()
LOADED = read_program(REAL)
AREA = REAL[LOADED.container.segment_base_offset :]
PLAN = "execution_plan[0]."
ARGS = PLAN + "chains[0].instructions[0].instr_args.args"


def edited(*edits: tuple[str, object]) -> bytes:
    program = LOADED.program or Program()
    for path, value in edits:
        program = replaced(program, path, value)
    return write_program(program, AREA)


@pytest.mark.parametrize(
    ("path", "value", "message", "detail"),
    [
        (
            ARGS,
            (0,),
            "The call has 1 argument, but the graph has 1 input and 1 output.",
            "undefined",
        ),
        (
            PLAN + "values[0]",
            EValue(2, Int(7)),
            "Argument 0 is no tensor, but a graph input.",
            "InvalidArgument",
        ),
    ],
)
def test_calls_that_fail(path: str, value: object, message: str, detail: str) -> None:
    report = judge(edited((path, value)), "PTE416")
    assert only(report).message == message
    assert (verdict(report).error or str(verdict(report).outcome)) == detail
    assert verdict(report).stage is Stage.EXECUTE


def test_another_element_type_is_reinterpreted() -> None:
    report = judge(edited((PLAN + "values[1].val.scalar_type", 3)), "PTE416")
    assert only(report).message == (
        "Argument 1 is int32, but the graph's output is float32: its bits are reinterpreted."
    )
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_one_argument_too_many_is_not_used() -> None:
    report = judge(edited((ARGS, (0, 1, 1))), "PTE416")
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_dynamic_outputs_may_differ() -> None:
    content = edited(
        (PLAN + "values[1].val.sizes", (4, 4)), (PLAN + "values[1].val.shape_dynamism", 1)
    )
    assert judge(content, "PTE416").findings == ()


def test_a_call_that_fits() -> None:
    assert judge(REAL, "PTE416").findings == ()


def cuda_call(extra: Callable[[MethodBuilder], int]) -> bytes:
    b = MethodBuilder()
    x = b.h2d(b.input((2,)))
    (z,) = b.delegate("CudaBackend", [x, extra(b)], [(2,)], device="cuda:0")
    b.output(b.d2h(z))
    return build_program(b).bytes()


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("an Int", lambda b: b.int_value(3)),
        ("None", lambda b: b.null()),
        ("a TensorList", lambda b: b.tensor_list([1])),
    ],
)
def test_cuda_takes_tensors_only(name: str, extra: Callable[[MethodBuilder], int]) -> None:
    said = judge(cuda_call(extra), "PTE416")
    assert f"is {name};" in only(said).message
    found = verdict(said)
    assert (found.stage, found.outcome, found.signal) == (Stage.EXECUTE, Outcome.CRASH, "SIGABRT")


def test_cuda_takes_tensors() -> None:
    assert judge(cuda_call(lambda b: b.h2d(b.input((2,)))), "PTE416").findings == ()


def test_a_move_may_leave_no_tensor_for_the_second_run() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input((2,)))
    (z,) = b.delegate("CudaBackend", [x], [(2,)], device="cuda:0")
    b.output(b.d2h(z))
    b.move(b.bool_value(False), z)
    said = judge(build_program(b).bytes(), "PTE416")
    assert only(said).message.startswith("Argument 1 is a Bool then in a second run;")
    assert verdict(said).signal == "SIGABRT"
    assert only(said).runtime == replace(crash(Stage.EXECUTE, "SIGABRT"), run=2)


@pytest.mark.parametrize("gives", [True, False])
def test_an_output_that_the_graph_does_not_give(gives: bool) -> None:
    """The call hands over an input and an output; the other graph has them the other way round."""
    g = GraphBuilder()
    first, second = g.external(1 if gives else 2, (2, 3)), g.external(2 if gives else 1, (2, 3))
    source, made = (first, second) if gives else (second, first)
    g.node("Abs", input_id=source, output_id=made)
    b = MethodBuilder()
    for result in b.delegate(
        "XnnpackBackend", [b.input((2, 3))], [b.tensor((2, 3))], blob=g.blob()
    ):
        b.output(result)
    report = judge(build_program(b).bytes(), "PTE416")
    if gives:
        assert report.findings == ()
        return
    assert only(report).message == (
        "Argument 1 is used later, nothing but this call can write it, and the graph does not give "
        "it."
    )
    assert verdict(report).outcome is Outcome.UNDEFINED
