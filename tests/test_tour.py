"""The commands of docs/tour.md succeed or fail as it says, and print what it shows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from tests.support.golden import UPDATE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tour.md"
_BLOCK = re.compile(r"(<!-- tour(?:: (\d+))? -->\n```console\n)\$ ([^\n]*)\n(.*?)(```)", re.DOTALL)


_ALONE = {"check": ("--isolated",), "explain": ("--isolated",)}


def _printed(command: str, lines: str | None) -> str:
    words = shlex.split(command)
    assert words[0] == "pte-lint"
    result = CliRunner().invoke(app, [*words[1:], *_ALONE.get(words[1], ())], prog_name="pte-lint")
    assert result.exit_code == ("r13554" in command), result.output
    shown = result.stdout.rstrip().split("\n")
    if lines is not None and len(shown) > int(lines):
        shown = [*shown[: int(lines)], "..."]
    return "".join(f"{line}\n" for line in shown)


def test_the_tour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    def made(match: re.Match[str]) -> str:
        head, lines, command, _, end = match.groups()
        return f"{head}$ {command}\n{_printed(command, lines)}{end}"

    text = PAGE.read_text("utf-8")
    new = _BLOCK.sub(made, text)
    assert len(_BLOCK.findall(text)) >= 7
    if UPDATE:
        PAGE.write_text(new, "utf-8")
    assert new == text or UPDATE


def test_completion_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert f"_PTE_LINT_COMPLETE={shell}_source pte-lint" in PAGE.read_text("utf-8")
        monkeypatch.setitem(os.environ, "_PTE_LINT_COMPLETE", f"{shell}_source")
        result = CliRunner().invoke(app, [], prog_name="pte-lint")
        assert "_PTE_LINT_COMPLETE" in result.output
        assert "pte_lint" in result.output


def test_every_link_leads_somewhere() -> None:
    for page in (PAGE, ROOT / "docs" / "troubleshooting.md"):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / link).is_file(), link
