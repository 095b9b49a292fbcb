"""The scripts that carry the comparison to a machine with a GPU, with a pretended driver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pte_lint.harness.build import Probe, cache_folder, find_compiler
from pte_lint.harness.wheel import find_wheel

pytestmark = pytest.mark.runtime

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = ["add_default", "add_skip_both_planned_768", "device_tensor_in_host_kernel", "linear"]


@pytest.fixture(scope="module")
def pack(probe: Probe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed folder for a few programs."""
    programs = tmp_path_factory.mktemp("programs")
    for name in PROGRAMS:
        shutil.copyfile(ROOT / f"tests/harness/files/{name}.pte", programs / f"{name}.pte")
    folder = tmp_path_factory.mktemp("hardware") / "hardware"
    script = ROOT / "scripts/hardware_pack.py"
    subprocess.run(
        [sys.executable, str(script), str(folder), "--programs", str(programs)],
        check=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return folder


def run_there(pack: Path, out: Path, driver: Path | None) -> subprocess.CompletedProcess[str]:
    """Runs the packed script as the other machine would, without this project on its path."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(out)}
    # The probe that is built already, so that the test does not compile it once more.
    environment["PTE_LINT_CACHE_DIR"] = str(cache_folder())
    environment["PTE_LINT_EXECUTORCH"] = str(find_wheel().root)
    if driver is not None:
        environment["LD_LIBRARY_PATH"] = str(driver)
    else:
        environment["CUDA_VISIBLE_DEVICES"] = ""
    return subprocess.run(
        [sys.executable, "-S", str(pack / "run.py"), "--out", str(out), "--jobs", "2"],
        env=environment,
        cwd=out,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_pack_has_what_it_needs(pack: Path) -> None:
    predictions = json.loads((pack / "predictions.json").read_text())
    assert sorted(predictions) == sorted(f"{name}.pte" for name in PROGRAMS[:3])
    said = predictions["add_skip_both_planned_768.pte"]
    assert said["1.5"]["forward"]["error"] == "NotSupported"
    assert said["1.4"]["forward"]["signal"] == "SIGSEGV"
    assert (pack / "executorch/lib/libexecutorch.so").is_file()
    assert (pack / "executorch/include/executorch/extension/module/module.h").is_file()
    assert (pack / "pte_lint/harness/probe/main.cpp").is_file()


def test_it_runs_alone_and_writes_the_table(
    pack: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    driver = tmp_path_factory.mktemp("driver")
    source = ROOT / "tests/harness/fake_cuda.cpp"
    target = driver / "libcuda.so.1"
    command = [*find_compiler(), "-std=c++17", "-shared", "-fPIC", str(source), "-o", str(target)]
    subprocess.run(command, check=True, timeout=120)
    done = run_there(pack, tmp_path, driver)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads((tmp_path / "hardware.json").read_text())
    assert all(row["same"] for row in result["rows"])
    crash = [row for row in result["rows"] if row["runtime"] == "1.4" and row["rule"] == "PTE301"]
    assert [row["gpu"] for row in crash] == ["SIGSEGV at set_input (cuda:0)"]
    assert [row["predicted"] for row in crash] == ["SIGSEGV at set_input"]
    table = (tmp_path / "hardware.md").read_text()
    assert "| add_skip_both_planned_768.pte | forward | 1.5 | default | PTE301 |" in table


def test_without_a_device_it_says_so(pack: Path, tmp_path: Path) -> None:
    done = run_there(pack, tmp_path, None)
    assert done.returncode == 4
    assert "no CUDA device" in done.stderr
    assert not (tmp_path / "hardware.md").exists()
