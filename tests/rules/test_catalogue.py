"""The catalogue is complete: every rule is documented, tested, and has a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pte_lint.rulebook.families import FAMILIES
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import HEADINGS, Rule
from pte_lint.rulebook.ruledoc import document

ROOT = Path(__file__).parents[2]
RULES = load_rules(isolated=True)

each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])


def test_ids_and_names_are_unique_and_sorted() -> None:
    from pte_lint.rules import RULES as LISTED

    assert [r.id for r in LISTED] == sorted({r.id for r in LISTED})
    assert len({r.name for r in RULES}) == len(RULES)


@each_rule
def test_the_id_and_the_name_have_their_form(rule: Rule) -> None:
    assert re.fullmatch(r"PTE[0-8]\d\d", rule.id)
    assert rule.family in FAMILIES
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|[a-z0-9]+", rule.name)


@each_rule
def test_the_file_is_named_like_the_rule(rule: Rule) -> None:
    assert rule.module.rpartition(".")[2] == rule.name.replace("-", "_")


@each_rule
def test_every_heading_has_text(rule: Rule) -> None:
    assert document(rule).missing == ()
    assert [s.heading for s in document(rule).sections] == list(HEADINGS)


@each_rule
def test_the_summary_completes_the_word_finds(rule: Rule) -> None:
    assert rule.summary
    assert not rule.summary.endswith(".")
    assert len(rule.summary) <= 100
    assert "\n" not in rule.summary


@each_rule
def test_the_rule_has_a_test_module(rule: Rule) -> None:
    *_, family, name = rule.module.split(".")
    assert (ROOT / "tests" / "rules" / family / f"test_{name}.py").is_file()


@each_rule
def test_the_rule_has_a_page(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules" / f"{rule.id}.md").read_text("utf-8")
    assert page.startswith(f"# {rule.id} {rule.name}\n")
    assert f"(docs/rules/{rule.id}.md)" in (ROOT / "README.md").read_text("utf-8")
