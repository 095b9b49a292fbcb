"""The example plugin of the documentation conforms, and works where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from pte_lint.testing import check_plugin
from pte_lint.text import toml
from tests.support.plugins import installed

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "example_plugin"


def test_it_conforms(tmp_path: Path) -> None:
    project = toml.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(EXAMPLE / "example_rules", tmp_path / "example_rules")
    info = tmp_path / "example_rules-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example-rules\nVersion: 0.1.0\n")
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text(points)
    with installed(tmp_path):
        check_plugin("example-rules")


@pytest.mark.slow
def test_it_is_built_installed_and_checked_as_a_user_would(tmp_path: Path) -> None:
    """In an environment of its own, by pip, which fetches what pte-lint needs."""
    source = tmp_path / "source"
    for name in ("pte_lint", "rules", "schema"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    plugin = tmp_path / "plugin"
    shutil.copytree(EXAMPLE, plugin, ignore=shutil.ignore_patterns("__pycache__", "build"))
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    if sys.platform == "linux":
        # Then the plugin's tests demand the runtime instead of skipping what needs it.
        env["CI"] = "true"

    def run(*words: str, cwd: Path = plugin) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), *words], cwd=cwd, env=env, capture_output=True, text=True, check=False
        )

    pip = ("-m", "pip", "install", "-q", "--disable-pip-version-check")
    done = run(*pip, str(source), f"{plugin}[test]")
    assert done.returncode == 0, done.stderr
    if sys.platform == "linux":
        done = run(*pip, "--no-deps", "executorch>=1.5")
        assert done.returncode == 0, done.stderr
    checked = run("-m", "pte_lint", "rules", "--check")
    assert checked.returncode == 0, checked.stdout
    assert [line[:2] for line in checked.stdout.splitlines()] == ["ok"] * 5
    model = ROOT / "tests" / "data" / "clean" / "linear.pte"
    said = run("-m", "pte_lint", "check", str(model), "--format", "json", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    asked = {rule["rule"] for rule in json.loads(said.stdout)["artifacts"][0]["rules"]}
    assert {"EXAMPLE001", "EXAMPLE002", "EXAMPLE003"} < asked
    assert sys.prefix not in run("-c", "import pte_lint; print(pte_lint.__file__)").stdout
