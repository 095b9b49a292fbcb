"""Paragraphs, items and code in text that rules write."""

from __future__ import annotations

from pte_lint.text.prose import Block, BlockKind, blocks

P, I, C = BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.CODE  # noqa: E741


def test_paragraphs_are_joined_and_separated_by_blank_lines() -> None:
    assert blocks("one\ntwo\n\nthree") == (Block(P, "one two"), Block(P, "three"))


def test_code_keeps_lines_blank_ones_too_and_loses_the_indent() -> None:
    text = "Do this:\n\n    a = [\n        1,\n    ]\n\n    b = a\n\nThen that."
    assert blocks(text) == (
        Block(P, "Do this:"),
        Block(C, "a = [\n    1,\n]\n\nb = a"),
        Block(P, "Then that."),
    )


def test_code_may_follow_and_precede_a_paragraph_without_a_blank_line() -> None:
    assert blocks("so:\n    x()\nand") == (Block(P, "so:"), Block(C, "x()"), Block(P, "and"))


def test_items_take_continuation_lines() -> None:
    assert blocks("- a\n  b\n- c\n\nd") == (Block(I, "a b"), Block(I, "c"), Block(P, "d"))


def test_nothing_gives_nothing() -> None:
    assert blocks("") == ()
    assert blocks("\n  \n") == ()
