from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder_program, found, only

RULE = "PTE804"


def test_views_that_are_copied() -> None:
    b = MethodBuilder()
    x = b.input((2, 3))
    empty = b.call("aten::unsqueeze_copy.out", b.input((0,)), b.int_value(0), out=(1, 0))
    y = b.call("aten::unsqueeze_copy.out", x, b.int_value(0), out=(1, 2, 3))
    z = b.call("aten::view_copy.out", y, b.ints((6,)), out=(6,))
    b.output(z, empty)
    finding = only(build_program(b), RULE)
    assert finding.message == (
        "2 views are copied, 48 bytes a run: aten::unsqueeze_copy.out (24), "
        "aten::view_copy.out (24)."
    )
    assert (finding.location.instruction, finding.evidence["calls"]) == (1, 2)


def test_calls_that_move_nothing_for_a_view() -> None:
    assert found(adder_program(), RULE) == ()
