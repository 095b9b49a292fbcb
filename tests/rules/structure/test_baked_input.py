"""PTE115."""

from __future__ import annotations

from pte_lint.api import check
from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder, adder_program, found

RULE = "PTE115"


def test_what_must_be_given_is_told() -> None:
    b = adder()
    for value in (b.int_value(7), b.double_value(2.5), b.bool_value(True), b.string_value("x")):
        b.takes(value)
    findings = found(build_program(b), RULE)
    assert [f.evidence["value"] for f in findings] == [7, 2.5, True, "x"]
    assert {f.severity for f in findings} == {Severity.INFO}
    assert [f.subject for f in findings] == ["input 2", "input 3", "input 4", "input 5"]


def test_it_runs_only_when_it_is_asked_for() -> None:
    b = adder()
    b.takes(b.int_value(7))
    content = build_program(b).bytes()
    assert check(content, isolated=True).findings == ()
    assert [f.rule for f in check(content, select=[RULE], isolated=True).findings] == [RULE]


def test_tensors_and_none_are_free() -> None:
    b = adder()
    b.takes(b.null())
    assert found(build_program(b), RULE) == ()
    assert found(adder_program(), RULE) == ()
