"""The command line over real files and built ones, with the built-in rules, in every format."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.report.formats import FORMATS
from pte_lint.report.model import ReportModel
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.report.test_formats import SARIF_SCHEMA
from tests.pte_lint.report.test_hostile_names import NAMES

DATA = Path(__file__).parents[2] / "data"


def _files() -> list[Path]:
    roots = [DATA]
    if named := os.environ.get("PTE_LINT_CORPUS"):
        roots.append(Path(named))
    suffixes = (".pte", ".ptd", ".bpte")
    return sorted(p for root in roots for p in root.rglob("*") if p.name.endswith(suffixes))


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["check", "--isolated", *(str(a) for a in args)])


def outputs(folder: Path) -> list[str]:
    """Options that write every format."""
    return [word for form in FORMATS for word in ("--output", f"{form}={folder / form}")]


@pytest.mark.parametrize("path", _files(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_file_gives_every_format_and_0_or_1(path: Path, tmp_path: Path) -> None:
    result = run(path, "--format", "json", *outputs(tmp_path))
    assert result.exit_code in (0, 1), result.output
    assert result.stderr == ""
    made = json.loads(result.stdout)
    assert ReportModel.model_validate(made).model_dump(exclude_unset=True) == made
    assert (tmp_path / "json").read_text("utf-8") == result.stdout
    assert result.exit_code == (made["summary"]["errors"] > 0)
    jsonschema.Draft7Validator(SARIF_SCHEMA).validate(json.loads((tmp_path / "sarif").read_bytes()))
    ET.fromstring((tmp_path / "junit").read_bytes())


def test_all_formats_are_the_same_bytes_for_any_number_of_processes(tmp_path: Path) -> None:
    made = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        folder.mkdir()
        result = run(DATA / "device", "-j", jobs, *outputs(folder))
        made.append((result.stdout, {p.name: p.read_bytes() for p in folder.iterdir()}))
    assert made[0] == made[1]
    assert set(made[0][1]) == set(FORMATS)


@pytest.mark.parametrize("kind", [k for k in NAMES if "\ud800" not in NAMES[k]])
def test_hostile_names_in_a_real_program(kind: str, tmp_path: Path) -> None:
    evil = NAMES[kind]
    b = MethodBuilder(evil)
    x = b.input((2, 2), device="cuda:0")
    (y,) = b.delegate(evil, [x], [(2, 2)], device="cuda:0")
    z = b.call(evil or "aten::add.out", y, y, out=(2, 2))
    b.output(z)
    path = tmp_path / "hostile.pte"
    path.write_bytes(build_program(b).bytes())
    result = run(path, "--verbose", "--show-unchecked", *outputs(tmp_path))
    assert result.exit_code == 1
    assert "PTE305" in result.stdout
    for text in (result.stdout, *((tmp_path / form).read_text("utf-8") for form in FORMATS)):
        assert {c for c in text if not c.isprintable() and c != "\n"} == set()


def test_bytes_that_are_not_utf8_in_a_real_program(tmp_path: Path) -> None:
    path = tmp_path / "bad.pte"
    good = (DATA / "device" / "add_skip_both_planned.pte").read_bytes()
    path.write_bytes(good.replace(b"forward", b"\xff\xc0\x80\x1b[m!"))
    result = run(path, *outputs(tmp_path))
    assert result.exit_code == 1
    assert r"at \xff\xc0\x80\x1b[m!: input 0" in result.stdout
    (sarif,) = json.loads((tmp_path / "sarif").read_bytes())["runs"]
    methods = {r["properties"]["method"] for r in sarif["results"] if r["ruleId"] == "PTE301"}
    assert methods == {r"\xff\xc0\x80\x1b[m!"}
    ET.fromstring((tmp_path / "junit").read_bytes())


_AT_ONCE = """
import pte_lint.cli.progress_line as line
from pte_lint.cli import main
line.DELAY, line.INTERVAL = 0, 0.001
main()
"""
"""The command line, which does not wait for work to take long before it shows progress."""


def _under_a_terminal(folder: Path, *options: str) -> tuple[bytes, bytes]:
    """Runs a check with a terminal on stderr; returns stdout and what the terminal got."""
    master, slave = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", _AT_ONCE, "check", str(folder), *options]
    seen = b""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, env=env) as process:
        os.close(slave)
        assert process.stdout is not None
        stdout = process.stdout.read()
        process.wait()
    while select.select([master], [], [], 0)[0]:
        try:
            part = os.read(master, 65_536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(master)
    return stdout, seen


def test_progress_is_for_terminals_and_leaves_stdout_alone(tmp_path: Path) -> None:
    for index in range(12):
        (tmp_path / f"{index}.pte").write_bytes((DATA / "clean" / "linear.pte").read_bytes())
    plain = run(tmp_path, "--format", "json").stdout_bytes
    stdout, seen = _under_a_terminal(tmp_path, "--isolated", "--format", "json")
    assert stdout == plain
    assert b" of 12 files done: " in seen
    assert seen.endswith(b" \r"), "it is wiped"
    assert _under_a_terminal(tmp_path, "--quiet")[1] == b""
