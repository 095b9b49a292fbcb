"""The one gate for text that came out of a file, whatever the output format.

Names in an artifact are hostile input: terminal escapes, bidirectional overrides, characters that
XML forbids, invalid UTF-8 (kept by the reader as lone surrogates), megabytes of letters. Every
format passes every string through here before it applies its own escaping (markup, JSON, XML).
"""

from __future__ import annotations

from typing import Final

NAME_LIMIT: Final = 120
"""Characters of a name (method, operator, path) that a reader is shown."""

PROSE_LIMIT: Final = 2_000
"""Characters of one line of a message or remediation that a reader is shown."""

EXACT_LIMIT: Final = 4_096
"""Characters of any string in a machine format; keeps the report's size in proportion."""

KEPT_OF_LONGER: Final = 256
"""Characters that are kept of a string that is longer, since a file can repeat one at no cost."""

_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def name(text: str, limit: int = NAME_LIMIT) -> str:
    """Makes one name safe to print on one line.

    Everything that `str.isprintable` denies (controls, format characters such as bidi overrides
    and zero-width ones, surrogates, separators, unassigned code points) becomes a visible escape.
    """
    return _shorten(_visible(text[: limit + 1]), limit, len(text))


def prose(text: str) -> str:
    """Makes one line of a message safe; a newline in it becomes a visible escape as well."""
    return name(text, PROSE_LIMIT)


def block(text: str) -> str:
    """Makes text of several lines safe, line by line; only real newlines stay."""
    return "\n".join(prose(line) for line in text.split("\n"))


def exact(text: str) -> str:
    r"""Keeps a string as it is for a format with escapes of its own (JSON).

    Only lone surrogates change (to `\udcXX`, spelt out), because no valid UTF-8 or strict JSON
    can carry them, and only what exceeds `EXACT_LIMIT` is cut, to `KEPT_OF_LONGER`.
    """
    limit = EXACT_LIMIT if len(text) <= EXACT_LIMIT else KEPT_OF_LONGER
    cut = text[:limit]
    if not cut.isascii():
        cut = "".join(_escape(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in cut)
    return cut if len(text) <= limit else f"{cut}...[{len(text)} characters]"


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    known = _SHORT.get(char)
    if known is not None:
        return known
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _shorten(text: str, limit: int, original: int) -> str:
    """Cuts to `limit` characters and says how long the original was."""
    if len(text) <= limit and original <= limit:
        return text
    return f"{text[:limit]}...[{original} characters]"
