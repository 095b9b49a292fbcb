"""`pte-lint check`: exit codes, options, outputs."""

from __future__ import annotations

import json
import os
import stat
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pte_lint.report.formats import FORMATS
from tests.pte_lint.cli.conftest import MODEL, Run, use_rules
from tests.support import sample_rules


def test_findings_exit_with_1(run: Run, model: Path) -> None:
    result = run("check", "model.pte")
    assert result.exit_code == 1
    assert "error PTE901 (input-seen)" in result.stdout
    assert "at forward: input 0 (value 2)" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--ignore", "PTE901"), 0),
        (("--select", "PTE902"), 0),
        (("--select", "PTE902", "--fail-on", "info"), 1),
        (("--select", "PTE902", "--fail-on", "warning"), 0),
        (("--fail-on", "never"), 0),
        (("--severity", "PTE901=warning"), 0),
        (("--severity", "input-seen=warning", "--fail-on", "warning"), 1),
        (("--severity", "PTE902=error", "--select", "PTE902"), 1),
        (("--select", "PTE902,PTE901", "--ignore", "input-seen"), 0),
    ],
)
def test_the_exit_code_follows_selection_and_severity(
    run: Run, model: Path, options: tuple[str, ...], code: int
) -> None:
    assert run("check", model, *options).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.pte",), "error: cannot read none.pte: No such file or directory"),
        (("model.pte/x",), "error: cannot read model.pte/x: Not a directory"),
        (("model.pte", "--config", "none.toml"), "error: none.toml: No such file or directory"),
        (
            ("model.pte", "--select", "PTE77"),
            "error: no rule matches 'PTE77'; `pte-lint rules` lists them",
        ),
        (
            ("model.pte", "--ignore", "input-sen"),
            "error: no rule matches 'input-sen'; did you mean input-seen?",
        ),
        (
            ("model.pte", "--severity", "input-sen=info"),
            "error: severity: no rule matches 'input-sen'; did you mean input-seen?",
        ),
        (
            ("model.pte", "--target", "0.9"),
            "error: runtime 0.9 is not known; known are 1.2, 1.3, 1.4, 1.5",
        ),
        (("model.pte", "--data", "none.ptd"), "error: cannot read none.ptd: No such file"),
        (("model.pte", "--output", "json=no/x"), "error: cannot write no/x: there is no folder no"),
        (("model.pte", "--output", "json=."), "error: cannot write .: it is a folder"),
        (
            ("model.pte", "--output", "jsn=x"),
            "error: there is no format 'jsn'; did you mean json?",
        ),
        (
            ("model.pte", "--config", "c.toml", "--isolated"),
            "error: --config and --isolated exclude each other",
        ),
    ],
)
def test_trouble_is_one_line_on_stderr_and_2(
    run: Run, model: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--severity", "PTE901"),
        ("--severity", "PTE901=fatal"),
        ("--output", "json"),
        ("--output", "json="),
        ("--output", "json=-"),
        ("--output", "json=a", "--output", "json=b"),
        ("--fail-on", "fatal"),
        ("--verification", "none"),
        ("--format", "xml"),
        ("-j", "-1"),
        ("--nonsense",),
    ],
)
def test_misuse_is_2(run: Run, model: Path, arguments: tuple[str, ...]) -> None:
    result = run("check", model, *arguments)
    assert result.exit_code == 2
    assert "Usage: pte-lint check" in result.stderr


def test_what_can_be_read_is_judged_and_every_missing_path_named(run: Run, model: Path) -> None:
    alone = run("check", model)
    result = run("check", "a.pte", model, "b.pte")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: cannot read a.pte: No such file or directory\n"
        "error: cannot read b.pte: No such file or directory\n"
    )
    assert "in 1 file, judged for" in alone.stdout
    told = alone.stdout.replace("in 1 file, judged for", "in 1 file; 2 paths not read, judged for")
    assert result.stdout.split() == told.split()
    assert run("check", "a.pte", model, "--fail-on", "never").exit_code == 2


def _says(form: str, text: str) -> object:
    """What a report says about paths that were not read, by its format's own means."""
    if form == "json":
        return json.loads(text)["unread"]
    if form == "sarif":
        (run_,) = json.loads(text)["runs"]
        (made,) = run_["invocations"]
        told = made["toolExecutionNotifications"]
        errors = [each["message"]["text"] for each in told if each["level"] == "error"]
        return made["executionSuccessful"], errors
    if form == "junit":
        root = ET.fromstring(text)
        cases = [case for case in root.iter("testcase") if case.find("error") is not None]
        return root.get("errors"), [case.get("name") for case in cases]
    return [line for line in text.splitlines() if "not read" in line or "cannot read" in line]


_UNREAD = "cannot read a.pte: No such file or directory"


@pytest.mark.parametrize(
    ("form", "whole", "told"),
    [
        (
            "text",
            [],
            [
                f"error: {_UNREAD}",
                "1 error, 0 warnings in 1 file; 1 path not read, judged for executorch 1.5.",
            ],
        ),
        ("json", [], [_UNREAD]),
        ("sarif", (True, []), (False, [_UNREAD])),
        ("junit", ("0", []), ("1", [_UNREAD])),
        (
            "concise",
            [],
            [f"error: {_UNREAD}", "pte-lint: 1 error, 0 warnings in 1 file; 1 path not read"],
        ),
        (
            "github",
            [],
            [
                f"::error title=pte-lint::{_UNREAD}",
                "pte-lint: 1 error, 0 warnings in 1 file; 1 path not read",
            ],
        ),
        (
            "markdown",
            [],
            [
                "## pte-lint: 1 error, 0 warnings in 1 file; 1 path not read",
                f"- {_UNREAD}",
            ],
        ),
    ],
)
def test_a_report_says_by_itself_what_was_not_read(
    run: Run, model: Path, form: str, whole: object, told: object
) -> None:
    """Whoever has the file alone must not take it for a report on everything."""
    only = ("--select", "PTE901", "--output", f"{form}=out")
    out = model.with_name("out")
    run("check", model, *only)
    assert _says(form, out.read_text("utf-8")) == whole
    run("check", "a.pte", model, *only)
    assert _says(form, out.read_text("utf-8").replace("] (", "](")) == told


@pytest.mark.parametrize(
    "words", [("report",), ("inspect",), ("contract",), ("graph", "--dot"), ("memory", "--svg")]
)
def test_a_folder_given_for_one_file_is_told_what_to_give(
    run: Run, model: Path, words: tuple[str, ...]
) -> None:
    zoo = model.parent / "zoo"
    (zoo / "empty").mkdir(parents=True)
    model.rename(zoo / "b.pte")
    result = run(*words, "zoo")
    why = f"is a folder, and `pte-lint {words[0]}` is about one file"
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"error: zoo {why}: give a file of it, such as zoo/b.pte\n"
    assert run(*words, "zoo/empty").stderr == f"error: zoo/empty {why}: give a file\n"


def test_nothing_to_check_is_3(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, word in (((), "give a file"), (("empty",), "empty"), (("*.pte",), "*.pte")):
        result = run("check", *arguments)
        assert result.exit_code == 3
        assert word in result.stderr
        assert result.stdout == ""


def test_an_argument_without_artifacts_beside_others_is_a_note(run: Run, model: Path) -> None:
    result = run("check", model, "*.bpte", "--select", "PTE902")
    assert result.exit_code == 0
    assert "note: nothing to check in *.bpte" in result.stdout


def test_a_rule_that_fails_is_2_whatever_is_ignored(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_rules(monkeypatch, sample_rules.FAILING)
    for options in ((), ("--fail-on", "never"), ("--ignore", "PTE901")):
        result = run("check", model, *options)
        assert result.exit_code == 2
        assert "internal error in PTE903: KeyError('a bug')" in result.stdout
    assert run("check", model, "--ignore", "PTE903,PTE901").exit_code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_2_and_the_others_are_still_reported(run: Run, model: Path) -> None:
    closed = model.with_name("closed.pte")
    closed.write_bytes(b"x")
    closed.chmod(0)
    result = run("check", closed, model)
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr
    assert "PTE901" in result.stdout


def test_a_file_that_vanishes_is_2_and_the_others_are_still_reported(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pte_lint.cli import paths

    monkeypatch.setattr(paths, "_expand", lambda argument, *_: iter((argument,)))
    result = run("check", "gone.pte", model)
    assert result.exit_code == 2
    assert "error: cannot read gone.pte" in result.stderr
    assert "PTE901" in result.stdout


def test_the_standard_input(run: Run) -> None:
    result = run("check", "-", "--format", "json", input=MODEL.read_bytes())
    (artifact,) = json.loads(result.stdout)["artifacts"]
    assert artifact["path"] == "<stdin>"
    assert artifact["size"] == MODEL.stat().st_size
    assert artifact["verdict"][0]["stage"] == "set_input"


def test_json_is_all_there_is_on_stdout(run: Run, model: Path) -> None:
    result = run("check", model, "--format", "json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["summary"]["errors"] == 1
    assert result.stderr == ""


def test_outputs_are_written_beside_what_is_printed(run: Run, model: Path) -> None:
    result = run("check", "model.pte", "--output", "json=out.json", "--output", "text=out.txt")
    assert result.exit_code == 1
    assert model.with_name("out.txt").read_text("utf-8") == result.stdout
    assert json.loads(model.with_name("out.json").read_text("utf-8"))["summary"]["errors"] == 1
    assert sorted(p.name for p in model.parent.iterdir()) == ["model.pte", "out.json", "out.txt"]


def test_an_output_has_ordinary_permissions(run: Run, model: Path) -> None:
    run("check", model, "--output", "json=out.json")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(model.with_name("out.json").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("form", list(FORMATS))
def test_every_format_is_the_same_bytes_for_any_number_of_jobs(
    run: Run, model: Path, form: str
) -> None:
    for index in range(3):
        model.with_name(f"copy{index}.pte").write_bytes(model.read_bytes())
    # The built-in rules: what a test puts in their place does not reach other processes.
    one = run("check", ".", "--format", form, "--select", "ALL", "-j", "1")
    assert one.stdout_bytes == run("check", ".", "--format", form, "-j", "1").stdout_bytes


def test_colour_is_asked_for_or_left_out(run: Run, model: Path) -> None:
    assert "\x1b" not in run("check", model).stdout
    assert "\x1b" in run("check", model, "--color").stdout
    assert "\x1b" in run("check", model, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in run("check", model, "--no-color", env={"FORCE_COLOR": "1"}).stdout
    both = {"FORCE_COLOR": "1", "NO_COLOR": "1"}
    assert "\x1b" not in run("check", model, env=both).stdout


def test_configuration_is_used_and_overridden(run: Run, model: Path) -> None:
    model.with_name("pte-lint.toml").write_text('select = ["PTE902"]\nfail-on = "info"\n')
    assert run("check", model).exit_code == 1
    assert run("check", model, "--fail-on", "error").exit_code == 0
    assert run("check", model, "--select", "PTE901", "--fail-on", "error").exit_code == 1
    assert "PTE901" in run("check", model, "--isolated").stdout


def test_ignore_entries_apply_and_unused_ones_are_noted(run: Run, model: Path) -> None:
    model.with_name("pyproject.toml").write_text(
        '[[tool.pte-lint.ignore]]\nrule = "input-seen"\nreason = "known"\npath = "model.pte"\n'
        '[[tool.pte-lint.ignore]]\nrule = "PTE902"\nreason = "old"\npath = "gone.pte"\n'
    )
    result = run("check", model)
    assert result.exit_code == 0
    assert "ignored: 1 finding by an ignore entry or the baseline (PTE901)" in result.stdout
    assert "note: pyproject.toml: ignore[1] (PTE902) matches nothing; remove it" in result.stdout
    (artifact,) = json.loads(run("check", model, "--format", "json").stdout)["artifacts"]
    assert artifact["suppressed"][0]["reason"] == "known"
    assert artifact["verdict"][0]["error"] == "NotSupported"


def test_an_entry_for_an_unknown_rule_names_the_file(run: Run, model: Path) -> None:
    model.with_name("pte-lint.toml").write_text('[[ignore]]\nrule = "inpt-seen"\nreason = "x"\n')
    result = run("check", model)
    assert result.exit_code == 2
    assert result.stderr == (
        "error: pte-lint.toml: ignore[0]: no rule matches 'inpt-seen'; did you mean input-seen?\n"
    )


def test_a_mistake_in_the_configuration_is_2(run: Run, model: Path) -> None:
    model.with_name("pte-lint.toml").write_text("selct = []\n")
    result = run("check", model)
    assert result.exit_code == 2
    assert "unknown key selct; did you mean select?" in result.stderr


def test_unchecked_things_are_counted_and_can_be_shown(run: Run, model: Path) -> None:
    assert "not checked: the weather" in run("check", model).stdout
    shown = run("check", model, "--show-unchecked").stdout
    assert "- the weather: it is not in the file" in shown


def test_hostile_bytes_in_an_argument_cannot_reach_the_terminal(run: Run) -> None:
    result = run("check", "\x1b]0;x\x07\n.pte")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_min_severity_hides_and_counts(run: Run, model: Path) -> None:
    every = run("check", model, "--select", "PTE901,PTE902")
    errors = run("check", model, "--select", "PTE901,PTE902", "--min-severity", "error")
    assert "info PTE902" in every.stdout
    assert "PTE902" not in errors.stdout
    assert "(not shown)" in errors.stdout
    assert errors.exit_code == every.exit_code == 1


def test_min_severity_does_not_hide_what_fails_the_run(run: Run, model: Path) -> None:
    result = run("check", model, "--fail-on", "info", "--min-severity", "warning")
    assert result.exit_code == 2
    assert "warning would hide what fails the run (--fail-on info)" in result.stderr


def test_rules_of_errors_that_are_left_out_are_told(run: Run, model: Path) -> None:
    """Others that are left out change no verdict."""

    def notes(*options: str) -> list[str]:
        notes: list[str] = json.loads(run("check", model, "--format", "json", *options).stdout)[
            "notes"
        ]
        return notes

    said = (
        "verdicts do not count what 1 of 1 rules of errors would say, which select or ignore left "
        "out (PTE901)"
    )
    assert notes() == notes("--ignore", "PTE902") == notes("--select", "PTE901") == []
    assert notes("--ignore", "PTE901") == notes("--select", "PTE902") == [said]
