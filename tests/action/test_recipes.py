"""docs/ci.md: every recipe is run as far as it can be run without the service that it is for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from pte_lint.text import toml
from tests.action.conftest import BAD, GOOD, LINEAR, PAIRED, ROOT, Act, Repository
from tests.action.hostile import Trap
from tests.pte_lint.plugin.conftest import PLUGIN
from tests.support.processes import environment
from tests.support.recipes import PAGE, RECIPES

SELF = re.compile(r"OWNER/pte-lint@")


@pytest.fixture
def shell(repository: Repository, tools: Path) -> Any:
    """Runs lines in the repository, with `pte-lint` on the path and a `pip` that does nothing."""
    for name, text in {
        "pip": "exit 0",
        "pytest": f'exec "$(dirname "$0")/python" -m pytest -p {PLUGIN} "$@"',
        # -I -m MODULE ...
        "python3": f"""
            case "$3" in
                pip) exit 0;;
                pytest) exec "$(dirname "$0")/python" -I -m pytest -p {PLUGIN} "${{@:4}}";;
            esac
            exec "$(dirname "$0")/python" "$@"
        """,
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


def test_github_built(act: Act, repository: Repository, shell: Any, tmp_path: Path) -> None:
    jobs = yaml.safe_load(RECIPES["github-built"])["jobs"]
    export, check = jobs["export"], jobs["pte-lint"]
    # Whoever runs the project's code may nothing, and whoever may something runs none of it.
    assert "permissions" not in export
    assert yaml.safe_load(RECIPES["github-built"])["permissions"] == {"contents": "read"}
    assert export["steps"][0]["with"]["persist-credentials"] is False
    built = {}
    for side, model in (("base", GOOD), ("head", PAIRED)):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "model").write_bytes(model.read_bytes())
        (folder / "export.py").write_text(
            "import pathlib, shutil, sys\n"
            "out = pathlib.Path(sys.argv[2])\nout.mkdir()\nshutil.copy('model', out / 'm.pte')\n"
        )
        (script,) = (step["run"] for step in export["steps"] if "run" in step)
        done = shell(script, folder)
        assert done.returncode == 0, done.stderr
        built[side] = folder / export["steps"][-1]["with"]["path"]
    # What lies there already must not be written through.
    aside = tmp_path / "aside"
    aside.mkdir()
    (repository.path / "exported").symlink_to(aside)
    for step in check["steps"]:
        if "run" in step:
            assert shell(step["run"]).returncode == 0
        elif "download-artifact" in step["uses"]:
            given = step["with"]
            shutil.copytree(
                built[given["name"]], repository.path / given["path"], dirs_exist_ok=True
            )
    assert list(aside.iterdir()) == []
    run = act(**action_inputs({"jobs": {"pte-lint": check}}))
    assert run.outputs["count"] == "1"
    assert run.code == 1  # the placement changed
    assert "cuda:0, caller-owned" in run.summary


def test_github_plain(repository: Repository, shell: Any, tmp_path: Path) -> None:
    workflow = yaml.safe_load(RECIPES["github-plain"])
    (job,) = workflow["jobs"].values()
    repository.put("base/readme", b"")
    repository.put("head/exported/model.pte", BAD)
    repository.put("head/pte-lint.toml", b'fail-on = "never"\n')
    scripts = [step for step in job["steps"] if "run" in step]
    assert "uses" not in job["steps"][0]  # installed before there is a checkout
    results = [
        shell(
            step["run"],
            repository.path / step.get("working-directory", "."),
            RUNNER_TEMP=str(tmp_path),
        )
        for step in scripts
    ]
    assert [r.returncode for r in results] == [0, 1]
    assert "::error " in results[-1].stdout
    upload = job["steps"][-1]
    assert upload["if"] == "always()"
    assert upload["with"]["sarif_file"] == "${{ runner.temp }}/pte-lint.sarif"
    assert json.loads((tmp_path / "pte-lint.sarif").read_text("utf-8"))["runs"]


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
    # Its own settings do not excuse a merge request, and its links are not written through.
    outside = repository.path.parent / "outside"
    outside.write_text("")
    repository.put("pte-lint.toml", b'fail-on = "never"\n')
    repository.put("exported/model.pte", BAD)
    (repository.path / changes).unlink()
    (repository.path / changes).symlink_to(outside)
    (repository.path / "exported/name with space.pte").unlink()
    (repository.path / "exported/name with space.pte").symlink_to("/dev/zero")
    repository.commit()
    (repository.path / "exported/name with space.pte").unlink()
    done = shell("\n".join(lines), CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == 1, done.stderr
    assert outside.read_text() == ""
    assert (repository.path / changes).read_text("utf-8").count("### pte-lint diff: ") == 1


def test_shell(repository: Repository, shell: Any) -> None:
    repository.put("exported/model.pte", BAD)
    assert shell(RECIPES["shell"]).returncode == 1
    assert (repository.path / "pte-lint.xml").is_file()
    assert (repository.path / "pte-lint.json").is_file()
    shutil.rmtree(repository.path / "exported")
    (repository.path / "exported").mkdir()
    assert shell(RECIPES["shell"]).returncode == 3


def test_shell_settings(repository: Repository, shell: Any, tmp_path: Path) -> None:
    repository.put("exported/model.pte", BAD)
    repository.put("pte-lint.toml", b'fail-on = "never"\n')
    repository.commit()
    assert shell("pte-lint check exported/").returncode == 0
    places = {"BASE_FOLDER": str(tmp_path / "base"), "BASE_COMMIT": repository.base}
    assert shell(RECIPES["shell-settings"], **places).returncode == 1


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
    # Names of files come without a `--` before them.
    repository.put("x.pte", b'fail-on = "never"\n')
    repository.put("--config=x.pte", GOOD)
    done = shell(f"{command} --config=x.pte model.pte")
    assert done.returncode == 2
    assert "is an option and the name of a file" in done.stderr
    trap = Trap(repository.path, repository.path.parent / "trace")
    assert shell(f"{command} kept.pte", PYTHONPATH=str(repository.path)).returncode == 0
    assert trap.sprung == ""


def test_pytest_on_paths(repository: Repository, shell: Any) -> None:
    repository.put("exported/model.pte", BAD)
    repository.put("exported/good.pte", GOOD)
    done = shell(RECIPES["pytest-paths"])
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    trap = Trap(repository.path, repository.path.parent / "trace")
    done = shell(RECIPES["pytest-paths"])
    assert "1 failed, 1 passed" in done.stdout
    assert trap.sprung == ""


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
    options = toml.loads(RECIPES["pytest-ini"])["tool"]["pytest"]["ini_options"]
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
