"""The one gate for hostile text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pte_lint.text import sanitise


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("forward", "forward"),
        ("größe", "größe"),
        ("前向", "前向"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("a\x00b\x0bc\x7f\x9b", r"a\x00b\x0bc\x7f\x9b"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("a\U000e0041b", r"a\U000e0041b"),
        ("bad \udc80\ud800 utf-8", r"bad \udc80\ud800 utf-8"),
        ("\uffff", r"\uffff"),
    ],
)
def test_a_name_is_shown_without_effect(hostile: str, shown: str) -> None:
    assert sanitise.name(hostile) == shown


@given(st.text(st.characters()))
def test_whatever_the_name_it_prints_on_one_line(text: str) -> None:
    shown = sanitise.name(text)
    assert shown.isprintable()
    assert "\n" not in shown
    shown.encode("utf-8")


@given(st.text(st.characters()), st.text(st.characters()))
def test_exact_differs_from_the_original_only_where_utf8_cannot_carry_it(a: str, b: str) -> None:
    kept = sanitise.exact(a + b)
    assert json.loads(json.dumps(kept).encode("ascii")) == kept
    kept.encode("utf-8")
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in a + b):
        assert kept == a + b


def test_a_long_name_is_cut_and_says_so() -> None:
    assert sanitise.name("x" * 5_000) == "x" * 120 + "...[5000 characters]"
    assert sanitise.name("x" * 120) == "x" * 120
    assert sanitise.exact("y" * 4_096) == "y" * 4_096
    assert sanitise.exact("y" * 4_097) == "y" * 256 + "...[4097 characters]"


def test_a_name_that_grows_by_escaping_is_cut_too() -> None:
    assert len(sanitise.name("\x1b" * 119)) < 160


def test_a_block_keeps_its_lines_and_nothing_else() -> None:
    assert sanitise.block("a\n    b\x07\r\nc") == "a\n    b\\x07\\r\nc"


def test_a_megabyte_costs_no_more_than_its_head() -> None:
    class Counting(str):
        read = 0

        def __getitem__(self, key: object) -> str:
            part = super().__getitem__(key)  # type: ignore[index]
            Counting.read += len(part)
            return part

    sanitise.name(Counting("\x1b" * 1_000_000))
    assert 0 < Counting.read < 1_000
