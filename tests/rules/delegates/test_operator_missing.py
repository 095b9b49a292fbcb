from __future__ import annotations

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain, scaler
from tests.support.judging import judge, only, verdict


def calling(*names: str) -> bytes:
    b = MethodBuilder()
    x = b.input((2, 2))
    for name in names:
        x = b.call(name, x, out=(2, 2))
    b.output(x)
    return build_program(b).bytes()


def test_another_overload_is_suggested() -> None:
    report = judge(calling("aten::relu.Scalar_out"), "PTE401")
    assert "Close to it: aten::relu.out." in only(report).message
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, "OperatorMissing")


def test_a_name_that_looks_alike_is_suggested() -> None:
    finding = only(judge(calling("aten::softmax.out"), "PTE401"))
    assert "aten::_softmax.out" in finding.evidence["similar"]


def test_an_operator_is_named_once() -> None:
    report = judge(calling("custom::op.out", "aten::relu.out", "custom::op.out"), "PTE401")
    assert only(report).message.startswith("custom::op.out (2 calls) has no kernel in ")
    assert only(report).location.instruction == 0


def test_no_name_at_all() -> None:
    program = plain().replaced("execution_plan[0].operators[0].name", "")
    program = program.replaced("execution_plan[0].operators[0].overload", "")
    report = judge(program.bytes(), "PTE401")
    assert only(report).message.startswith("The operator without a name has no kernel")


@pytest.mark.parametrize("name", ["aten::relu.out", "quantized_decomposed::add.out"])
def test_kernels_that_are_there_or_in_a_library(name: str) -> None:
    assert judge(calling(name), "PTE401").findings == ()


def test_entries_that_no_call_names() -> None:
    b = scaler()
    program = build_program(b)
    operators = program.program.execution_plan[0].operators  # type: ignore[index]
    extra = program.replaced(
        "execution_plan[0].operators", lambda old: (*old, type(old[0])("custom::no", "out"))
    )
    assert operators is not None
    assert judge(extra.bytes(), "PTE401").findings == ()


def test_without_a_profile_nothing_is_judged() -> None:
    target = Target(profile=Profile(), explicit_profile=True)
    report = judge(calling("custom::op.out"), "PTE401", target=target)
    assert report.findings == ()
    assert report.rules[0].reason == "the target profile lists no kernels"


def test_names_end_at_a_zero_byte_as_they_do_in_c() -> None:
    program = plain().replaced("execution_plan[0].operators[0].overload", "out\0junk")
    report = judge(program.bytes(), "PTE401")
    assert report.findings == ()
    assert verdict(report).outcome is Outcome.OK
