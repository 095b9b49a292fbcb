"""Globs for paths and for logical paths.

Not `fnmatch`: there `*` crosses folders and `[0]` is a character class, while logical paths are
full of brackets (`execution_plan[0].values[3]`). Patterns come from configurations and texts from
artifacts, so none may make matching try combinations: its steps are bounded by the product of
both lengths.
"""

from __future__ import annotations

import re
from functools import lru_cache


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
    return _compiled(pattern).matches(path)


def text_matches(pattern: str, text: str) -> bool:
    """True when all of `text` matches: `*` is any run of characters, `?` any single one."""
    return _text_regex(pattern).fullmatch(text) is not None


class _PathGlob:
    """A glob for paths, as an automaton that follows all ways at once.

    A state is a wildcard or character of the pattern that comes next: a bit of a number, so that a
    character of the path costs a few operations on numbers of as many bits as the pattern is long.
    """

    def __init__(self, pattern: str) -> None:
        self._characters: dict[str, int] = {}
        masks = dict.fromkeys(("**/", "**", "*", "?"), 0)
        at = 0
        for position, part in enumerate(re.split(r"(\*\*/|\*\*|\*|\?)", pattern)):
            for token in (part,) if position % 2 else part:
                kind = masks if position % 2 else self._characters
                kind[token] = kind.get(token, 0) | 1 << at
                at += 1
        self._end = 1 << at
        self._folders, self._anything, self._inside, self._one = masks.values()
        self._runs = self._folders | self._anything | self._inside

    def matches(self, path: str) -> bool:
        """True when the pattern matches all of `path`."""
        states, begun = self._rest(1), 0  # begun: inside a folder of a `**/`
        for character in path:
            after = (states & self._characters.get(character, 0)) << 1 | states & self._anything
            if character == "/":
                after, begun = after | begun, 0
            else:
                after |= (states & self._one) << 1 | states & self._inside
                begun |= states & self._folders
            states = self._rest(after)
            if not states | begun:
                return False
        return bool(states & self._end)

    def _rest(self, states: int) -> int:
        """Adds what is reached without a character: what may stand for nothing is passed over.

        Adding a bit to a row of ones carries it to the end of the row.
        """
        return states | ((states & self._runs) + self._runs) ^ self._runs


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> _PathGlob:
    return _PathGlob(pattern)


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
    # What was looked ahead at is not tried again: an atomic group, which Python 3.10 has not.
    once = (f"(?=(?P<g{n}>.*?{part}))(?P=g{n})" for n, part in enumerate(between))
    return re.compile(first + "".join(once) + f".*{last}", re.DOTALL)
