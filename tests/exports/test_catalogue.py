"""Every rule has an export that shows it, or says why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exports.catalogue import rules_with_scripts
from tests.exports.reasons import REASONS
from tests.support.golden import check_golden
from tests.support.snippets import RULES, is_python, printed

GOLDEN = Path(__file__).parent / "golden" / "not_carried_out.txt"


def test_every_rule_has_a_script_or_a_reason() -> None:
    assert set(RULES) - rules_with_scripts() - set(REASONS) == set()


def test_no_script_and_no_reason_is_for_a_rule_that_is_not_there() -> None:
    assert (rules_with_scripts() | set(REASONS)) - set(RULES) == set()


@pytest.mark.parametrize("rule", sorted(set(REASONS) - rules_with_scripts()))
def test_a_reason_says_what_the_snippets_are_carried_out_on(rule: str) -> None:
    has_python = any(is_python(code) and "{}" not in code for code in printed(RULES[rule]))
    assert (REASONS[rule].on is not None) == has_python


def test_what_no_export_carries_out_is_listed() -> None:
    """Lines for a shell, a build, C++ and TOML, and Python that is filled in for a finding that no
    export shows. Whoever adds one reads it here, and tries it by hand."""
    scripts = rules_with_scripts()
    listed = [
        f"{rule}: {line}\n"
        for rule in sorted(RULES)
        for code in printed(RULES[rule])
        for line in code.splitlines()
        if not is_carried_out(rule, code, scripts)
    ]
    check_golden(GOLDEN, "".join(listed))


def is_carried_out(rule: str, code: str, scripts: frozenset[str]) -> bool:
    if code.startswith("pte-lint fix "):
        return rule in scripts
    if not is_python(code):
        return False
    reason = REASONS.get(rule)
    return rule in scripts or (reason is not None and reason.on is not None and "{}" not in code)
