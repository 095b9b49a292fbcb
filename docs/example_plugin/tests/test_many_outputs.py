"""EXAMPLE002 counts outputs: exactly as many as are allowed are no finding, one more is."""

from __future__ import annotations

from example_rules import many_outputs

from pte_lint.testing import BuiltProgram, MethodBuilder, assert_finds, assert_silent, build_program


def program(outputs: int) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((4,))
    b.output(*(b.call("aten::neg.out", x, out=(4,)) for _ in range(outputs)))
    return build_program(b)


def test_one_more_than_allowed() -> None:
    (finding,) = assert_finds(program(9), many_outputs.check, "outputs")
    assert finding.message == "The method gives 9 outputs; 8 are allowed."
    assert_silent(program(8), many_outputs.check)


def test_the_option_decides() -> None:
    assert_finds(program(2), many_outputs.check, options={"most": 1})
    assert_silent(program(2), many_outputs.check, options={"most": 2})
