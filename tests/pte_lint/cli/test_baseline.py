"""`pte-lint baseline write|check`, and `check --baseline`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pte_lint.cli.conftest import Run, use_rules
from tests.support import sample_rules

FILE = "pte-lint-baseline.json"


def test_what_was_written_is_known_and_anything_more_fails(run: Run, model: Path) -> None:
    written = run("baseline", "write", model)
    assert written.exit_code == 0
    assert written.stdout == f"{FILE}: 2 findings in 1 file recorded\n"
    known = run("baseline", "check", model)
    assert known.exit_code == 0
    assert known.stdout.endswith("0 new, 2 known, 0 fixed.\n")
    model.with_name("more.pte").write_bytes(model.read_bytes())
    more = run("baseline", "check", ".")
    assert more.exit_code == 1
    assert more.stdout.startswith(
        "./more.pte: forward: set_input fails with NotSupported (PTE901); 1 error, 1 info\n"
    )
    assert more.stdout.endswith("2 new, 2 known, 0 fixed.\n")


def test_every_new_finding_fails_unless_told_otherwise(run: Run, model: Path) -> None:
    run("baseline", "write", model, "--select", "PTE901")
    assert run("baseline", "check", model).exit_code == 1
    assert run("baseline", "check", model, "--fail-on", "error").exit_code == 0
    model.with_name("pte-lint.toml").write_text('fail-on = "warning"\n')
    assert run("baseline", "check", model).exit_code == 0


def test_what_is_gone_is_listed(run: Run, model: Path) -> None:
    run("baseline", "write", model)
    result = run("baseline", "check", model, "--ignore", "PTE901")
    assert result.exit_code == 0
    assert (
        "1 finding of the baseline fixed:\n  - model.pte: error PTE901 at forward: input 0\n"
        in (result.stdout)
    )


def test_files_that_were_not_checked_are_named_not_taken_for_fixed(run: Run, model: Path) -> None:
    other = model.with_name("other.pte")
    other.write_bytes(model.read_bytes())
    run("baseline", "write", ".")
    result = run("baseline", "check", model)
    assert "1 file of the baseline not checked: other.pte" in result.stdout
    assert "2 known, 0 fixed" in result.stdout


def test_json_lists_new_and_fixed(run: Run, model: Path) -> None:
    run("baseline", "write", model, "--select", "PTE901")
    result = run("baseline", "check", model, "--select", "PTE902", "--format", "json")
    made = json.loads(result.stdout)
    assert [f["rule"] for f in made["artifacts"][0]["findings"]] == ["PTE902"]
    assert [f["rule"] for f in made["baseline"]["fixed"]] == ["PTE901"]
    assert result.exit_code == 1


def test_check_uses_a_baseline_too(run: Run, model: Path) -> None:
    run("baseline", "write", model, "--baseline", "known.json")
    assert run("check", model).exit_code == 1
    result = run("check", model, "--baseline", "known.json")
    assert result.exit_code == 0
    assert "2 findings" in " ".join(result.stdout.split())
    model.with_name("pte-lint.toml").write_text('baseline = "known.json"\n')
    assert run("check", model).exit_code == 0
    assert run("check", model, "--isolated").exit_code == 1
    fixed = run("check", model, "--ignore", "PTE902").stdout
    assert "note: 1 finding of the baseline fixed; write it anew" in fixed


def test_the_configured_baseline_is_written_and_checked(run: Run, model: Path) -> None:
    model.with_name("pte-lint.toml").write_text('baseline = "known.json"\n')
    assert run("baseline", "write", model).exit_code == 0
    assert model.with_name("known.json").is_file()
    assert run("baseline", "check", model).exit_code == 0


@pytest.mark.parametrize("command", ["check", "baseline check"])
def test_a_missing_baseline_is_2(run: Run, model: Path, command: str) -> None:
    result = run(*command.split(), model, "--baseline", "none.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cannot read the baseline none.json: No such file")


def test_nothing_to_record_is_3_and_a_failing_rule_is_2(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("baseline", "write").exit_code == 3
    use_rules(monkeypatch, sample_rules.FAILING)
    result = run("baseline", "write", model)
    assert result.exit_code == 2
    assert not model.with_name(FILE).exists()
