"""`pte-lint contract`, `--contract` and the configuration's `contract`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app

DATA = Path(__file__).parents[2] / "data" / "clean"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.pte").write_bytes((DATA / "linear.pte").read_bytes())
    (tmp_path / "new.pte").write_bytes((DATA / "convnet.pte").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args, prog_name="pte-lint")


def broken(*args: str) -> list[str]:
    """The rules of contracts that speak."""
    result = run("check", "--format", "json", *args)
    assert result.exit_code in (0, 1), result.output
    (artifact,) = json.loads(result.stdout)["artifacts"]
    return sorted({f["rule"] for f in artifact["findings"] if f["rule"].startswith("PTE63")})


def test_written_of_one_and_checked_on_another(folder: Path) -> None:
    assert run("contract", "model.pte", "-o", "contract.toml").exit_code == 0
    assert run("contract", "model.pte").stdout == (folder / "contract.toml").read_text("utf-8")
    assert broken("model.pte", "--contract", "contract.toml") == []
    assert broken("new.pte", "--contract", "contract.toml") == ["PTE631", "PTE632", "PTE633"]
    assert run("check", "new.pte", "--contract", "contract.toml").exit_code == 1


@pytest.mark.parametrize("entry", ['contract = ["c.toml"]', "[[contract]]\nmost-bytes = {all = 9}"])
def test_a_configuration_may_name_it_or_hold_it(folder: Path, entry: str) -> None:
    run("contract", "model.pte", "-o", "c.toml")
    (folder / "pte-lint.toml").write_text(entry, "utf-8")
    assert "PTE633" in broken("new.pte")


def test_globs_decide_which_programs_it_is_about(folder: Path) -> None:
    run("contract", "model.pte", "-o", "c.toml", "--artifact", "model.pte")
    (folder / "pte-lint.toml").write_text('contract = ["c.toml"]', "utf-8")
    assert broken("new.pte") == []
    result = run("check", "new.pte", "-q")
    assert "c.toml: nothing that was checked matches model.pte" in run("check", "new.pte").output
    assert result.exit_code == 0
    result = run("check", "new.pte", "--isolated", "--contract", "c.toml")
    assert result.exit_code == 2
    assert "--contract c.toml: no program here matches model.pte" in result.stderr


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("methds = {}", "unknown key methds; did you mean methods?"),
        ("[methods.f]\nbackend = []", "unknown key methods.f.backend; did you mean backends?"),
        (
            "[methods.f]\ninputs = [{dtypes = 'x'}]",
            "unknown key methods.f.inputs[0].dtypes; did you mean dtype?",
        ),
        ("most-bytes = {all = '1 PB'}", "most-bytes.all '1 PB' is no size"),
        ("[[state]]\nname = 'x'", "state[0].methods is missing"),
    ],
)
def test_mistakes_are_named(folder: Path, text: str, line: str) -> None:
    (folder / "c.toml").write_text(text, "utf-8")
    result = run("check", "model.pte", "--contract", "c.toml")
    assert result.exit_code == 2
    assert line in result.stderr


def test_a_configuration_names_nothing_elsewhere(folder: Path) -> None:
    (folder / "pte-lint.toml").write_text('contract = ["../c.toml"]', "utf-8")
    result = run("check", "model.pte")
    assert result.exit_code == 2
    assert "--contract may" in result.stderr


def test_only_programs_promise_anything(folder: Path) -> None:
    (folder / "x.ptd").write_bytes((DATA / "external_constants.ptd").read_bytes())
    assert run("contract", "x.ptd").exit_code == 2
    assert run("contract", "absent.pte").exit_code == 2


def test_a_program_with_errors_promises_nothing(folder: Path) -> None:
    content = (DATA.parent / "device" / "add_skip_both_planned.pte").read_bytes()
    (folder / "bad.pte").write_bytes(content)
    (folder / "cut.pte").write_bytes(content[: len(content) // 2])
    for name, rule in (("bad.pte", "PTE301"), ("cut.pte", "PTE006")):
        result = run("contract", name, "-o", "c.toml")
        assert result.exit_code == 2
        assert f"{name} has errors ({rule}: " in result.stderr
    assert not (folder / "c.toml").exists()


def test_settings_of_a_base_branch_bring_its_contract(folder: Path) -> None:
    base = folder / "base"
    base.mkdir()
    run("contract", "model.pte", "-o", "base/c.toml")
    (folder / "c.toml").write_text("", "utf-8")
    assert broken("new.pte", "--contract", "c.toml") == []
    assert broken("new.pte", "--contract", "c.toml", "--settings-from", "base") != []
