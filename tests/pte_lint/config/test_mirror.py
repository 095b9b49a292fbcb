"""Settings of another folder in place of the working folder's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.config.mirror import Mirror
from pte_lint.config.settings import load_settings
from tests.support.look import DATA

BAD = DATA / "device" / "add_skip_both_planned.pte"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The working folder, and a copy of it beside."""
    here, copy = tmp_path / "here", tmp_path / "copy"
    for folder in (here, copy):
        (folder / "sub").mkdir(parents=True)
    monkeypatch.chdir(here)
    return here, copy


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="pte-lint")


def test_what_is_read_from_the_copy(folders: tuple[Path, Path], tmp_path: Path) -> None:
    here, copy = folders
    (tmp_path / "link").symlink_to(here)
    mirror = Mirror.of_working_folder(copy)
    assert mirror.read_from(Path("a.json")) == copy / "a.json"
    assert mirror.read_from(Path("sub/../a.json")) == copy / "a.json"
    assert mirror.read_from(here / "sub" / "a.json") == copy / "sub" / "a.json"
    assert mirror.read_from(tmp_path / "link" / "a.json") == copy / "a.json"
    assert mirror.read_from(copy / "a.json") == copy / "a.json"
    assert mirror.read_from(Path("../a.json")) == tmp_path / "a.json"
    assert mirror.stands_for(copy / "sub") == here / "sub"
    assert mirror.stands_for(copy) == here
    assert mirror.stands_for(tmp_path) == tmp_path


def test_a_link_in_the_checkout_leads_no_settings_file_past_the_copy(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """`sub/known.json` is the base's, though the checkout made `sub` a link."""
    here, copy = folders
    (here / "sub").rmdir()
    (here / "sub").symlink_to(tmp_path)
    mirror = Mirror.of_working_folder(copy)
    assert mirror.read_from(Path("sub/known.json")) == copy / "sub" / "known.json"


def test_the_copy_is_searched_and_nothing_above_it(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    here, copy = folders
    (tmp_path / "pte-lint.toml").write_text('fail-on = "never"')
    (here / "pte-lint.toml").write_text('fail-on = "never"')
    mirror = Mirror.of_working_folder(copy)
    assert load_settings(mirror=mirror).file is None
    (copy / "pte-lint.toml").write_text('data = ["w.ptd"]\nbaseline = "sub/known.json"')
    settings = load_settings(mirror=mirror)
    assert settings.file == copy / "pte-lint.toml"
    assert settings.root == here
    assert settings.data == (here / "w.ptd",)


def test_check_and_diff_follow_the_copy(folders: tuple[Path, Path]) -> None:
    here, copy = folders
    (here / "pte-lint.toml").write_text('ignore = ["PTE301"]')
    (here / "sub" / "m.pte").write_bytes(BAD.read_bytes())
    (here / "good.pte").write_bytes((DATA / "device" / "add_default.pte").read_bytes())
    compare = ["diff", "good.pte", "sub/m.pte", "--fail-on", "new-findings=error"]
    assert run("check", "sub").exit_code == 0
    assert run("check", "sub", "--settings-from", copy).exit_code == 1
    assert run(*compare).exit_code == 0
    assert run(*compare, "--settings-from", copy).exit_code == 1
    entry = 'ignore = [{ rule = "PTE301", reason = "we know", path = "sub/*.pte" }]'
    (copy / "pte-lint.toml").write_text(entry)
    assert run("check", "sub", "--settings-from", copy).exit_code == 0
    os.chdir("sub")
    assert run("check", "m.pte", "--settings-from", copy / "sub").exit_code == 1


def test_the_baseline_and_the_profile_are_the_copy_s(folders: tuple[Path, Path]) -> None:
    here, copy = folders
    (here / "sub" / "m.pte").write_bytes(BAD.read_bytes())
    assert run("baseline", "write", "sub", "--baseline", "sub/known.json").exit_code == 0
    check = ["check", "sub", "--settings-from", copy, "--baseline", "sub/known.json"]
    missing = run(*check)
    assert missing.exit_code == 2
    assert str(copy / "sub" / "known.json") in missing.stderr
    (here / "sub" / "known.json").rename(copy / "sub" / "known.json")
    assert run(*check).exit_code == 0
    profile = DATA.parents[1] / "pte_lint" / "profiles" / "executorch-1.5.1.json"
    poor = json.loads(profile.read_text("utf-8"))
    (here / "device.json").write_text(json.dumps(poor))
    (copy / "device.json").write_text(json.dumps({**poor, "runtime": "9.9"}))
    told = run(*check, "--target", "device.json")
    assert told.exit_code == 2
    assert "runtime 9.9 is not known" in told.stderr


def test_an_option_that_is_a_file_is_refused(folders: tuple[Path, Path]) -> None:
    here, _ = folders
    (here / "m.pte").write_bytes(BAD.read_bytes())
    (here / "--ignore=PTE301").write_text("")
    told = run("check", "--ignore=PTE301", "m.pte")
    assert told.exit_code == 2
    assert "'--ignore=PTE301' is an option and the name of a file" in told.stderr
    (here / "-x.pte").symlink_to("m.pte")
    assert run("check", "-x.pte").exit_code == 2
    assert run("check", "--", "-x.pte").exit_code == 1
    assert run("check", "./-x.pte").exit_code == 1
