from __future__ import annotations

from pte_lint.api import check
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only


def test_matrix_products_on_the_host() -> None:
    b = MethodBuilder()
    x = b.input((4, 4))
    b.output(b.call("aten::mm.out", b.call("aten::mm.out", x, x, out=(4, 4)), x, out=(4, 4)))
    finding = only(judge(build_program(b).bytes(), "PTE802"))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "Heavy operators run on host kernels: aten::mm (2). The method has 2 kernel calls and 0 "
        "delegate calls."
    )


def test_light_operators() -> None:
    assert judge(plain().bytes(), "PTE802").findings == ()


def test_it_runs_only_when_it_is_asked_for() -> None:
    b = MethodBuilder()
    x = b.input((4, 4))
    b.output(b.call("aten::mm.out", x, x, out=(4, 4)))
    content = build_program(b).bytes()
    assert check(content, isolated=True).findings == ()
    for asked in (["PTE8"], ["heavy-undelegated"]):
        said = check(content, select=asked, isolated=True).findings
        assert "PTE802" in [f.rule for f in said]
    raised = check(content, severity={"PTE802": "warning"}, isolated=True)
    assert [f.severity for f in raised.findings] == [Severity.WARNING]
