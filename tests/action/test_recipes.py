"""docs/ci.md: every recipe is run as far as it can be run without the service that it is for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.action.conftest import BAD, GOOD, LINEAR, PAIRED, ROOT, Act, Repository
from tests.pte_lint.plugin.conftest import PLUGIN
from tests.support.processes import environment

PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
RECIPES = {
    match[1]: match[3]
    for match in re.finditer(r"<!-- recipe: ([\w-]+) -->\n```(\w+)\n(.*?)\n```", PAGE, re.DOTALL)
}
SELF = re.compile(r"OWNER/pte-lint@")


@pytest.fixture
def shell(repository: Repository, tools: Path) -> Any:
    """Runs lines in the repository, with `pte-lint` on the path and a `pip` that does nothing."""
    for name, text in {
        "pip": "exit 0",
        "pytest": f'exec "$(dirname "$0")/python" -m pytest -p {PLUGIN} "$@"',
    }.items():
        (tools / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
        (tools / name).chmod(0o755)

    def call(
        script: str, folder: Path | None = None, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=folder or repository.path,
            env=environment(
                PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
                PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
                **extra,
            ),
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def action_inputs(workflow: dict[str, Any]) -> dict[str, str]:
    """What a workflow gives to this action, which must be inputs that it has."""
    (step,) = (
        step
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if SELF.match(step.get("uses", ""))
    )
    known = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert set(step["with"]) <= set(known)
    return {name.replace("-", "_"): value for name, value in step["with"].items()}


def test_every_code_block_is_a_recipe_and_every_recipe_is_tested() -> None:
    assert PAGE.count("\n```\n") == len(RECIPES)
    text = Path(__file__).read_text("utf-8")
    assert all(f'RECIPES["{name}"]' in text for name in RECIPES)


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    known = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == set(known["inputs"])
    outputs = next(line for line in PAGE.splitlines() if line.startswith("Outputs: "))
    assert set(re.findall(r"`([\w-]+)`", outputs)) == set(known["outputs"])


def test_github_action(act: Act, repository: Repository) -> None:
    workflow = yaml.safe_load(RECIPES["github-action"])
    assert workflow["permissions"]["pull-requests"] == "write"
    assert workflow["permissions"]["security-events"] == "write"
    repository.put("model.pte", PAIRED)
    repository.commit()
    run = act(**action_inputs(workflow))
    assert run.code == 1
    assert "placement" in run.summary
    assert run.outputs["code"] == "0"


def test_github_built(act: Act, repository: Repository, shell: Any) -> None:
    workflow = yaml.safe_load(RECIPES["github-built"])
    (job,) = workflow["jobs"].values()
    for folder, model in (("base", GOOD), ("head", PAIRED)):
        repository.put(f"{folder}/model", model)
        script = (
            b"import pathlib, shutil, sys\n"
            b"out = pathlib.Path(sys.argv[2])\nout.mkdir()\nshutil.copy('model', out / 'm.pte')\n"
        )
        repository.put(f"{folder}/export.py", script)
    for step in job["steps"]:
        if "run" in step:
            done = shell(step["run"], repository.path / step["working-directory"])
            assert done.returncode == 0, done.stderr
    run = act(**action_inputs(workflow))
    assert run.outputs["count"] == "1"
    assert run.code == 1  # the placement changed
    assert "cuda:0, caller-owned" in run.summary


def test_github_plain(repository: Repository, shell: Any) -> None:
    workflow = yaml.safe_load(RECIPES["github-plain"])
    (job,) = workflow["jobs"].values()
    repository.put("exported/model.pte", BAD)
    results = [shell(step["run"]) for step in job["steps"] if "run" in step]
    assert [r.returncode for r in results] == [0, 1]
    assert "::error " in results[-1].stdout
    upload = job["steps"][-1]
    assert upload["if"] == "always()"
    assert json.loads((repository.path / upload["with"]["sarif_file"]).read_text("utf-8"))["runs"]


def test_gitlab(repository: Repository, shell: Any) -> None:
    (job,) = yaml.safe_load(RECIPES["gitlab"]).values()
    repository.put("exported/model.pte", GOOD)
    repository.put("exported/name with space.pte", LINEAR)
    base = repository.commit()
    repository.put("exported/model.pte", PAIRED)
    repository.put("exported/name with space.pte", GOOD)
    repository.commit()
    lines = [*job["before_script"], *job["script"]]
    done = shell("\n".join(lines), CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == 0, done.stderr
    reports = job["artifacts"]["reports"]
    assert isinstance(
        json.loads((repository.path / reports["codequality"]).read_text("utf-8")), list
    )
    assert ET.parse(repository.path / reports["junit"]).getroot() is not None
    (changes,) = job["artifacts"]["paths"]
    assert (repository.path / changes).read_text("utf-8").count("### pte-lint diff: ") == 2


def test_shell(repository: Repository, shell: Any) -> None:
    repository.put("exported/model.pte", BAD)
    assert shell(RECIPES["shell"]).returncode == 1
    assert (repository.path / "pte-lint.xml").is_file()
    assert (repository.path / "pte-lint.json").is_file()
    shutil.rmtree(repository.path / "exported")
    (repository.path / "exported").mkdir()
    assert shell(RECIPES["shell"]).returncode == 3


def test_pre_commit(repository: Repository, shell: Any) -> None:
    (repo,) = yaml.safe_load(RECIPES["pre-commit"])["repos"]
    (used,) = repo["hooks"]
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert used["id"] == hook["id"]
    names = ["model.pte", "data.ptd", "bundle.bpte", "model.pte.txt", "pte.py"]
    assert [bool(re.search(hook["files"], name)) for name in names] == [True] * 3 + [False] * 2
    # pre-commit runs the entry with the hook's arguments and the names of the files.
    command = " ".join([hook["entry"], *used["args"]])
    assert shell(f"{command} model.pte kept.pte").returncode == 0
    repository.put("model.pte", BAD)
    assert shell(f"{command} model.pte kept.pte").returncode == 1


def test_pytest_on_paths(repository: Repository, shell: Any) -> None:
    repository.put("exported/model.pte", BAD)
    repository.put("exported/good.pte", GOOD)
    done = shell(RECIPES["pytest-paths"])
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout


EXPORT = f"""
import pathlib


def export_model(planned=False):
    return pathlib.Path({str(BAD)!r} if planned else {str(PAIRED)!r})
"""


def test_pytest_in_tests(repository: Repository, shell: Any) -> None:
    head = "from export import export_model\n\n"
    repository.put("export.py", EXPORT.encode())
    repository.put("test_one.py", (head + RECIPES["pytest-fixture"]).encode())
    repository.put("test_two.py", (head + RECIPES["pytest-more"]).encode())
    done = shell("pytest -q")
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_pytest_ini(repository: Repository, shell: Any) -> None:
    options = tomllib.loads(RECIPES["pytest-ini"])["tool"]["pytest"]["ini_options"]
    assert set(options) >= {"pte_lint", "pte_lint_target", "pte_lint_fail_on", "pte_lint_data"}
    repository.put("pyproject.toml", RECIPES["pytest-ini"].encode())
    for suffix in ("pte", "ptd"):
        source = ROOT / "tests" / "data" / "clean" / f"external_constants.{suffix}"
        repository.put(f"exported/model.{suffix}", source)
    done = shell("pytest -q --strict-config exported")
    assert "2 passed" in done.stdout, done.stdout
    told = re.search(r"Other ini options are (.*?)\.", PAGE, re.DOTALL)
    assert told is not None
    named = {*options, *re.findall(r"`(pte_lint\w*)`", told[1])}
    known = set(re.findall(r"^\s+(pte_lint\w*) \(", shell("pytest --help").stdout, re.MULTILINE))
    assert named == known


def test_baseline(repository: Repository, shell: Any) -> None:
    repository.put("exported/model.pte", BAD)
    done = shell(RECIPES["baseline"])
    assert done.returncode == 0, done.stdout
    repository.put("exported/more.pte", BAD)
    check = RECIPES["baseline"].splitlines()[1]
    assert shell(check).returncode == 1


def test_release(repository: Repository, shell: Any) -> None:
    repository.put("released/model.pte", GOOD)
    repository.put("exported/model.pte", GOOD)
    assert shell(RECIPES["release"]).returncode == 0
    repository.put("exported/model.pte", PAIRED)
    done = shell(RECIPES["release"])
    assert done.returncode == 1
    assert "fails --fail-on placement" in done.stdout
