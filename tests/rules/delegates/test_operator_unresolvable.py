from __future__ import annotations

import pytest
from pte_lint.schema.program import KernelCall

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_a_later_call_that_resolves_hides_the_error() -> None:
    report = judge(plain().replaced("execution_plan[0].operators[0].name", None).bytes(), "PTE403")
    assert only(report).message == (
        "Operator 0 has no name; a later kernel call resolves and hides the error: the method "
        "loads, and this call jumps through an uninitialised function pointer."
    )
    said = verdict(report)
    assert (said.stage, said.outcome, said.signal) == (Stage.EXECUTE, Outcome.CRASH, "SIGSEGV")


@pytest.mark.parametrize(
    ("name", "error"), [(None, "InvalidProgram"), ("x" * 96, "Internal"), ("x" * 200, "Internal")]
)
def test_the_last_call_decides(name: str | None, error: str) -> None:
    report = judge(plain().replaced("execution_plan[0].operators[1].name", name).bytes(), "PTE403")
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, error)


def test_99_bytes_fit() -> None:
    content = plain().replaced("execution_plan[0].operators[1].name", "x" * 95).bytes()
    assert judge(content, "PTE403").findings == ()


def test_a_missing_operator_does_not_hide_it() -> None:
    program = plain().replaced("execution_plan[0].operators[0].name", None)
    program = program.replaced("execution_plan[0].operators[1].name", "aten::nothing")
    assert verdict(judge(program.bytes(), "PTE403")).error == "InvalidProgram"
    assert verdict(judge(program.bytes())).error == "OperatorMissing"


def test_no_operator_table() -> None:
    report = judge(plain().replaced("execution_plan[0].operators", None).bytes(), "PTE403")
    assert [f.message.partition(";")[0] for f in report.findings] == [
        "The call names operator 0, but there is no operator table",
        "The call names operator 1, but there is no operator table",
    ]


def test_a_call_that_is_jumped_over_is_only_doubtful() -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    end = Label()
    b.jump(end)
    b.step(KernelCall(99, (x, x)))
    b.mark(end)
    b.output(b.call("aten::relu.out", x, out=(2, 2)))
    report = judge(build_program(b).bytes(), "PTE403")
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


@pytest.mark.parametrize(("count", "fits"), [(16, True), (17, False)])
def test_16_tensors_of_rank_16_make_a_key_that_fits(count: int, fits: bool) -> None:
    b = MethodBuilder()
    tensors = [b.tensor((1,) * 16) for _ in range(count)]
    b.kernel("aten::relu.out", *tensors)
    report = judge(build_program(b).bytes(), "PTE403")
    assert verdict(report).error == (None if fits else "InvalidArgument")
    assert len(report.findings) == (not fits)


def test_calls_that_resolve() -> None:
    assert judge(plain().bytes(), "PTE403").findings == ()
