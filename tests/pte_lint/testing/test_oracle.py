"""The fixture `pte_lint_runtime`: what the real runtime shows about programs and findings."""

from __future__ import annotations

import pytest

from pte_lint.testing import MethodBuilder, Runtime, build_program
from pte_lint.testing.data_builder import DataTensor, build_data
from tests.support.examples import adder, externally

pytestmark = pytest.mark.runtime

DATA = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})


def test_programs_run(pte_lint_runtime: Runtime) -> None:
    two = build_program(adder("a"), adder("b"))
    assert pte_lint_runtime.outcomes(two) == {"a": "execute: ok", "b": "execute: ok"}
    pte_lint_runtime.assert_runs(build_program(externally()), data=[DATA])


def test_what_fails_is_named(pte_lint_runtime: Runtime) -> None:
    assert pte_lint_runtime.outcomes(b"text" * 40) == {None: "load_program: error InvalidProgram"}
    assert pte_lint_runtime.outcomes(build_program(externally())) == {
        "forward": "load_method: error InvalidState"
    }
    with pytest.raises(AssertionError, match="the runtime says"):
        pte_lint_runtime.assert_runs(build_program(externally()))
    with pytest.raises(AssertionError, match="there are no methods"):
        pte_lint_runtime.assert_runs(build_program())


def test_findings_are_held_against_it(pte_lint_runtime: Runtime) -> None:
    missing = build_program(adder()).replaced("execution_plan[0].operators[0].name", "aten::no")
    report = pte_lint_runtime.assert_confirms(missing, "PTE401")
    assert [f.confirmation.status for f in report.findings if f.confirmation] == ["confirmed"]
    with pytest.raises(AssertionError, match="the rule finds nothing"):
        pte_lint_runtime.assert_confirms(build_program(adder()), "PTE401")


def test_a_false_claim_is_not_confirmed(pte_lint_runtime: Runtime) -> None:
    from tests.support.sample_rules import input_seen

    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.input((2,)), out=(2,)))
    with pytest.raises(AssertionError, match="refuted: forecast set_input: error NotSupported"):
        pte_lint_runtime.assert_confirms(build_program(b), input_seen)
