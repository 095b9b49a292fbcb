from __future__ import annotations

from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def copying() -> bytes:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.input((2, 2)))))
    return build_program(b).bytes()


def test_boundary_copies_exist_since_1_4() -> None:
    report = judge(copying(), "PTE601")
    assert report.findings == ()
    assert [report.runs_on[v][0].error for v in ("1.2", "1.3", "1.4", "1.5")] == [
        "OperatorMissing",
        "OperatorMissing",
        None,
        None,
    ]


def test_for_an_older_target_it_is_shown() -> None:
    report = judge(copying(), "PTE601", target=Target(runtime="1.3"))
    assert [f.evidence["operator"] for f in report.findings] == [
        "et_copy::_h2d_copy.out",
        "et_copy::_d2h_copy.out",
    ]
    assert verdict(report).error == "OperatorMissing"


def test_a_prim_op_of_1_4() -> None:
    b = MethodBuilder()
    b.kernel("executorch_prim::sym_not.Scalar", b.bool_value(True), b.bool_value(False))
    target = Target(runtime="1.3")
    assert only(judge(build_program(b).bytes(), "PTE601", target=target)).location.instruction == 0


def test_old_operators() -> None:
    report = judge(plain().bytes(), "PTE601", target=Target(runtime="1.2"))
    assert report.findings == ()
