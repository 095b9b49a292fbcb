"""Globs for paths and for logical paths.

Not `fnmatch`: there `*` crosses folders and `[0]` is a character class, while logical paths are
full of brackets (`execution_plan[0].values[3]`).
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
        return _path_regex(pattern).fullmatch(path.rpartition("/")[2]) is not None
    if pattern.endswith("/"):
        pattern += "**"
    return _path_regex(pattern).fullmatch(path) is not None


def text_matches(pattern: str, text: str) -> bool:
    """True when all of `text` matches: `*` is any run of characters, `?` any single one."""
    return _text_regex(pattern).fullmatch(text) is not None


@lru_cache(maxsize=512)
def _path_regex(pattern: str) -> re.Pattern[str]:
    out: list[str] = []
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern):
        match part:
            case "**/":
                out.append(r"(?:[^/]+/)*")
            case "**":
                out.append(r".*")
            case "*":
                out.append(r"[^/]*")
            case "?":
                out.append(r"[^/]")
            case _:
                out.append(re.escape(part))
    return re.compile("".join(out), re.DOTALL)


@lru_cache(maxsize=512)
def _text_regex(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*|\?)", pattern)
    out = (".*" if p == "*" else "." if p == "?" else re.escape(p) for p in parts)
    return re.compile("".join(out), re.DOTALL)
