"""The kill matrix: every rule has a defect, and what is written down about it is still so."""

from __future__ import annotations

import pytest

from pte_lint.finding import Severity
from pte_lint.registry import load_rules
from tests.fuzz.kill_matrix import PAGE, Defect, judged, page, stored

STORED = stored()


WITHOUT_DEFECT = frozenset(
    [
        "PTE001",
        "PTE003",
        "PTE008",
        "PTE013",
        "PTE016",
        "PTE103",
        "PTE109",
        "PTE127",
        "PTE128",
        "PTE131",
        "PTE133",
        "PTE135",
        "PTE140",
        "PTE141",
        "PTE206",
        "PTE302",
        "PTE303",
        "PTE316",
        "PTE318",
        "PTE411",
        "PTE421",
        "PTE502",
        "PTE504",
        "PTE507",
        "PTE512",
        "PTE521",
        "PTE524",
        "PTE531",
        "PTE703",
    ]
)
"""Rules for which no mutation has been found yet; their own tests show that they fire."""


def test_every_rule_has_a_defect_or_is_known_to_have_none() -> None:
    with_defect = {each.rule for each in STORED}
    assert not with_defect & WITHOUT_DEFECT
    assert with_defect | WITHOUT_DEFECT == {rule.id for rule in load_rules(isolated=True)}


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
