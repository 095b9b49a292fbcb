"""Whose settings are in force in the action, and what a change of them brings about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.action.conftest import BAD, GOOD, LINEAR, PAIRED, ROOT, Act, Repository
from tests.support.action import ActionRun

CLEAN = ROOT / "tests" / "data" / "clean"
EXTERNAL = CLEAN / "external_constants.pte"
WEIGHTS = CLEAN / "external_constants.ptd"
OTHERS = CLEAN / "external_biases.biases.ptd"

ENTRY = '{ rule = "PTE301", reason = "we know" }'


def paths(run: ActionRun) -> list[str]:
    report = json.loads(Path(run.outputs["json"]).read_text("utf-8"))
    return sorted(each["path"] for each in report["artifacts"])


@pytest.mark.parametrize(
    "text",
    [
        'fail-on = "never"',
        'ignore = ["PTE301"]',
        f"ignore = [{ENTRY}]",
        'select = ["PTE8"]',
        'severity = { PTE301 = "info" }',
        'baseline = "known.json"',
        "target = ",  # not TOML
    ],
)
def test_a_change_does_not_switch_off_the_gate_that_judges_it(
    act: Act, repository: Repository, tmp_path: Path, text: str
) -> None:
    repository.put("model.pte", BAD)
    repository.put("pte-lint.toml", text.encode())
    repository.put("known.json", baseline(tmp_path))
    repository.commit()
    run = act(sarif="false")
    assert run.code == 1, run.steps
    assert run.outputs["code"] == "1"
    body = (tmp_path / "gh.log.body").read_text("utf-8")
    for report in (body, run.summary):
        assert "settings are changed, and not in force" in report
        assert "- `pte-lint.toml`" in report
    ends = "2" if text == "target = " else "0"
    assert f"With the changed settings `pte-lint check` ends with exit code {ends}." in body
    taken = act(config_from="head")
    assert taken.code == int(ends)
    assert "not in force" not in taken.summary


def baseline(folder: Path) -> bytes:
    """A baseline with the findings of a bad model.pte."""
    from click.testing import CliRunner

    from pte_lint.cli.app import app

    place = folder / "baseline"
    place.mkdir(exist_ok=True)
    (place / "model.pte").write_bytes(BAD.read_bytes())
    file = place / "known.json"
    arguments = [
        "baseline",
        "write",
        str(place / "model.pte"),
        "--baseline",
        str(file),
        "--isolated",
    ]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return file.read_bytes()


def test_the_base_s_settings_mean_the_checkout(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    """Ignore globs, data and the baseline's paths: all of them work from the copy."""
    known = json.loads(baseline(tmp_path))
    known["artifacts"] = {"deep/model.pte": known["artifacts"]["model.pte"]}
    repository.put("sub/known.json", json.dumps(known).encode())
    repository.put("exported/model.ptd", WEIGHTS)
    text = """
        fail-on = "info"
        select = ["PTE301", "PTE5"]
        baseline = "sub/known.json"
        data = ["exported/model.ptd"]
        ignore = [{ rule = "PTE301", reason = "we know", path = "exported/*.pte" }]
        [output]
        text = "written.txt"
    """
    repository.put("pte-lint.toml", text.encode())
    repository.base = repository.commit()
    repository.put("exported/ignored.pte", BAD)
    repository.put("exported/external.pte", EXTERNAL)
    repository.put("sub/deep/model.pte", BAD)
    repository.commit()
    run = act(sarif="false")
    assert run.code == 0, run.steps
    assert paths(run) == ["exported/external.pte", "exported/ignored.pte", "sub/deep/model.pte"]
    assert run.summary.count("Set aside by an ignore entry") == 2
    assert not (repository.path / "written.txt").exists()
    # The same files elsewhere are covered by nothing.
    repository.put("model.pte", BAD)
    repository.commit()
    assert act(sarif="false").code == 1


@pytest.mark.parametrize("option", ["--baseline=known.json", "--baseline\nknown.json"])
def test_files_that_arguments_name_are_the_base_s(
    act: Act, repository: Repository, tmp_path: Path, option: str
) -> None:
    empty = {"schema_version": 1, "tool": "pte-lint", "artifacts": {}}
    repository.put("known.json", json.dumps(empty).encode())
    repository.base = repository.commit()
    repository.put("model.pte", BAD)
    repository.put("known.json", baseline(tmp_path))
    repository.commit()
    run = act(args=option)
    assert run.code == 1
    assert "- `known.json`" in run.summary
    assert "ends with exit code 0." in run.summary
    absolute = act(args=f"--baseline={repository.path / 'known.json'}")
    assert absolute.outputs["code"] == "1"
    assert act(args=option, config_from="head").code == 0


def test_a_profile_is_the_base_s(act: Act, repository: Repository) -> None:
    profile = (ROOT / "pte_lint" / "profiles" / "executorch-1.5.1.json").read_text("utf-8")
    poor = json.loads(profile)
    poor["kernels"] = {}
    repository.put("pte-lint.toml", b'target = "device.json"\n')
    repository.put("device.json", json.dumps(poor).encode())
    repository.base = repository.commit()
    repository.put("device.json", profile.encode())
    repository.commit()
    run = act()
    # The programs are judged, though none of them changed.
    assert paths(run) == ["kept.pte", "model.pte"]
    assert run.outputs["code"] == "1"
    assert "- `device.json`" in run.summary


def test_a_stricter_configuration_judges_every_program(act: Act, repository: Repository) -> None:
    repository.put("model.pte", PAIRED)
    repository.put("pyproject.toml", b"[project]\nname = 'x'\n")
    repository.base = repository.commit()
    repository.put(
        "pyproject.toml", b"[project]\nname = 'x'\n[tool.pte-lint]\nfail-on = 'unchecked'\n"
    )
    repository.commit()
    run = act()
    assert paths(run) == ["kept.pte", "model.pte"]
    assert "With the changed settings `pte-lint check` ends with exit code 1." in run.summary
    assert run.code == 1


def test_other_tables_of_a_project_file_are_no_settings(act: Act, repository: Repository) -> None:
    repository.put("pyproject.toml", b"[tool.pte-lint]\nfail-on = 'info'\n")
    repository.base = repository.commit()
    repository.put(
        "pyproject.toml", b"# new\n[project]\nname = 'x'\n[tool.pte-lint]\nfail-on = 'info'\n"
    )
    repository.commit()
    run = act()
    assert run.outputs["count"] == "0"
    assert "not in force" not in run.summary


def test_removed_settings_stay_in_force(act: Act, repository: Repository) -> None:
    repository.put("pte-lint.toml", b"fail-on = 'unchecked'\n")
    repository.base = repository.commit()
    (repository.path / "pte-lint.toml").unlink()
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act()
    assert run.outputs["code"] == "1"
    assert "ends with exit code 0." in run.summary


def test_without_a_base_the_checkout_decides(act: Act, repository: Repository) -> None:
    repository.put("pte-lint.toml", b"fail-on = 'never'\n")
    repository.put("model.pte", BAD)
    repository.commit()
    assert act(pull_request=False, paths="model.pte").code == 0
    assert act(paths="model.pte").outputs["code"] == "1"


def test_config_from_something_else_is_refused(act: Act) -> None:
    run = act(config_from="HEAD")
    assert run.code == 2
    assert "config-from is base or head, not HEAD" in run.step("select").stderr


def test_a_base_that_cannot_be_had_fails(act: Act, repository: Repository) -> None:
    repository.base = "0" * 39 + "1"
    for run in (act(), act(paths="model.pte")):
        assert run.code == 2
        assert "git fetch failed" in run.step("select").stderr
    repository.base = "--upload-pack=touch owned"
    assert act().code == 2
    assert not (repository.path / "owned").exists()


def test_a_shallow_clone_fetches_the_base(act: Act, repository: Repository, tmp_path: Path) -> None:
    repository.put("pte-lint.toml", b"fail-on = 'never'\n")
    repository.put("model.pte", BAD)
    repository.commit()
    origin = f"file://{repository.path}"
    repository.path = tmp_path / "clone"
    repository.path.mkdir()
    repository.git("clone", "--quiet", "--depth=1", origin, ".")
    run = act()
    assert paths(run) == ["kept.pte", "model.pte"]
    assert run.outputs["code"] == "1"
    assert "changed: model.pte" in run.step("compare").stdout


@pytest.mark.parametrize(("event", "code"), [("push", 0), ("workflow_run", 1), ("", 1)])
def test_a_base_that_the_workflow_gives_counts_unless_it_is_a_push(
    act: Act, repository: Repository, event: str, code: int
) -> None:
    repository.put("pte-lint.toml", b"fail-on = 'never'\n")
    repository.put("model.pte", BAD)
    repository.commit()
    run = act(pull_request=False, event_name=event, base=repository.base)
    assert run.outputs["code"] == str(code)


def test_an_empty_submodule_is_told(act: Act, repository: Repository) -> None:
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x.pte")
    (repository.path / "x.pte").mkdir()
    repository.git("commit", "--quiet", "--message", "change")
    run = act()
    assert run.code == 0
    assert "holds nothing to check here: x.pte" in run.step("select").stdout


def test_a_checkout_of_the_base_is_not_the_pull_request(act: Act, repository: Repository) -> None:
    run = act(pull_request_head="1" * 40)
    assert run.code == 2
    assert "holds the base, not the pull request" in run.step("select").stderr


def test_given_paths_that_hold_nothing_fail(act: Act, repository: Repository) -> None:
    (repository.path / "empty").mkdir()
    run = act(paths="empty")
    assert run.code == 2
    assert "nothing to check" in run.step("select").stderr
    assert act(paths="empty\nkept.pte").code == 0


@pytest.fixture
def external(repository: Repository) -> Repository:
    """Programs with data named in the configuration, beside them, and apart from all."""
    repository.put("exported/external.pte", EXTERNAL)
    repository.put("exported/external.ptd", WEIGHTS)
    repository.put("apart/external.ptd", WEIGHTS)
    repository.base = repository.commit()
    return repository


def test_changed_data_judges_the_programs_beside_it(act: Act, external: Repository) -> None:
    external.put("exported/external.ptd", OTHERS)
    external.commit()
    assert paths(act()) == ["exported/external.ptd", "exported/external.pte"]


def test_changed_data_that_settings_name_judges_all_programs(
    act: Act, external: Repository
) -> None:
    external.put("pte-lint.toml", b'data = ["apart/external.ptd"]\n')
    external.base = external.commit()
    external.put("apart/external.ptd", OTHERS)
    external.commit()
    run = act()
    assert paths(run) == ["apart/external.ptd", "exported/external.pte", "kept.pte", "model.pte"]
    assert run.outputs["code"] == "1"  # the weights are not in it
    (external.path / "apart" / "external.ptd").unlink()
    external.commit()
    gone = act()
    assert gone.outputs["count"] == "3"
    assert gone.outputs["code"] == "2"


def test_changed_data_that_arguments_name_judges_all_programs(
    act: Act, external: Repository
) -> None:
    external.put("apart/external.ptd", OTHERS)
    external.commit()
    run = act(args="--data=apart/external.ptd")
    assert "exported/external.pte" in paths(run)
    assert run.outputs["code"] == "1"


def test_data_apart_from_all_programs_is_judged_alone(act: Act, external: Repository) -> None:
    external.put("apart/external.ptd", OTHERS)
    external.commit()
    assert paths(act()) == ["apart/external.ptd"]


def test_a_link_to_another_folder_judges_what_it_holds(act: Act, repository: Repository) -> None:
    repository.put("v1/a.pte", GOOD)
    repository.put("v2/a.pte", BAD)
    (repository.path / "exported").symlink_to("v1")
    repository.base = repository.commit()
    (repository.path / "exported").unlink()
    (repository.path / "exported").symlink_to("v2")
    repository.commit()
    run = act()
    assert paths(run) == ["exported/a.pte"]
    assert run.outputs["code"] == "1"


def test_more_names_than_a_command_line_holds(act: Act, repository: Repository) -> None:
    deep = "/".join(["d" * 200] * 12)
    repository.put(f"{deep}/0.pte", LINEAR)
    for number in range(1, 1_000):
        (repository.path / deep / f"{number}.pte").hardlink_to(repository.path / deep / "0.pte")
    repository.commit()
    run = act(sarif="false", comment="false")
    assert run.code == 0, run.steps
    assert run.outputs["count"] == "1000"
