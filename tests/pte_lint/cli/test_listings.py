"""SARIF shows a finding at the instruction, in a listing that is attached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program

HERE = Path(__file__).parents[1]
SCHEMA = json.loads((HERE / "report" / "vendored" / "sarif-schema-2.1.0.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(name: str, *, jumps: bool = False) -> MethodBuilder:
    """A method whose second instruction a kernel refuses; a jump to the end adds a line."""
    b = MethodBuilder(name)
    x, weight = b.input((2, 3)), b.constant([1.0] * 4, (2, 2))
    y = b.call("aten::sigmoid.out", x, out=(2, 3))
    b.output(b.call("aten::mm.out", y, weight, out=(2, 2)))
    if jumps:
        end = Label()
        b.jump_false(b.bool_value(False), end)
        b.mark(end)
    return b


def sarif(*args: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["check", *args, "--isolated"], prog_name="pte-lint")
    log = json.loads(Path("x.sarif").read_text("utf-8"))
    assert result.exit_code in (0, 1), result.output
    jsonschema.validate(log, SCHEMA)
    run: dict[str, Any] = log["runs"][0]
    return run


def test_each_result_points_at_its_instruction() -> None:
    program = build_program(refused("a", jumps=True), refused("b"))
    Path("good.pte").write_bytes(build_program(plain()).bytes())
    Path("model.pte").write_bytes(program.bytes())
    run = sarif("good.pte", "model.pte", "--select", "PTE141", "--output", "sarif=x.sarif")
    assert [a["location"]["uri"] for a in run["artifacts"]] == [
        "good.pte",
        "model.pte",
        "model.pte.instructions.txt",
    ]
    attached = run["artifacts"][2]
    assert attached["parentIndex"] == 1
    lines = attached["contents"]["text"].split("\n")
    assert len(run["results"]) == 2
    for result in run["results"]:
        (attachment,) = result["attachments"]
        assert attachment["artifactLocation"]["index"] == 2
        line = lines[attachment["regions"][0]["startLine"] - 1]
        assert "aten::mm.out(" in line
        assert line.split()[0] == "1"
    starts = [r["attachments"][0]["regions"][0]["startLine"] for r in run["results"]]
    assert starts[0] < starts[1]


def test_nothing_is_attached_to_what_has_no_places() -> None:
    Path("model.pte").write_bytes(build_program(plain()).bytes())
    run = sarif("model.pte", "--output", "sarif=x.sarif")
    assert len(run["artifacts"]) == 1


def plain() -> MethodBuilder:
    b = MethodBuilder("forward")
    b.output(b.call("aten::sigmoid.out", b.input((4,)), out=(4,)))
    return b
