"""Path and text globs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.text.globs import path_matches, text_matches


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.pte", "model.pte", True),
        ("*.pte", "deep/down/model.pte", True),
        ("model.pte", "deep/model.pte", True),
        ("exported/*.pte", "exported/model.pte", True),
        ("exported/*.pte", "exported/deep/model.pte", False),
        ("exported/**/*.pte", "exported/deep/er/model.pte", True),
        ("exported/**/*.pte", "exported/model.pte", True),
        ("exported/**", "exported/deep/model.pte", True),
        ("exported/", "exported/deep/model.pte", True),
        ("./exported/*.pte", "exported/a.pte", True),
        ("exported/*.pte", "./exported/a.pte", True),
        ("a?.pte", "ab.pte", True),
        ("a?.pte", "a/.pte", False),
        ("m[0].pte", "m[0].pte", True),
        ("m[0].pte", "m0.pte", False),
        ("*.pte", "model.pte\n", False),
    ],
)
def test_path(pattern: str, path: str, matches: bool) -> None:
    assert path_matches(pattern, path) is matches


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("execution_plan[0].values[*]", "execution_plan[0].values[17]", True),
        ("execution_plan[0].values[*]", "execution_plan[1].values[17]", False),
        ("input *", "input 0", True),
        ("input ?", "input 10", False),
        ("*", "", True),
        ("a.c", "abc", False),
        ("*", "a\nb", True),
    ],
)
def test_text(pattern: str, text: str, matches: bool) -> None:
    assert text_matches(pattern, text) is matches


@pytest.mark.parametrize(
    ("matches", "pattern", "text"),
    [
        (path_matches, "**/" * 60 + "x", "a/" * 60),
        (path_matches, "/" + "*a" * 60 + "b", "/" + "a" * 300),
        (path_matches, "/" + "**a" * 60 + "b", "/" + "a" * 300),
        (text_matches, "*a" * 2_000 + "b", "a" * 100_000),
        (text_matches, "*a*" * 2_000 + "b", "a" * 100_000),
    ],
)
def test_patterns_that_make_regular_expressions_try_for_ever(
    matches: Callable[[str, str], bool], pattern: str, text: str
) -> None:
    assert matches(pattern, text) is False
    assert matches(pattern, text + pattern[-1]) is True
