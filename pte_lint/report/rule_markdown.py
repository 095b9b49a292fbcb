"""A rule's documentation as a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pte_lint.rulebook.families import title
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.ruledoc import document
from pte_lint.text.code_language import language
from pte_lint.text.prose import Block, BlockKind

_PROJECTS: Final = {
    "executorch": "pytorch/executorch",
    "TensorRT": "NVIDIA/TensorRT",
    "onnx": "onnx/onnx",
}
"""Projects that rules cite by their short names."""

_REFERENCE: Final = re.compile(r"(?<![\w/])((?:[\w.-]+/)?[A-Za-z][\w.-]*)#(\d+)\b")
_CODE_SPAN: Final = re.compile(r"(`[^`]*`)")


def rule_markdown(rule: Rule) -> str:
    """Renders the page of one rule; ends with a newline."""
    return "\n".join(_lines(rule)) + "\n"


def _lines(rule: Rule) -> Iterator[str]:
    yield f"# {rule.id} {rule.name}"
    yield ""
    yield f"Severity: **{rule.severity}**. Family {rule.family}: {title(rule.family)}."
    yield ""
    yield f"Finds {inline(rule.summary)}."
    for section in document(rule).sections:
        yield ""
        yield f"## {section.heading}"
        yield from markdown_blocks(section.blocks)
    if rule.options is not None:
        from pte_lint.rulebook.options import described

        yield from ("", "## Options", "", "| Option | Type | Default | Meaning |")
        yield "| --- | --- | --- | --- |"
        for name, kind, default, told in described(rule.options):
            yield f"| `{name}` | `{inline(kind)}` | `{inline(default)}` | {inline(told)} |"


def markdown_blocks(parts: tuple[Block, ...]) -> Iterator[str]:
    """Renders blocks, each after a blank line (items of one list without)."""
    before: BlockKind | None = None
    for part in parts:
        if not (before is part.kind is BlockKind.ITEM):
            yield ""
        before = part.kind
        if part.kind is BlockKind.CODE:
            yield f"```{language(part.text)}"
            yield from part.text.split("\n")
            yield "```"
        elif part.kind is BlockKind.ITEM:
            yield f"- {inline(part.text)}"
        else:
            yield inline(part.text)


def inline(text: str) -> str:
    """Escapes what Markdown would read as markup, outside code spans, and links references."""
    pieces = _CODE_SPAN.split(text)
    return "".join(p if i % 2 else _link(_escape(p)) for i, p in enumerate(pieces))


def _escape(text: str) -> str:
    # An underscore inside a word is no emphasis.
    return re.sub(r"([\\*<>\[\]|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", text)


def _link(text: str) -> str:
    def link(match: re.Match[str]) -> str:
        project, number = match[1].replace("\\", ""), match[2]
        full = project if "/" in project else _PROJECTS.get(project)
        if full is None:
            return match[0]
        return f"[{match[0]}](https://github.com/{full}/issues/{number})"

    return _REFERENCE.sub(link, text)
