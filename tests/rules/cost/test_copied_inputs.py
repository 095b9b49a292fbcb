from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder_program, found, only

RULE = "PTE803"


def _mixed(*, planned: bool) -> MethodBuilder:
    b = MethodBuilder()
    b.output(b.add(b.input((2, 2), planned=False), b.input((2, 2), planned=planned)))
    b.takes(b.int_value(3))
    return b


def test_inputs_with_a_place_of_their_own() -> None:
    finding = only(build_program(_mixed(planned=True)), RULE)
    assert finding.message == "Setting 1 planned input copies 16 bytes a run."
    assert (finding.location.value, finding.evidence) == (1, {"inputs": 1, "bytes": 16})
    assert only(adder_program(), RULE).evidence == {"inputs": 2, "bytes": 32}


def test_inputs_in_the_memory_of_the_caller() -> None:
    assert found(build_program(_mixed(planned=False)), RULE) == ()
