"""docs/inspect.md: what it shows is what is printed."""

from __future__ import annotations

import os
import re
import shlex

from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.difference.failing import Condition
from tests.action.conftest import ROOT
from tests.support.golden import UPDATE
from tests.support.look import DATA

PAGE = ROOT / "docs" / "inspect.md"
OUTPUT = re.compile(r"(<!-- output: pte-lint (.*?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def printed(command: str) -> str:
    """What a command prints about the test data."""
    here = os.getcwd()  # noqa: PTH109
    os.chdir(DATA)
    try:
        result = CliRunner().invoke(app, shlex.split(command), prog_name="pte-lint")
    finally:
        os.chdir(here)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_outputs_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    assert len(OUTPUT.findall(text)) == 2
    now = OUTPUT.sub(lambda m: m[1] + printed(m[2]) + m[4], text)
    if UPDATE:
        PAGE.write_text(now, "utf-8")
    else:
        assert text == now, "run with PTE_LINT_UPDATE_GOLDENS=1"


def test_the_conditions_on_the_page() -> None:
    rows = re.findall(r"^\| `(.*?)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 5
    for row in rows:
        for word in row.split(","):
            Condition.parse(word)
