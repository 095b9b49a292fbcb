"""Lays text out for readers: 80 columns whatever the terminal, colour or none.

A fixed width makes the output of a laptop and of a CI job the same bytes. Colour is put on after
wrapping, so that taking it off again gives exactly the plain output.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from pte_lint.text import sanitise
from pte_lint.text.prose import Block, BlockKind

WIDTH: Final = 80

_CODES: Final = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "good": "32",
    "strong": "1",
    "dim": "2",
    "code": "36",
}


class Painter:
    """Colours finished pieces of text, or leaves them alone."""

    def __init__(self, colour: bool) -> None:
        """Creates a painter; without colour it changes nothing."""
        self._colour = colour

    def __call__(self, text: str, style: str) -> str:
        """Returns `text` in a style: a severity, `good`, `strong`, `dim` or `code`."""
        if not self._colour or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def wrap(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Wraps one paragraph; `first` replaces the indent of the first line (a label, a bullet).

    The text is made safe here, so that nothing can be wrapped that was not.
    """
    lines = textwrap.wrap(
        sanitise.prose(text),
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return lines or [(indent if first is None else first).rstrip()]


def labelled(
    label: str,
    text: str,
    indent: str,
    paint: Painter,
    *,
    style: str = "dim",
    hanging: int | None = None,
) -> list[str]:
    """A paragraph that starts with a label.

    Its further lines stand `hanging` columns to the right of the label; below the text by default.
    """
    lead = f"{indent}{label}"
    lines = wrap(text, indent + " " * (len(label) if hanging is None else hanging), first=lead)
    lines[0] = indent + paint(label.rstrip(), style) + lines[0][len(indent) + len(label.rstrip()) :]
    return lines


def render(
    parts: Iterable[Block], indent: str, paint: Painter, code_indent: str | None = None
) -> Iterator[str]:
    """Renders blocks one below the other with a blank line between them (not between items).

    Code is never wrapped; `code_indent` stands before its lines, four spaces more than `indent`
    by default.
    """
    code = indent + "    " if code_indent is None else code_indent
    before: BlockKind | None = None
    for part in parts:
        if before is not None and not (before is part.kind is BlockKind.ITEM):
            yield ""
        before = part.kind
        if part.kind is BlockKind.CODE:
            for line in part.text.split("\n"):
                yield f"{code}{paint(sanitise.prose(line), 'code')}".rstrip()
        elif part.kind is BlockKind.ITEM:
            yield from wrap(part.text, indent + "  ", first=indent + "- ")
        else:
            yield from wrap(part.text, indent)
