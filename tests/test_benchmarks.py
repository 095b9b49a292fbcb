"""The benchmark runs as one command, and measures what it says it does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program

import pte_lint
from benchmarks.fast_writer import chain_program
from benchmarks.files import SMALL, write_chain, write_with_segments
from benchmarks.measure import in_turn, own_python
from benchmarks.page import render
from benchmarks.parts.lengths import shapes
from benchmarks.plan import Size, measure
from benchmarks.shapes import SHAPES, write_shape
from benchmarks.stages import stages
from pte_lint.claims.finding import Severity

ROOT = Path(__file__).parents[1]
TINY = Size(1, 1, (50, 100), 20, 2, 50, 2, (1,))


@pytest.fixture(autouse=True)
def found_by_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))


def test_a_chain_is_a_sound_program() -> None:
    program = chain_program(100)
    loaded = read_program(program)
    assert loaded.program is not None
    assert not loaded.violations
    (plan,) = loaded.program.execution_plan or ()
    assert [len(chain.instructions or ()) for chain in plan.chains or ()] == [100]
    report = pte_lint.check(program, isolated=True)
    assert [v.outcome for a in report.artifacts for v in a.verdict] == ["ok"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_its_size_and_no_fault_of_loading(name: str, tmp_path: Path) -> None:
    path = write_shape(tmp_path, name, 40)
    loaded = read_program(path.read_bytes())
    assert loaded.program is not None
    (plan,) = loaded.program.execution_plan or ()
    count = sum(len(chain.instructions or ()) for chain in plan.chains or ())
    assert 36 <= count <= 44
    (artifact,) = pte_lint.check(path, isolated=True).artifacts
    errors = {f.rule for f in artifact.findings if f.severity is Severity.ERROR}
    # Who loads the one with delegates needs a backend that does not exist.
    assert errors <= ({"PTE402"} if name == "half boundary copies" else set())


def test_a_segment_area_changes_nothing_but_the_size(tmp_path: Path) -> None:
    alone = write_chain(tmp_path, 20)
    big = write_with_segments(tmp_path, alone, 1 << 30)
    assert big.stat().st_size > 1 << 30
    one, other = (pte_lint.check(p, isolated=True).artifacts[0] for p in (alone, big))
    assert one.verdict == other.verdict
    assert big.stat().st_blocks * 512 < 1 << 20


def test_processor_time_is_measured() -> None:
    busy, idle = in_turn(
        [own_python("-c", "sum(range(10**7))"), own_python("-c", "import time; time.sleep(0.5)")], 1
    )
    assert busy.seconds > idle.seconds
    assert idle.wall > 0.5
    assert busy.ratio(idle) > 1
    with pytest.raises(RuntimeError, match="exit 3: no"):
        in_turn([own_python("-c", "import sys; print('no', file=sys.stderr); sys.exit(3)")], 1)


def test_stages_add_up(tmp_path: Path) -> None:
    found = stages(write_chain(tmp_path, 2000), repeat=1)
    assert min(found.read, found.index, found.analyses, found.graph) > 0
    assert found.rules >= 0


def test_growth_is_told(tmp_path: Path) -> None:
    rows = list(shapes(tmp_path, 20, 2))
    assert [row["shape"] for row in rows] == list(SHAPES)
    assert all(row["growth"] == row["seconds"] / row["short"] for row in rows)


def test_parts_without_peers_are_measured_and_shown(tmp_path: Path) -> None:
    names = ("cold_start", "lengths", "dynamic", "many_files", "big_files")
    results = measure(tmp_path, TINY, None, tmp_path, names)
    page = render(results)
    for title in ("Cold start", "Length of the program", "Many small files", "Large files"):
        assert f"\n## {title}\n" in page
    assert "Not measured this time: " in page
    assert "Beside ExecuTorch's own Python reader" in page.partition("Not measured")[2]
    assert json.loads(json.dumps(results))["many_files"][0]["files"] == 2
    with pytest.raises(KeyError, match="peers"):
        measure(tmp_path, TINY, None, tmp_path, ["peers"])


def test_what_is_skipped_is_told() -> None:
    results = {
        "date": "", "pte_lint": "", "python": "", "machine": "", "executorch": None, "quick": True,
        "load": 0.1, "repeat": 1, "long_repeat": 1,
        "floor": [{"what": "a file", "skipped": "no compiler"}],
        "big_files": [{"GiB": 50, "skipped": "cannot be made here: too large"}],
    }  # fmt: skip
    page = render(results)
    assert "Not measured: a file: no compiler." in page
    assert "Not measured: 50 GiB: cannot be made here: too large." in page


@pytest.mark.runtime
def test_the_floor_stops_behind_load_method(tmp_path: Path) -> None:
    from benchmarks.parts.floor import floor

    rows = list(floor({"chain": write_chain(tmp_path, 50), "real": SMALL}, 1))
    if "skipped" in rows[0]:
        pytest.skip(rows[0]["skipped"])
    assert [row["stage"] for row in rows] == ["execute", "execute"]
    assert all(row["load_program"] > 0 and row["load_method"] > 0 for row in rows)


def test_the_command_line(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only"]
    done = subprocess.run(
        [*command, "nothing"], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no part is called 'nothing'" in done.stderr
