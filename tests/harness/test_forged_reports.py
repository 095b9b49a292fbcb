"""What a child wrote into its own report: never an exception, never a confirmation."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pte_lint.harness.build import Probe
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import ProbeRun
from pte_lint.harness.parse import probe_run
from pte_lint.harness.process import ProbeProcess, scratch_folder
from pte_lint.harness.wellformed import is_wellformed
from pte_lint.harness.wheel import find_wheel

pytestmark = pytest.mark.runtime

OPTIONS = ProbeOptions(variants=("default", "rising"))
OTHERS = (
    None, True, -1, 1 << 70, 2.5, "x", "\x1b[31m\n", "x" * (1 << 17), [], {}, [[]], ["x"], {"k": 1},
)  # fmt: skip


def line_of(probe: Probe, path: Path) -> bytes:
    words = [*OPTIONS.arguments("emulated"), f"--program={path}"]
    with scratch_folder() as folder, ProbeProcess(probe, "run", words, folder) as process:
        line = process.read_line(60)
    assert line is not None
    return line


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, list | dict):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))


def with_another(record: Any, path: tuple[Any, ...], value: object) -> bytes:
    record = copy.deepcopy(record)
    at = record
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(record).encode()


def read(line: bytes) -> ProbeRun:
    return probe_run("some.pte", line, "", OPTIONS, "emulated", wheel=find_wheel())


@pytest.mark.parametrize("name", ["add_copies_unplanned_output", "device_tensor_as_predicate"])
def test_any_value_of_another_kind(probe: Probe, files: Path, name: str) -> None:
    line = line_of(probe, files / f"{name}.pte")
    assert is_wellformed(read(line))
    assert read(line).program.outcome == "ok"
    record = json.loads(line)
    refused = 0
    for path in places(record):
        for other in OTHERS:
            run = read(with_another(record, path, other))
            assert is_wellformed(run)
            refused += run.program.damaged
    assert refused > 1000


def test_what_makes_no_sense_says_so(probe: Probe, files: Path) -> None:
    record = json.loads(line_of(probe, files / "add_default.pte"))
    record["methods"][0]["runs"][0]["record"]["copied"] = 5
    program = read(json.dumps(record).encode()).program
    assert (program.outcome, program.damaged) == ("skipped", True)
    assert "makes no sense" in program.console


@pytest.mark.parametrize("line", [b"[" * 200_000, b'{"program":' * 50_000, b"1" * 100_000])
def test_lines_that_are_too_deep_or_too_long_to_read(files: Path, line: bytes) -> None:
    assert read(line).program.outcome == "skipped"
