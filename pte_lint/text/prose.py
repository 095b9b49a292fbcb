"""Text as rules write it: paragraphs, list items, and code indented by four spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

_CODE_INDENT: Final = "    "


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """One block; a paragraph or item is one long line, code keeps its lines, unindented."""

    kind: BlockKind
    text: str


def blocks(text: str) -> tuple[Block, ...]:
    """Splits remediation text or the body of a docstring's section into blocks."""
    return tuple(_blocks(text.expandtabs(4).split("\n")))


def _blocks(lines: list[str]) -> Iterator[Block]:
    kind, held = BlockKind.PARAGRAPH, list[str]()
    for line in lines:
        code = line.startswith(_CODE_INDENT)
        if not line.strip():
            if kind is BlockKind.CODE and held:
                held.append("")
                continue
            yield from _close(kind, held)
            kind, held = BlockKind.PARAGRAPH, []
        elif code and (kind is BlockKind.CODE or not held):
            kind = BlockKind.CODE
            held.append(line.removeprefix(_CODE_INDENT).rstrip())
        elif code and kind is BlockKind.PARAGRAPH:
            yield from _close(kind, held)
            kind, held = BlockKind.CODE, [line.removeprefix(_CODE_INDENT).rstrip()]
        elif line.startswith("- "):
            yield from _close(kind, held)
            kind, held = BlockKind.ITEM, [line[2:].strip()]
        elif kind is BlockKind.CODE:
            yield from _close(kind, held)
            kind, held = BlockKind.PARAGRAPH, [line.strip()]
        else:
            held.append(line.strip())
    yield from _close(kind, held)


def _close(kind: BlockKind, held: list[str]) -> Iterator[Block]:
    if kind is BlockKind.CODE:
        while held and not held[-1]:
            held.pop()
    if held:
        yield Block(kind, "\n".join(held) if kind is BlockKind.CODE else " ".join(held))
