"""The command line, run in process with rules that do not depend on the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.rulebook.rule import Rule
from tests.support import sample_rules

Run = Callable[..., Result]

MODEL = Path(__file__).parents[2] / "data" / "clean" / "linear.pte"
"""A real program with one method `forward` and one input."""


def use_rules(monkeypatch: pytest.MonkeyPatch, rules: tuple[Rule, ...]) -> None:
    """Makes these the catalogue, for commands that run in this process."""
    for module in ("pte_lint.cli.rulebook", "pte_lint.api"):
        monkeypatch.setattr(f"{module}.load_rules", lambda isolated=False: rules)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line with the sample rules, in an empty folder."""
    use_rules(monkeypatch, sample_rules.SAMPLES)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def call(*args: str | Path, **extra: object) -> Result:
        return runner.invoke(app, [str(a) for a in args], prog_name="pte-lint", **extra)  # type: ignore[arg-type]

    return call


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A program of its own, in the working folder."""
    path = tmp_path / "model.pte"
    path.write_bytes(MODEL.read_bytes())
    return path
