"""Text from a file inside of markdown that a forge renders: nothing in it may become markup.

Names go into code spans, where neither markup nor HTML nor mentions nor links are read. Sentences
are escaped character by character.
"""

from __future__ import annotations

import re

from pte_lint.text import sanitise

_MARKUP = re.compile(r"[\\`*_\[\]#!|~$^]|(?<=\])\(")
_BLOCK = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
"""What begins a list or underlines a title, at the start of a line only."""
_LINKS = re.compile(r"@|://|\bwww\.|(?<=\w)#(?=\d)", re.IGNORECASE)
_BREAK = "<!-- -->"
"""Parts a word for the forge's filters (mentions, links) and shows nothing."""


def code(text: str, limit: int = sanitise.NAME_LIMIT) -> str:
    """A code span; also good inside a table cell."""
    safe = sanitise.name(text, limit)
    if not safe:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", safe)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if safe.startswith("`") or safe.endswith("`") or not safe.strip() else ""
    # A table is cut at its bars before code spans are read, so a bar is escaped even there.
    return f"{fence}{pad}{safe}{pad}{fence}".replace("|", "\\|")


def prose(text: str) -> str:
    """One line of text whose every character means itself."""
    safe = sanitise.prose(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _MARKUP.sub(lambda m: "\\" + m[0], safe)
    safe = _BLOCK.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] in "-+=" else f"{m[1]}{m[2]}\\", safe)
    return _LINKS.sub(lambda m: m[0][0] + _BREAK + m[0][1:], safe)
