"""`pte-lint explain` and `pte-lint rules`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pte_lint.rulebook.rule import HEADINGS
from tests.pte_lint.cli.conftest import Run
from tests.support.golden import check_golden

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "PTE901"),
        ("explain", "PTE901", "--format", "markdown"),
        ("explain", "PTE901", "file-seen", "--format", "json"),
        ("rules",),
        ("rules", "--format", "markdown"),
        ("rules", "--format", "json", "--select", "PTE902"),
    ],
    ids="_".join,
)
def test_golden(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0
    assert result.stderr == ""
    name = "_".join(w.strip("-") for w in words).lower()
    check_golden(GOLDEN / f"{name}.txt", result.stdout)


def test_ids_and_names_in_any_case_each_once(run: Run) -> None:
    result = run("explain", "pte902", "FILE-SEEN", "PTE902", "--format", "json")
    assert [rule["id"] for rule in json.loads(result.stdout)] == ["PTE902"]


def test_every_section_is_there_in_every_format(run: Run) -> None:
    for form in ("text", "markdown", "json"):
        text = run("explain", "PTE901", "--format", form).stdout
        assert all(heading in text for heading in HEADINGS)


def test_80_columns(run: Run) -> None:
    for words in (("explain", "PTE901"), ("rules",)):
        assert max(len(line) for line in run(*words).stdout.splitlines()) <= 80


@pytest.mark.parametrize("command", ["explain", "rules --select"])
def test_an_unknown_rule_is_2_with_a_hint(run: Run, command: str) -> None:
    result = run(*command.split(), "input-sen")
    assert result.exit_code == 2
    assert result.stderr == "error: no rule matches 'input-sen'; did you mean input-seen?\n"


def test_explain_wants_a_rule(run: Run) -> None:
    assert run("explain").exit_code == 2
