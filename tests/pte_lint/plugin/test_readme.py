"""The README's test and commands, run as they stand there."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from tests.pte_lint.plugin.conftest import Project
from tests.support.look import DATA


def readme(name: str) -> str:
    text = (DATA.parents[1] / "README.md").read_text("utf-8")
    match = re.search(rf"<!-- readme: {name} -->\n```\w+\n(.*?)\n```", text, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(("planned", "outcome"), [(True, "failed"), (False, "passed")])
def test_the_test_of_the_readme(
    project: Project, pytester: pytest.Pytester, planned: bool, outcome: str
) -> None:
    name = "add_skip_both_planned.pte" if planned else "add_skip_both_paired.pte"
    pytester.makepyfile(f"def export_model():\n    return {name!r}\n\n" + readme("test"))
    result = project(files=(f"device/{name}",))
    result.assert_outcomes(**{outcome: 1})
    if planned:
        result.stdout.fnmatch_lines(["*MemoryPlanningPass(alloc_graph_input=False*"])


def test_the_commands_of_the_readme(pytester: pytest.Pytester) -> None:
    for name in ("model", "old", "new"):
        (pytester.path / f"{name}.pte").write_bytes((DATA / "clean" / "linear.pte").read_bytes())
    for line in readme("look").splitlines():
        words = shlex.split(line, comments=True)
        result = CliRunner().invoke(app, words[1:], prog_name="pte-lint")
        assert result.exit_code == 0, line
