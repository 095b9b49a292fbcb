"""Globs for paths and for logical paths.

Not `fnmatch`: there `*` crosses folders and `[0]` is a character class, while logical paths are
full of brackets (`execution_plan[0].values[3]`). Patterns come from configurations and texts from
artifacts, so none may make matching try combinations: its steps are bounded by the product of
both lengths.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_RUNS: Final = ("**/", "**", "*")
"""Wildcards that may stand for nothing."""


def path_matches(pattern: str, path: str) -> bool:
    """True when a POSIX path matches: `*` and `?` stay inside a folder, `**` crosses folders.

    A pattern without a slash is matched against the file's name alone, as in a .gitignore; a
    pattern that ends in a slash covers everything below that folder.
    """
    pattern = pattern.removeprefix("./")
    path = path.removeprefix("./")
    if "/" not in pattern:
        path = path.rpartition("/")[2]
    elif pattern.endswith("/"):
        pattern += "**"
    return _follow(_tokens(pattern), path)


def text_matches(pattern: str, text: str) -> bool:
    """True when all of `text` matches: `*` is any run of characters, `?` any single one."""
    return _text_regex(pattern).fullmatch(text) is not None


@lru_cache(maxsize=512)
def _tokens(pattern: str) -> tuple[str, ...]:
    """Wildcards and single characters; a backslash marks a character that is no wildcard."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return tuple(
        token
        for position, part in enumerate(parts)
        for token in ((part,) if position % 2 else ("\\" + character for character in part))
    )


def _follow(tokens: tuple[str, ...], text: str) -> bool:
    """Follows all ways through the tokens at once.

    A state is a token that comes next, and whether a folder of its `**/` has begun.
    """
    states = _rest(tokens, {(0, False)})
    for character in text:
        states = _rest(tokens, {n for s in states for n in _after(tokens, *s, character)})
        if not states:
            return False
    return (len(tokens), False) in states


def _rest(tokens: tuple[str, ...], states: set[tuple[int, bool]]) -> set[tuple[int, bool]]:
    """Adds the states that are reached without a character: wildcards may stand for none."""
    for first, begun in tuple(states):
        at = first
        while not begun and at < len(tokens) and tokens[at] in _RUNS:
            at += 1
            states.add((at, False))
    return states


def _after(tokens: tuple[str, ...], at: int, begun: bool, c: str) -> tuple[tuple[int, bool], ...]:
    """The states after a character."""
    if at == len(tokens):
        return ()
    match tokens[at]:
        case "**/":
            if c != "/":
                return ((at, True),)
            return ((at, False),) if begun else ()
        case "**":
            return ((at, False),)
        case "*":
            return ((at, False),) if c != "/" else ()
        case "?":
            return ((at + 1, False),) if c != "/" else ()
        case token:
            return ((at + 1, False),) if token[1] == c else ()


@lru_cache(maxsize=512)
def _text_regex(pattern: str) -> re.Pattern[str]:
    """An expression that never tries a second time.

    What lies between two stars is taken where it is found first: that leaves most to what follows.
    """
    first, *others = (
        "".join("." if c == "?" else re.escape(c) for c in part) for part in pattern.split("*")
    )
    if not others:
        return re.compile(first, re.DOTALL)
    *between, last = others
    return re.compile(
        first + "".join(f"(?>.*?{part})" for part in between) + f".*{last}", re.DOTALL
    )
