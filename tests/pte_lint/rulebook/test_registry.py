"""Rules of other packages are found, and looked for only where there are any."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pte_lint.rulebook.installed import others_may_declare
from tests.support import plugins

_GROUP = "pte_lint.rules"
_LOAD = """
import sys
sys.path.insert(0, {path!r})
from pte_lint.rulebook.registry import load_rules
try:
    print(len(load_rules()) - len(load_rules(isolated=True)))
except Exception as exc:
    print(type(exc).__name__, exc)
"""


def _load(path: Path) -> str:
    command = [sys.executable, "-c", _LOAD.format(path=str(path))]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout


def test_a_declaration_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "missing")])
    monkeypatch.setattr(sys, "meta_path", [])
    assert not others_may_declare(_GROUP)
    plugins.install(tmp_path)
    assert others_may_declare(_GROUP)


def test_own_declarations_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [])
    plugins.install(tmp_path, name="pte_lint")
    assert not others_may_declare(_GROUP)


def test_an_archive_may_declare_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x.py", "")
    monkeypatch.setattr(sys, "path", [str(archive)])
    monkeypatch.setattr(sys, "meta_path", [])
    assert others_may_declare(_GROUP)


def test_a_finder_of_distributions_may_declare_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        @staticmethod
        def find_distributions() -> list[object]:
            return []

    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [])
    assert not others_may_declare(_GROUP)
    monkeypatch.setattr(sys, "meta_path", [Finder])
    assert others_may_declare(_GROUP)


def test_rules_of_another_package_are_loaded(tmp_path: Path) -> None:
    plugins.install(tmp_path)
    assert _load(tmp_path).strip() == "1"
