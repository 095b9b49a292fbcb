"""Names and sentences inside of markdown mean themselves and nothing else."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pte_lint.report.markdown_safe import code, prose

HOSTILE = [
    "`",
    "``x`",
    "a|b",
    "<script>alert(1)</script>",
    "<!-- -->",
    "![x](http://evil)",
    "[click](javascript:alert(1))",
    "@everyone",
    "org/repo#1",
    "https://evil.example",
    "www.evil.example",
    "# title",
    "* item\n* item",
    "&lt;b&gt;",
    "\\`",
    "~~~",
    "$x$",
    "\x1b[2J\u202e",
]


@given(st.one_of(st.sampled_from(HOSTILE), st.text()))
def test_a_code_span_ends_where_it_should(text: str) -> None:
    span = code(text)
    if not text:
        assert span == ""
        return
    assert "\n" not in span
    assert not re.search(r"(?<!\\)\|", span)
    fence = re.match(r"`+", span)
    assert fence is not None
    inside = span[len(fence[0]) : -len(fence[0])]
    assert span.endswith(fence[0])
    # No run of backticks inside is as long as the fence, so nothing inside ends the span.
    assert fence[0] not in re.findall(r"`+", inside)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_sentence_is_no_markup(text: str) -> None:
    safe = prose(text)
    bare = safe.replace("<!-- -->", "")
    assert "<" not in bare
    assert ">" not in bare
    for mark in "`*_[]!|~$#":
        assert all(bare[m.start() - 1] == "\\" for m in re.finditer(re.escape(mark), bare))
    assert not re.search(r"@\w", safe)
    assert "://" not in safe
    assert "www." not in safe


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_a_sentence_reads_as_it_was(text: str) -> None:
    shown = prose(text).replace("<!-- -->", "")
    told = unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown))
    assert told == text or not text.isprintable()


@pytest.mark.parametrize("text", ["- x", "+ x", "= x", "--- x", "1. x", "22) x", " - x", "# x"])
def test_a_sentence_begins_no_block(text: str) -> None:
    safe = prose(text)
    assert re.match(r"\s*\d*\\", safe)
    assert safe.replace("\\", "") == text
