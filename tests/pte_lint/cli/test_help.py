"""Help texts, versions, and what is said about commands that do not exist."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pte_lint._version import __version__
from pte_lint.cli.app import app
from pte_lint.cli.commands import COMMANDS
from tests.pte_lint.cli.conftest import Run
from tests.support.golden import check_golden

GOLDEN = Path(__file__).parent / "golden"


def _help(*words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="pte-lint", terminal_width=80)
    assert result.exit_code == 0
    return result.stdout


def _commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    context = click.Context(app)
    for name in COMMANDS:
        found.append((name,))
        command = app.get_command(context, name)
        if isinstance(command, click.Group):
            found += [(name, child) for child in command.list_commands(context)]
    return found


@pytest.mark.parametrize("words", _commands(), ids=lambda words: "_".join(words) or "group")
def test_golden(words: tuple[str, ...]) -> None:
    text = _help(*words)
    check_golden(GOLDEN / f"help_{'_'.join(words) or 'group'}.txt", text)
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_overview_says_what_the_command_says(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").split("\n\n")[0].replace("\n", " ") == COMMANDS[name].summary


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"pte-lint {__version__}\n"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("chek", "Did you mean 'check'?"),
        ("explian", "Did you mean 'explain'?"),
        ("model.pte", "Did you mean 'pte-lint check model.pte'?"),
        ("qqqq", "No such command 'qqqq'."),
    ],
)
def test_an_unknown_command_is_2_with_a_hint(run: Run, word: str, hint: str) -> None:
    result = run(word)
    assert result.exit_code == 2
    assert hint in result.stderr


@pytest.mark.parametrize("word", ["--chek", "-x.pte"])
def test_an_option_after_two_dashes_is_no_command_to_guess(run: Run, word: str) -> None:
    result = run("--", word)
    assert result.exit_code == 2
    assert "No such option" in result.stderr


def test_no_command_shows_the_help_and_is_2(run: Run) -> None:
    result = run()
    assert result.exit_code == 2
    assert "Commands:" in result.stderr


def test_an_unforeseen_exception_is_2_not_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("pte_lint.cli.rulebook.load_rules", fail)
    result = run("rules")
    assert result.exit_code == 2
    assert "internal error in pte-lint" in result.stderr
    assert "RuntimeError: unforeseen" in result.stderr


def test_the_keyboard_stops_it_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pte_lint.cli.rulebook.load_rules", stop)
    assert run("rules").exit_code == 130
