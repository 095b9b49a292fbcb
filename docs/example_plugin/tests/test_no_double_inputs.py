"""EXAMPLE001 fires on the smallest bad program, and is silent on the nearest good one."""

from __future__ import annotations

from example_rules import no_double_inputs

from pte_lint.testing import BuiltProgram, MethodBuilder, assert_finds, assert_silent, build_program


def program(first: str, second: str) -> BuiltProgram:
    b = MethodBuilder()
    x, y = b.input((4,), first), b.input((4,), second)
    b.output(b.call("aten::neg.out", x, out=(4,)), b.call("aten::neg.out", y, out=(4,)))
    return build_program(b)


def test_it_fires_behind_what_is_good() -> None:
    (finding,) = assert_finds(program("float32", "float64"), no_double_inputs.check, "input 1")
    assert finding.message == "Input 1 is float64."
    assert finding.location.value == 1


def test_it_is_silent_where_all_is_good() -> None:
    assert_silent(program("float32", "float32"), no_double_inputs.check)
