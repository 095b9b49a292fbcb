"""Puts settings, findings and changes into one report, a comment, and the summary of the job."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pte_lint.report.markdown_safe import code, prose
from steps import compare, lint
from steps.job import WORK, nothing_selected, output, value
from steps.selection import refused
from steps.settings import InForce

_REPORT, _COMMENT = WORK / "report.md", WORK / "comment.md"
_MARKER: Final = b"<!-- pte-lint -->\n"
_NAMES: Final = 50
"""Names that a list shows."""

_COMMENT_LIMIT: Final = 60_000
"""Bytes; a comment may have 65536 characters."""
_SUMMARY_LIMIT: Final = 1_000_000
"""Bytes; a summary may have 1 MiB."""


def run() -> None:
    """The step."""
    in_force = InForce.load()
    parts = [_settings(in_force), _refused(), *_files()]
    if nothing_selected():
        parts = [_settings(in_force), "No artifact differs from the base.\n"]
    text = "\n".join(part for part in parts if part)
    _REPORT.write_text(text, "utf-8")
    content = text.encode("utf-8")
    limit = int(value("COMMENT_LIMIT") or _COMMENT_LIMIT)
    _COMMENT.write_bytes(_MARKER + _cut(content, limit, "the summary of the job has all of it"))
    if value("GITHUB_STEP_SUMMARY"):
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("ab") as file:
            file.write(_cut(content, _SUMMARY_LIMIT, "the output `report` names all of it"))
    output("report", _REPORT)
    output("comment", _COMMENT)
    news = bool(in_force.changed) or not nothing_selected()
    output("news", "true" if news else "false")


def _settings(in_force: InForce) -> str:
    """What is said when settings change."""
    if not in_force.changed:
        return ""
    lines = [
        "## pte-lint: settings are changed, and not in force",
        "",
        "The base branch's settings decide here. Different from them, and without effect until they"
        " are merged, are:",
        "",
        *_list(in_force.changed),
        "",
    ]
    if lint.PROPOSED.is_file():
        ends = lint.PROPOSED.read_text("utf-8")
        lines += [f"With the changed settings `pte-lint check` ends with exit code {ends}.", ""]
    return "\n".join(lines)


def _refused() -> str:
    found = refused()
    if not found:
        return ""
    told = [f"- {code(name)}: {prose(reason)}" for name, reason in found[:_NAMES]]
    return "\n".join(["## pte-lint: not checked, which is a failure", "", *told, *_more(found), ""])


def _files() -> Iterator[str]:
    for file in (lint.MARKDOWN, compare.MARKDOWN):
        if file.is_file():
            yield file.read_text("utf-8")
    if compare.INCOMPARABLE.is_file():
        names = json.loads(compare.INCOMPARABLE.read_text("utf-8"))
        if names:
            yield "\n".join(["These cannot be compared with the base:", "", *_list(names), ""])


def _list(names: list[str] | tuple[str, ...]) -> list[str]:
    return [*(f"- {code(name)}" for name in names[:_NAMES]), *_more(names)]


def _more(things: list[str] | tuple[str, ...] | list[tuple[str, str]]) -> list[str]:
    return [f"- and {len(things) - _NAMES} more"] if len(things) > _NAMES else []


def _cut(text: bytes, limit: int, rest: str) -> bytes:
    """The text as far as it may go; what is cut is said, outside of any block that was begun."""
    if len(text) <= limit:
        return text
    kept = text[:limit].decode("utf-8", "ignore")
    fence = ""
    for line in kept.split("\n"):
        found = re.match(r"`{3,}", line)
        if found is not None:
            fence = "" if fence and line.strip("`") == "" else fence or found[0]
    closed = f"\n{fence}" if fence else ""
    closed += "\n</details>" if kept.count("<details>") > kept.count("</details>") else ""
    return f"{kept}{closed}\n\n... cut; {rest}.\n".encode()
