"""PTE102."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, PLAN, adder_program, only, verdict, verdicts

RULE = "PTE102"
AT_LOAD = "load_method: error InvalidProgram"


@pytest.mark.parametrize(
    "table", ["inputs", "outputs", "non_const_buffer_sizes", "delegates", "chains"]
)
def test_an_absent_table(table: str) -> None:
    program = adder_program().replaced(f"{PLAN}.{table}", None)
    finding = only(program, RULE)
    assert finding.location.path == f"{PLAN}.{table}"
    assert verdicts(program, RULE) == (AT_LOAD, AT_LOAD)


def test_absent_values_are_refused_earlier_by_full_verification() -> None:
    program = adder_program().replaced(f"{PLAN}.values", None)
    assert verdicts(program, RULE) == ("load_program: error InvalidProgram", AT_LOAD)


def test_no_chain_and_a_chain_without_instructions() -> None:
    assert verdict(adder_program().replaced(f"{PLAN}.chains", ()), RULE) == AT_LOAD
    bare = adder_program().replaced(f"{PLAN}.chains[0].instructions", None)
    assert only(bare, RULE).location.path == f"{PLAN}.chains[0].instructions"
    assert verdict(bare, RULE) == AT_LOAD


@pytest.mark.parametrize("table", ["inputs", "outputs", "delegates", "chains[0].instructions"])
def test_empty_is_not_absent(table: str) -> None:
    assert verdict(adder_program().replaced(f"{PLAN}.{table}", ()), RULE) == OK
