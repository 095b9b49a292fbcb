"""Rules' docstrings taken apart."""

from __future__ import annotations

from pte_lint.rulebook.rule import HEADINGS
from pte_lint.rulebook.ruledoc import document, parse
from pte_lint.text.prose import BlockKind
from tests.support.sample_rules import input_seen


def test_a_complete_docstring_has_every_section_in_order() -> None:
    doc = document(input_seen)
    assert tuple(s.heading for s in doc.sections) == HEADINGS
    assert doc.missing == ()
    assert doc.opening.startswith("Finds nothing much")


def test_sections_are_dedented_and_keep_their_code() -> None:
    section = document(input_seen).section("How to fix it")
    assert section is not None
    assert section.text == "Do this:\n\n    config = ExecutorchBackendConfig()"
    assert [b.kind for b in section.blocks] == [BlockKind.PARAGRAPH, BlockKind.CODE]


def test_text_may_start_at_the_margin() -> None:
    doc = parse("Opening.\n\nWhat it finds:\nThis.\n\n    code()\n\nSeen in:\nx#1\n")
    section = doc.section("What it finds")
    assert section is not None
    assert section.text == "This.\n\n    code()"


def test_empty_and_absent_sections_are_missing() -> None:
    doc = parse("Opening.\n\nWhat it finds:\n\nSeen in:\n    x#1\n")
    assert doc.missing == HEADINGS[:-1]


def test_any_docstring_is_accepted() -> None:
    assert parse("").missing == HEADINGS
    assert parse("What it finds: inline").sections == ()
