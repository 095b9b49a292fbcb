"""`assert_finds` and `assert_silent`: what they accept, and that they fail with a reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pte_lint.plugin import Finding, Options, Severity, Yields, method_rule
from pte_lint.rulebook.rule import Rule
from pte_lint.testing import MethodBuilder, assert_finds, assert_silent, build_program, judge
from pte_lint.testing.data_builder import DataTensor, build_data
from tests.support import sample_rules
from tests.support.examples import adder, externally

ADDER = build_program(adder())
NOTHING = build_program(MethodBuilder())


class Limits(Options):
    most: int = 2


@method_rule("ACME001", "many-inputs", Severity.WARNING, "many inputs", options=Limits)
def many(method, context, options) -> Yields:
    if len(method.inputs) > options.most:
        yield Finding(message="Many.", remediation="", subject="inputs")


@method_rule("ACME002", "rule-that-breaks", Severity.WARNING, "nothing")
def breaks(method, context) -> Iterator[Finding]:
    yield Finding(message=1, remediation="")


def documented(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> Rule:
    """The rule as if its module had a rule's docstring."""
    import sys

    monkeypatch.setattr(sys.modules[rule.module], "__doc__", sample_rules.__doc__)
    return rule


def test_findings_are_returned_in_order() -> None:
    found = assert_finds(ADDER, sample_rules.input_seen, "input 0", "input 1")
    assert [f.message for f in found] == ["Input 0 is there.", "Input 1 is there."]
    assert len(assert_finds(ADDER.bytes(), sample_rules.input_seen)) == 2


@pytest.mark.parametrize("subjects", [("input 0",), ("input 1", "input 0"), ("input 0",) * 2])
def test_other_subjects_fail(subjects: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match=r"PTE901 \(input-seen\) finds something about"):
        assert_finds(ADDER, sample_rules.input_seen, *subjects)


def test_silence_fails_where_a_finding_is_wanted() -> None:
    with pytest.raises(AssertionError, match=r"PTE901 \(input-seen\) finds nothing"):
        assert_finds(NOTHING, sample_rules.input_seen)
    assert_silent(NOTHING, sample_rules.input_seen)


def test_a_finding_fails_where_silence_is_wanted() -> None:
    with pytest.raises(AssertionError, match=r"finds something:\n  input 0: Input 0 is there"):
        assert_silent(ADDER, sample_rules.input_seen)


def test_a_rule_that_was_not_evaluated_is_not_silent() -> None:
    with pytest.raises(AssertionError, match="was not evaluated: no method could be read"):
        assert_silent(b"text", sample_rules.input_seen)


def test_an_installed_rule_is_named() -> None:
    external = build_program(externally())
    assert_silent(external, "PTE513", data=[build_data({"w": _tensor()})])
    assert_finds(external, "external-key-missing", data=[build_data({"v": _tensor()})])


def _tensor() -> DataTensor:
    return DataTensor([1, 2, 3, 4], (2, 2))


def test_options_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = documented(many, monkeypatch)
    assert_silent(ADDER, rule)
    assert_finds(ADDER, rule, "inputs", options={"most": 1})


def test_a_rule_that_no_plugin_can_have_is_refused() -> None:
    with pytest.raises(AssertionError, match="ACME001 cannot be used in a plugin:\nthe docstring"):
        judge(ADDER, many)


def test_a_rule_that_fails_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="the message of a Finding is 1: it must be a str"):
        assert_silent(ADDER, documented(breaks, monkeypatch))
