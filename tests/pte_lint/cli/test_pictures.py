"""`pte-lint report`, `pte-lint memory` and `pte-lint graph`."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Rule, Scope, Yields
from tests.pte_lint.cli.conftest import MODEL, Run, use_rules
from tests.support.look import DATA
from tests.support.processes import environment
from tests.support.runtime import need_runtime

BAD = DATA / "device" / "add_skip_both_planned.pte"
SEVERAL = DATA / "clean" / "several_methods.pte"
COMMANDS = [("report",), ("memory",), ("graph",), ("graph", "--dot"), ("graph", "--json")]

every_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


@every_command
def test_it_prints_or_writes_the_same(run: Run, words: tuple[str, ...], tmp_path: Path) -> None:
    printed = run(*words, BAD)
    assert (printed.exit_code, printed.stderr) == (0, "")
    written = run(*words, BAD, "-o", "out")
    assert (written.exit_code, written.stdout, written.stderr) == (0, "", "")
    assert (tmp_path / "out").read_bytes() == printed.stdout_bytes


def test_the_page_shows_findings_of_the_rules_that_were_asked_for(run: Run) -> None:
    shown = run("report", MODEL).stdout
    assert "PTE901" in shown
    assert "PTE902" in shown
    fewer = run("report", MODEL, "--ignore", "PTE901").stdout
    assert fewer.count("PTE901") == 1  # the note that it was left out
    assert "PTE902" in fewer


def test_ignore_entries_and_baselines_apply(run: Run, model: Path) -> None:
    Path("pte-lint.toml").write_text(
        '[[ignore]]\nrule = "PTE901"\nreason = "we copy by ourselves"\n', "utf-8"
    )
    shown = run("report", model).stdout
    assert "we copy by ourselves" in shown
    assert '<article class="finding error">' not in shown
    Path("pte-lint.toml").unlink()
    assert run("baseline", "write", model, "--baseline", "known.json").exit_code == 0
    assert "set aside" in run("report", model, "--baseline", "known.json").stdout


def test_standard_input(run: Run) -> None:
    content = BAD.read_bytes()
    assert "&lt;stdin&gt;" in run("report", "-", input=content).stdout
    assert run("memory", "-", input=content).stdout.startswith("<svg ")


@every_command
def test_what_cannot_be_opened_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "missing.pte")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: cannot read missing.pte: No such file or directory\n"


@every_command
def test_a_folder_that_is_not_there_is_told_first(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "missing.pte", "-o", "no/such/file")
    assert result.exit_code == 2
    assert "there is no folder no/such" in result.stderr


def test_a_page_about_what_is_no_program(run: Run) -> None:
    Path("text.pte").write_text("hello", "utf-8")
    result = run("report", "text.pte")
    assert result.exit_code == 0
    assert "<h1>text.pte</h1>" in result.stdout


@pytest.mark.parametrize("words", COMMANDS[1:], ids=" ".join)
def test_no_picture_of_a_file_without_methods(run: Run, words: tuple[str, ...]) -> None:
    path = DATA / "clean" / "external_constants.ptd"
    result = run(*words, path)
    assert result.exit_code == 2
    assert result.stderr == (f"error: {path} has no method that can be read: see pte-lint check\n")


def test_svg_is_svg(run: Run) -> None:
    for words in (("memory", "--svg"), ("graph", "--svg"), ("memory",), ("graph",)):
        ET.fromstring(run(*words, BAD).stdout)


def test_one_method(run: Run) -> None:
    names = [m["name"] for m in json.loads(run("graph", "--json", SEVERAL).stdout)["methods"]]
    assert len(names) > 1
    (only,) = json.loads(run("graph", "--json", SEVERAL, "--method", names[1]).stdout)["methods"]
    assert only["name"] == names[1]
    titles = [t for t in names if f": {t}<" in run("memory", SEVERAL, "--method", names[1]).stdout]
    assert titles == [names[1]]


def test_an_unknown_method_is_2_with_a_hint(run: Run) -> None:
    result = run("memory", MODEL, "--method", "forwrad")
    assert result.exit_code == 2
    assert result.stderr == f"error: {MODEL} has no method 'forwrad'; did you mean 'forward'?\n"
    assert "there are 'forward'" in run("graph", MODEL, "--method", "zzz").stderr


def test_a_rule_that_fails_is_on_the_page_and_the_exit_code_is_2(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(method: Method, context: object) -> Yields:
        yield Finding(message="first", remediation="")
        raise KeyError("broken")

    rule = Rule("PTE999", "broken", Severity.ERROR, "nothing", Scope.METHOD, __name__, fail)
    use_rules(monkeypatch, (rule,))
    result = run("report", MODEL)
    assert result.exit_code == 2
    assert "internal error in PTE999" in result.stdout
    assert "a rule failed" in result.stderr


@pytest.mark.slow
@every_command
def test_the_same_bytes_in_every_process(words: tuple[str, ...], tmp_path: Path) -> None:
    made = set()
    for seed in ("0", "1"):
        result = subprocess.run(
            [sys.executable, "-m", "pte_lint", *words, "--isolated", str(BAD)],
            capture_output=True,
            cwd=tmp_path,
            env=environment(PYTHONHASHSEED=seed, PYTHONSAFEPATH="1"),
            check=True,
        )
        made.add(result.stdout)
    assert len(made) == 1


@pytest.mark.runtime
def test_confirm_stamps_what_the_runtime_showed(tmp_path: Path) -> None:
    need_runtime()
    result = subprocess.run(
        [sys.executable, "-m", "pte_lint", "report", "--isolated", "--confirm", str(BAD)],
        capture_output=True,
        cwd=tmp_path,
        env=environment(PYTHONSAFEPATH="1"),
        check=True,
        text=True,
    )
    assert result.stdout.count('<span class="stamp confirmed">') == 4  # the verdict, PTE301 to 303
    assert result.stdout.count('<div class="confirmation confirmed">') == 4  # one an input
