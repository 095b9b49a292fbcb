"""Generated pages and schemas are what the generator makes of the sources today."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pte_lint.text import toml

ROOT = Path(__file__).parent.parent


def _generate(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, str(root / "scripts" / "generate_docs.py"), *options],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )


def test_nothing_is_out_of_date() -> None:
    result = _generate(ROOT, "--check")
    assert result.stdout + result.stderr == ""
    assert result.returncode == 0


def test_drift_is_found_and_mended(tmp_path: Path) -> None:
    for name in ("scripts", "docs", "schema", "README.md"):
        _copy(ROOT / name, tmp_path / name)
    page = tmp_path / "docs" / "cli.md"
    page.write_text("changed", "utf-8")
    (tmp_path / "docs" / "rules" / "PTE299.md").write_text("a rule that is gone", "utf-8")
    found = _generate(tmp_path, "--check")
    assert found.returncode == 1
    assert "out of date: docs/cli.md" in found.stdout
    assert "to be removed: docs/rules/PTE299.md" in found.stdout
    assert _generate(tmp_path).returncode == 0
    assert page.read_bytes() == (ROOT / "docs" / "cli.md").read_bytes()
    assert _generate(tmp_path, "--check").returncode == 0


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.write_bytes(source.read_bytes())
        return
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())


def test_the_examples_of_the_configuration_page_are_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pte_lint.config.file import load

    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    examples = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    assert len(examples) == 4
    for example in examples:
        assert "pte-lint" in toml.loads(example)["tool"]
        path = tmp_path / "pyproject.toml"
        path.write_text(example, "utf-8")
        assert load(path).config.model_fields_set
    path.write_text(examples[0], "utf-8")
    # It is there to be copied: it names no file and no method that a reader does not have.
    assert not load(path).config.model_fields_set & {"data", "baseline", "pipeline"}
