"""The README shows what really happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from tests.support.golden import UPDATE

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(name: str) -> str:
    match = re.search(rf"<!-- readme: {name} -->\n```\w+\n(.*?)\n```", README, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(("name", "code"), [("clean", 0), ("output", 1)])
def test_the_output_is_the_real_one(name: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block(name).partition("\n")
    words = shlex.split(command.removeprefix("$ "))
    result = CliRunner().invoke(app, [words[1], "--isolated", *words[2:]], prog_name="pte-lint")
    assert result.exit_code == code
    printed = result.stdout.rstrip()
    if UPDATE:
        path = ROOT / "README.md"
        text = path.read_text("utf-8").replace(f"{command}\n{shown}\n", f"{command}\n{printed}\n")
        path.write_text(text, "utf-8")
    assert printed == shown or UPDATE


def test_the_first_command_names_a_file_in_the_repository() -> None:
    command = block("try")
    file = ROOT / command.split()[-1]
    assert file.is_file()
    assert CliRunner().invoke(app, ["check", str(file), "--isolated"]).exit_code == 0
    assert "pip install ." in command


def test_the_test_command_exists() -> None:
    script = ROOT / block("all tests")
    assert script.is_file()
    assert script.stat().st_mode & 0o100


def test_every_linked_file_exists() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        if not link.startswith("http"):
            assert (ROOT / link).exists(), link


def test_exit_codes_are_those_of_the_command() -> None:
    from pte_lint.cli import exit_codes

    shown = {int(code) for code in re.findall(r"^\| (\d) \|", README, re.MULTILINE)}
    assert shown == {
        exit_codes.CLEAN,
        exit_codes.FINDINGS,
        exit_codes.TROUBLE,
        exit_codes.NOTHING,
    }
