"""The kill matrix: every rule has a defect, and what is written down about it is still so."""

from __future__ import annotations

import pytest

from pte_lint.finding import Severity
from pte_lint.registry import load_rules
from tests.fuzz.kill_matrix import PAGE, Defect, judged, page, stored

STORED = stored()


def test_every_rule_has_a_defect() -> None:
    assert {each.rule for each in STORED} == {rule.id for rule in load_rules(isolated=True)}


@pytest.mark.parametrize("defect", STORED, ids=lambda defect: defect.rule)
def test_the_rule_and_only_the_right_ones_catch_it(defect: Defect) -> None:
    findings = judged(defect).findings
    mine = [f.severity for f in findings if f.rule == defect.rule and f.severity is not None]
    assert mine
    assert str(min(mine, key=lambda severity: severity.rank)) == defect.severity
    errors = {f.rule for f in findings if f.severity is Severity.ERROR}
    assert errors == set(defect.errors)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(STORED)
