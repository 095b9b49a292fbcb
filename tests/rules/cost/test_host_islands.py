from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.judging import judge, only


def between(*operators: str) -> bytes:
    b = MethodBuilder()
    (x,) = b.delegate("XnnpackBackend", [b.input((2, 2))], outputs=[(2, 2)])
    for name in operators:
        x = b.call(name, x, out=(2, 2))
    b.output(*b.delegate("XnnpackBackend", [x], outputs=[(2, 2)]))
    return build_program(b).bytes()


def test_kernels_between_two_delegates() -> None:
    finding = only(judge(between("aten::erf.out", "aten::erf.out", "aten::sin.out"), "PTE801"))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "1 run of host kernels lies between delegate calls (3 kernel calls): aten::erf.out (2), "
        "aten::sin.out (1)."
    )
    assert finding.location.instruction == 1


def test_copies_between_delegates_are_no_island() -> None:
    assert judge(between("et_copy::_d2h_copy.out"), "PTE801").findings == ()
    assert judge(between(), "PTE801").findings == ()
