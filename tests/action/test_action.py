"""The GitHub action: its steps, wired as action.yml wires them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.action.conftest import BAD, GOOD, LINEAR, PAIRED, ROOT, Act, Repository

STEPS = sorted((ROOT / "scripts" / "action").glob("*.sh"))


def test_nothing_changed_is_fine_and_silent(act: Act, tmp_path: Path) -> None:
    run = act()
    assert run.code == 0
    assert run.outputs["count"] == "0"
    assert run.outputs["code"] == "0"
    assert "No artifact differs" in run.summary
    assert run.step("upload-sarif").skipped
    # It only looks for a comment of an earlier push.
    assert "POST" not in (tmp_path / "gh.log").read_text()


def test_only_changed_artifacts_are_checked(act: Act, repository: Repository) -> None:
    repository.put("model.pte", BAD)
    repository.put("README.md", b"text")
    repository.commit()
    run = act()
    assert run.outputs["count"] == "1"
    report = json.loads(Path(run.outputs["json"]).read_text("utf-8"))
    assert [a["path"] for a in report["artifacts"]] == ["model.pte"]


def test_findings_fail_after_everything_is_reported(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    repository.put("model.pte", BAD)
    repository.commit()
    run = act()
    assert run.code == 1
    assert run.steps[-1].code == 1
    assert "pte-lint check ended with 1" in run.steps[-1].stdout
    assert re.search(r"^::error .*PTE301", run.step("lint").stdout, re.MULTILINE)
    sarif = json.loads(Path(run.outputs["sarif"]).read_text("utf-8"))
    assert sarif["version"] == "2.1.0"
    assert run.step("upload-sarif").given["sarif_file"] == run.outputs["sarif"]
    assert "device-input-planned" in run.summary
    body = (tmp_path / "gh.log.body").read_text("utf-8")
    assert body.startswith("<!-- pte-lint -->\n")
    assert "device-input-planned" in body
    assert "pte-lint diff" in body
    assert "cuda:0, planned" in body


def test_a_fixed_artifact_passes_and_its_change_is_told(act: Act, repository: Repository) -> None:
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act()
    assert run.code == 0
    assert "cuda:0, caller-owned" in run.summary


def test_changes_can_fail(act: Act, repository: Repository) -> None:
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act(diff_fail_on="placement,planned-bytes>5%")
    assert run.code == 1
    assert "pte-lint diff ended with 1" in run.steps[-1].stdout
    assert act(diff_fail_on="signature").code == 0


def test_a_condition_that_cannot_be_read_fails(act: Act, repository: Repository) -> None:
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act(diff_fail_on="placment")
    assert run.code == 2
    assert "did you mean placement?" in run.step("compare").stderr


def test_a_new_artifact_has_nothing_to_compare_with(act: Act, repository: Repository) -> None:
    repository.put("new.pte", LINEAR)
    repository.commit()
    run = act(diff_fail_on="any")
    assert run.code == 0
    assert "new: new.pte" in run.step("compare").stdout


def test_a_deleted_artifact_is_not_checked(act: Act, repository: Repository) -> None:
    (repository.path / "model.pte").unlink()
    repository.commit()
    assert act().outputs["count"] == "0"


def test_a_renamed_artifact_is_checked(act: Act, repository: Repository) -> None:
    repository.git("mv", "model.pte", "other.pte")
    repository.commit()
    assert act().outputs["count"] == "1"


def test_given_paths_are_expanded_as_on_the_command_line(act: Act, repository: Repository) -> None:
    repository.put("a/deep/one.pte", GOOD)
    repository.put("a/two.bpte", LINEAR)
    assert act(paths="a\nkept.pte\n").outputs["count"] == "3"
    assert act(paths="*.pte").outputs["count"] == "2"
    missing = act(paths="nowhere.pte")
    assert missing.code == 2
    assert "cannot read nowhere.pte" in missing.step("select").stderr


def test_built_artifacts_are_compared_with_a_folder(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    repository.put("out/model.pte", PAIRED)
    base = tmp_path / "base"
    (base / "out").mkdir(parents=True)
    (base / "out" / "model.pte").write_bytes(GOOD.read_bytes())
    run = act(paths="out", base_folder=str(base), diff_fail_on="placement", pull_request=False)
    assert run.code == 1
    absolute = str(repository.path / "out" / "model.pte")
    assert act(paths=absolute, base_folder=str(base), diff_fail_on="placement").code == 1


def test_without_a_pull_request_it_wants_paths(act: Act) -> None:
    run = act(pull_request=False)
    assert run.code == 2
    assert "nothing to select" in run.step("select").stderr
    ok = act(pull_request=False, paths="kept.pte")
    assert ok.code == 0
    assert ok.step("comment.sh").skipped


def test_arguments_are_passed_on(act: Act, repository: Repository) -> None:
    repository.put("model.pte", BAD)
    repository.commit()
    assert act(args="--ignore\nPTE301\n").code == 0
    assert act(args="--nonsense").code == 2


HOSTILE = [
    "with space.pte",
    "new\nline.pte",
    "$(touch owned).pte",
    "`touch owned`.pte",
    "-rf.pte",
    "; touch owned;.pte",
    "quote'\".pte",
    "\u00fcn\u00ef.pte",
    "::error::owned.pte",
    "%0A::error::x.pte",
]


def test_hostile_file_names(act: Act, repository: Repository) -> None:
    for name in HOSTILE:
        repository.put(name, GOOD)
    repository.base = repository.commit()
    for name in HOSTILE:
        repository.put(name, BAD)
    repository.commit()
    run = act()
    assert run.code == 1, run.steps
    assert run.outputs["count"] == str(len(HOSTILE))
    assert run.summary.count("cuda:0, planned") == 3 * len(HOSTILE)
    assert not (repository.path / "owned").exists()
    commands = [line for s in run.steps for line in s.stdout.splitlines() if line.startswith("::")]
    assert commands
    assert all(re.match(r"::(error|warning|notice) [\w,=]", line) for line in commands)


def test_the_comment_is_updated(act: Act, repository: Repository, tmp_path: Path) -> None:
    repository.put("model.pte", BAD)
    repository.commit()
    act()
    assert "--method POST repos/owner/name/issues/7/comments" in (tmp_path / "gh.log").read_text()
    act(environment={"GH_KNOWN": "42"})
    log = (tmp_path / "gh.log").read_text()
    assert "--method PATCH repos/owner/name/issues/comments/42" in log
    assert log.count("POST") == 1


def test_a_token_that_may_not_comment_is_no_failure(act: Act, repository: Repository) -> None:
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act(environment={"GH_FAILS": "1"})
    assert run.code == 0
    assert "::warning::pte-lint may not comment" in run.step("comment.sh").stdout


def test_comment_and_sarif_can_be_switched_off(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act(comment="false", sarif="false")
    assert run.step("comment.sh").skipped
    assert run.step("upload-sarif").skipped
    assert not (tmp_path / "gh.log").exists()


def test_a_long_report_is_cut_for_the_comment(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    repository.put("model.pte", BAD)
    repository.commit()
    run = act(environment={"COMMENT_LIMIT": "1500"})
    assert len(run.summary) > 2_000
    body = (tmp_path / "gh.log.body").read_text("utf-8")
    assert 1_500 < len(body) < 1_700
    assert body.endswith("... cut; the summary of the job has all of it.\n")


def test_git_lfs_pointers_of_the_base_are_no_crash(act: Act, repository: Repository) -> None:
    repository.put("model.pte", b"version https://git-lfs.github.com/spec/v1\n")
    repository.base = repository.commit()
    repository.put("model.pte", GOOD)
    repository.commit()
    run = act()
    assert run.code == 0
    assert "cannot be compared: model.pte" in run.step("compare").stdout


@pytest.mark.parametrize("script", STEPS, ids=lambda p: p.name)
def test_scripts_are_sound_bash(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)
    text = script.read_text("utf-8")
    if script.name != "common.sh":
        assert text.startswith("#!/usr/bin/env bash\n")
        assert script.stat().st_mode & 0o111
        assert 'common.sh"\n' in text  # sets -euo pipefail


def test_every_script_is_a_step_and_every_input_is_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    spec = yaml.safe_load(text)
    runs = " ".join(step.get("run", "") for step in spec["runs"]["steps"])
    for script in STEPS:
        assert script.name == "common.sh" or f"/{script.name}" in runs
    for name, each in spec["inputs"].items():
        assert f"inputs.{name} " in text
        assert each["description"].strip()
    for step in spec["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_variables_that_a_step_reads_are_given_to_it() -> None:
    spec = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    for step in spec["runs"]["steps"]:
        name = re.search(r"/(\w+\.sh)", step.get("run", ""))
        if name is None:
            continue
        text = (ROOT / "scripts" / "action" / name[1]).read_text("utf-8")
        read = set(re.findall(r"\$\{?([A-Z][A-Z_]+)\b", text))
        own = {
            "BASH_SOURCE",
            "COMMENT_LIMIT",
            "GITHUB_OUTPUT",
            "GITHUB_STEP_SUMMARY",
            "RUNNER_TEMP",
        }
        assert read - own <= set(step["env"]), name[1]
