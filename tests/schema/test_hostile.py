"""Bad input costs bounded time and memory, and raises nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pte_lint.schema import limits
from pte_lint.schema import loaded as loaded_module
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.violations import ViolationKind

from tests.schema.hostile_inputs import shared_tables
from tests.support.dumps import DATA

SAMPLE = DATA / "clean" / "linear.pte"

_CHILD = """
import resource, sys
from pathlib import Path
import pte_lint.schema.loaded as loaded
from tests.schema.hostile_inputs import all_inputs

before = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = before + 192 * 1024 * 1024
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
count = 0
for content in all_inputs(Path(sys.argv[1])):
    for read in (loaded.read_program, loaded.read_flat_tensor, loaded.read_bundled_program):
        read(content)
    count += 1
print(count)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_hostile_inputs_stay_within_memory_and_time() -> None:
    paths = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.run(
        [sys.executable, "-c", _CHILD, str(SAMPLE)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 1000


@pytest.mark.parametrize(("width", "verified"), [(998, True), (1000, False), (20_000, False)])
def test_what_is_shared_is_read_once_and_counted_each_time(width: int, verified: bool) -> None:
    """The verifier's own limit is told, and is no limit of this reader."""
    loaded = read_program(shared_tables(width))
    assert loaded.is_shared
    assert loaded.tables == 1 + width + width * width
    kinds = [violation.kind for violation in loaded.violations]
    assert kinds == ([] if verified else [ViolationKind.TOO_MANY_TABLES])
    assert loaded.program is not None
    plans = loaded.program.execution_plan or ()
    assert [len(plan.values or ()) for plan in plans] == [width] * width
    assert len(set(map(id, plans))) <= 2


def test_sharing_that_nobody_could_go_through_ends_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded_module, "APART", frozenset())
    found = read_program(shared_tables(2000)).violations
    assert [(each.kind, each.rejected) for each in found] == [
        (ViolationKind.TOO_MANY_TABLES, True),
        (ViolationKind.BUDGET, False),
    ]


def test_damage_in_shared_content_is_told_for_each_reference() -> None:
    document = bytearray(shared_tables(150))
    document[-65:-64] = b"\x7f"  # the shared value's offset to its vtable
    loaded = read_program(bytes(document))
    assert len([v for v in loaded.violations if v.hard]) > 100


@pytest.mark.parametrize("name", ["FREE_BYTES", "MAX_BYTES"])
def test_content_has_a_budget_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES_FACTOR", 0)
    monkeypatch.setattr(limits, name, 100)
    found = read_program(SAMPLE.read_bytes()).violations
    assert [(violation.kind, violation.rejected) for violation in found] == [
        (ViolationKind.BUDGET, False)
    ]


def test_a_little_sharing_is_read() -> None:
    loaded = read_program(shared_tables(20))
    assert loaded.violations == ()
    assert loaded.tables == 1 + 20 + 20 * 20
    assert loaded.program is not None
    assert loaded.program.execution_plan is not None
    assert [len(plan.values or ()) for plan in loaded.program.execution_plan] == [20] * 20


@pytest.fixture
def sparse_file(tmp_path: Path) -> Path:
    """A program of a few kilobytes in a file of 1 GiB."""
    path = tmp_path / "sparse.pte"
    path.write_bytes(SAMPLE.read_bytes())
    with path.open("r+b") as file:
        file.truncate(1 << 30)
    return path


_MAPPED = """
import mmap, resource, sys
from pte_lint.schema.loaded import read_program
with open(sys.argv[1], "rb") as file:
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        loaded = read_program(mapped)
        assert loaded.program is not None and not loaded.violations
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_kilobytes(path: Path) -> int:
    run = subprocess.run(
        [sys.executable, "-c", _MAPPED, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(run.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
def test_a_mapped_file_costs_what_its_program_costs(sparse_file: Path) -> None:
    # The mapping is closed by then: no view of it may be left behind.
    assert peak_kilobytes(sparse_file) < peak_kilobytes(SAMPLE) + 8192


@given(content=st.binary(max_size=2000))
@settings(max_examples=300, deadline=None)
def test_nothing_raises(content: bytes) -> None:
    for prefix in (b"", b"\x10\0\0\0ET12", b"\x10\0\0\0FT01", b"\x10\0\0\0BP08"):
        read_program(prefix + content)
        read_flat_tensor(prefix + content)
        read_bundled_program(prefix + content)
