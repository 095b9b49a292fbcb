"""Every rule has an export that shows it, or says why there is none."""

from __future__ import annotations

import pytest

from tests.exports.catalogue import rules_with_scripts
from tests.exports.reasons import REASONS
from tests.support.snippets import RULES, documented, is_python


def test_every_rule_has_a_script_or_a_reason() -> None:
    assert set(RULES) - rules_with_scripts() - set(REASONS) == set()


def test_no_script_and_no_reason_is_for_a_rule_that_is_not_there() -> None:
    assert (rules_with_scripts() | set(REASONS)) - set(RULES) == set()


@pytest.mark.parametrize("rule", sorted(set(REASONS) - rules_with_scripts()))
def test_a_reason_says_what_the_snippets_are_carried_out_on(rule: str) -> None:
    has_python = any(is_python(code) for code in documented(RULES[rule]))
    assert (REASONS[rule].on is not None) == has_python
