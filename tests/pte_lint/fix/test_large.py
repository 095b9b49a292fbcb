"""A repair costs what the program's tables cost, however large the weights are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import DataSegment, NamedData

from pte_lint.testing.containers import Layout, write_program
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import add_method

MIB = 1 << 20
WEIGHTS = 300 * MIB

_FIX = """\
import sys
from pathlib import Path
from pte_lint.cli.app import app
try:
    app(sys.argv[1:], prog_name="pte-lint")
finally:
    # Not ru_maxrss, which counts the parent's memory too.
    status = Path("/proc/self/status").read_text("ascii")
    print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def large_file(path: Path, size: int) -> None:
    """A program whose delegate arguments are on the wrong side, before a segment of holes."""
    program = build_program(add_method(skip_h2d=True)).program
    program = replace(
        program, segments=(DataSegment(0, size),), named_data=(NamedData("weights", 0),)
    )
    layout = Layout(segment_data_size=size)
    head = write_program(program, b"\0", layout=layout)[:-1]
    with path.open("wb") as out:
        out.write(head)
        out.truncate(len(head) + size)
        # Something at both ends, to be found again.
        for at in (0, size - 5):
            out.seek(len(head) + at)
            out.write(b"bytes")


def peak(*args: object) -> int:
    """The most resident memory of a child that repairs a program, in KiB."""
    command = [sys.executable, "-c", _FIX, "fix", *map(str, args), "--no-run", "--isolated"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "fixed PTE301" in done.stdout, done.stderr
    return int(done.stdout.split()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak on Linux alone")
def test_weights_are_never_read(tmp_path: Path) -> None:
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    large_file(old, WEIGHTS)
    assert peak(old, "-o", new, "--unsafe-fixes") < 100 * 1024
    assert abs(new.stat().st_size - old.stat().st_size) < 4096
    with new.open("rb") as file:
        read = read_program(file.read(1 << 16))
        base = read.container.segment_base_offset
        for at in (0, WEIGHTS - 5):
            file.seek(base + at)
            assert file.read(5) == b"bytes"
