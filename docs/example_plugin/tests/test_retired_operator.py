"""EXAMPLE003 fires on operators that are gone, and the real runtime shows it."""

from __future__ import annotations

from example_rules import retired_operator

from pte_lint.testing import (
    BuiltProgram,
    MethodBuilder,
    Runtime,
    assert_finds,
    assert_silent,
    build_program,
)


def program(*operators: str) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((4,))
    for name in operators:
        x = b.call(name, x, out=(4,))
    b.output(x)
    return build_program(b)


BAD = program("aten::neg.out", "acme::fast_gelu.out", "acme::fast_gelu.out")
GOOD = program("aten::neg.out", "aten::relu.out")


def test_it_fires_once_an_operator() -> None:
    (finding,) = assert_finds(BAD, retired_operator.check, "acme::fast_gelu.out")
    assert finding.location.instruction == 1
    assert str(finding.runtime) == "load_method: error OperatorMissing"


def test_it_is_silent_about_what_is_there() -> None:
    assert_silent(GOOD, retired_operator.check)


def test_the_runtime_shows_it(pte_lint_runtime: Runtime) -> None:
    pte_lint_runtime.assert_confirms(BAD, retired_operator.check)
    pte_lint_runtime.assert_runs(GOOD)
