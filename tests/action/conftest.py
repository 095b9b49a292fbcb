"""A repository with artifacts on two commits, and the action in front of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.action import ActionRun, run_action
from tests.support.look import DATA
from tests.support.processes import is_installed, python_path

ROOT = DATA.parents[1]
GOOD = DATA / "device" / "add_default.pte"
BAD = DATA / "device" / "add_skip_both_planned.pte"
PAIRED = DATA / "device" / "add_skip_both_paired.pte"
LINEAR = DATA / "clean" / "linear.pte"

Act = Callable[..., ActionRun]


class Repository:
    """A git repository with a base commit and changes on top."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.put("model.pte", GOOD)
        self.put("kept.pte", LINEAR)
        self.base = self.commit()

    def git(self, *args: str) -> str:
        """Runs git; returns what it prints."""
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        command = ["git", *identity, *args]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def put(self, name: str, source: Path | bytes) -> None:
        """Writes a file of the working tree."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source if isinstance(source, bytes) else source.read_bytes())

    def commit(self) -> str:
        """Commits everything; returns the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    return Repository(tmp_path / "repository")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with `pte-lint` and `python`, as install.sh leaves it, and a `gh` that records."""
    folder = tmp_path / "tools"
    folder.mkdir()
    # Where pte-lint is not installed it is found through PYTHONPATH, which -I ignores.
    python = f'exec "{sys.executable}" "$@"'
    if not is_installed():
        python = f"export PYTHONPATH='{python_path()}'; " + python.replace('"$@"', '-P "${@:2}"')
    scripts = {
        "python": python,
        "pte-lint": f'exec "{sys.executable}" -P -m pte_lint "$@"',
        "gh": """
            echo "$@" >> "$GH_LOG"
            for word in "$@"; do
                case "$word" in body=@*) cp "${word#body=@}" "$GH_LOG.body";; esac
            done
            if [ -n "${GH_FAILS:-}" ]; then exit 1; fi
            case "$*" in *--paginate*) echo "${GH_KNOWN:-}";; esac
        """,
    }
    for name, text in scripts.items():
        path = folder / name
        path.write_text(f"#!/usr/bin/env bash\n{text}\n")
        path.chmod(0o755)
    return folder


@pytest.fixture
def act(repository: Repository, tools: Path, tmp_path: Path) -> Act:
    """Runs the action on the repository, as on pull request 7."""
    runs = 0

    def call(
        *,
        pull_request: bool = True,
        pull_request_head: str = "",
        event_name: str = "",
        environment: dict[str, str] | None = None,
        **inputs: str,
    ) -> ActionRun:
        nonlocal runs
        runs += 1
        temp = tmp_path / f"runner temp {runs}"
        temp.mkdir()
        ends = {"base": {"sha": repository.base}, "head": {"sha": pull_request_head}}
        event = {"pull_request": {"number": 7, **ends}}
        github = {
            "event": event if pull_request else {},
            "event_name": event_name,
            "repository": "owner/name",
            "token": "secret",
        }
        return run_action(
            ROOT,
            repository.path,
            temp,
            inputs={name.replace("_", "-"): value for name, value in inputs.items()},
            github=github,
            environment={
                **os.environ,
                "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": python_path(),
                "GH_LOG": str(tmp_path / "gh.log"),
                **(environment or {}),
            },
            replaced={"install": f"bin={tools}"},
        )

    return call
