"""Capturing a profile from the installed runtime."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.harness.wheel import find_wheel

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]


@pytest.mark.parametrize("name", ["executorch-1.5.1.json", "executorch-1.5.1-quantized.json"])
def test_the_shipped_profiles_are_what_their_command_gives(tmp_path: Path, name: str) -> None:
    import shlex

    shipped = (files("pte_lint") / "profiles" / name).read_text("utf-8")
    known = json.loads(shipped)
    if find_wheel().version != known["runtime"]:
        pytest.skip(f"the shipped profile is of {known['runtime']}")
    output = tmp_path / "captured.json"
    words = [*shlex.split(known["command"])[1:], "--output", str(output)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert output.read_text("utf-8") == shipped
