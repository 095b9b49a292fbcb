"""A fault that is jumped over, or a file that is whole, before the fault that counts."""

from __future__ import annotations

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import D2H, H2D, Label, MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder, found
from tests.support.device_programs import findings, report


def test_a_wrong_call_behind_one_that_is_jumped_over() -> None:
    b = adder()
    end = Label()
    b.jump(end)
    b.kernel("aten::add.out", 0, 1)
    b.mark(end)
    b.kernel("aten::add.out", 0, 1)
    assert [f.location.instruction for f in found(build_program(b), "PTE123")] == [3]


def test_a_bad_copy_behind_one_that_is_jumped_over() -> None:
    b = MethodBuilder()
    x = b.tensor((8, 8))
    b.takes(x)
    y = b.tensor((8, 4), device="cuda:0")
    end = Label()
    b.jump(end)
    b.call(H2D, x, out=y)
    b.mark(end)
    b.call(H2D, x, out=y)
    b.output(b.call(D2H, y, out=b.tensor((8, 4))))
    assert [f.location.instruction for f in findings(report(b), "PTE307")] == [2]


def test_a_header_whose_program_is_the_whole_file() -> None:
    size = len(build_program(adder()).bytes(Layout(header=True)))
    exact = build_program(adder()).bytes(Layout(header=True, program_size=size))
    artifact = pte_lint.check(exact, isolated=True).artifacts[0]
    assert [f.rule for f in artifact.findings if f.severity is Severity.ERROR] == []
