"""The scripts that carry the comparison to a machine with a GPU, with a pretended driver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

from pte_lint.harness.build import Probe, find_compiler
from pte_lint.harness.outcome import MethodReport, MethodRun

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


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver that only pretends to be one."""
    folder = tmp_path_factory.mktemp("driver")
    source, target = ROOT / "tests/harness/fake_cuda.cpp", folder / "libcuda.so.1"
    command = [*find_compiler(), "-std=c++17", "-shared", "-fPIC", str(source), "-o", str(target)]
    subprocess.run(command, check=True, timeout=120)
    return folder


def run_there(
    pack: Path, out: Path, driver: Path | None, devices: str = "", compiler: str = "no-compiler"
) -> subprocess.CompletedProcess[str]:
    """Runs the packed script as the other machine would, without this project on its path."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(out)}
    environment["CXX"] = compiler  # none: the probe that was packed does
    if driver is not None:
        environment["LD_LIBRARY_PATH"] = str(driver)
    if devices or driver is None:
        environment["CUDA_VISIBLE_DEVICES"] = devices
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
    assert os.access(pack / "probe", os.X_OK)
    assert {name: said["devices"] for name, said in predictions.items()} == dict.fromkeys(
        predictions, 1
    )


def test_it_runs_alone_and_writes_the_table(pack: Path, tmp_path: Path, driver: Path) -> None:
    done = run_there(pack, tmp_path, driver)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads((tmp_path / "hardware.json").read_text())
    assert all(row["same"] and row["fenced"] for row in result["rows"])
    assert result["notes"] == []
    crash = [row for row in result["rows"] if row["runtime"] == "1.4" and row["rule"] == "PTE301"]
    assert [row["gpu"] for row in crash] == ["SIGSEGV at set_input (cuda:0)"]
    assert [row["predicted"] for row in crash] == ["SIGSEGV at set_input"]
    table = (tmp_path / "hardware.md").read_text()
    assert "| add_skip_both_planned_768.pte | forward | 1.5 | default | PTE301 |" in table


def test_without_a_device_it_says_so(pack: Path, tmp_path: Path, driver: Path) -> None:
    done = run_there(pack, tmp_path, driver, "fails-100")
    why = "cuInit gives 100 CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
    note = f"no CUDA device can be used here ({why}); nothing was run"
    assert (done.returncode, done.stderr) == (4, f"{note}\n")
    result = json.loads((tmp_path / "hardware.json").read_text())
    assert (result["notes"], result["rows"]) == ([note], [])
    assert f"- {note}\n" in (tmp_path / "hardware.md").read_text()


def test_what_the_fence_keeps_from_a_driver_is_run_without_it(
    pack: Path, tmp_path: Path, driver: Path
) -> None:
    done = run_there(pack, tmp_path, driver, "opens")
    result = json.loads((tmp_path / "hardware.json").read_text())
    fenced = {row["file"]: row["fenced"] for row in result["rows"]}
    assert fenced == {f"{name}.pte": False for name in PROGRAMS[:3]}
    files = sorted(fenced)
    note = f"unfenced, since it differs or does not run in the fence: {files}"
    assert (done.returncode, done.stderr, result["notes"]) == (0, f"{note}\n", [note])


def test_a_method_that_the_device_did_not_get_to_is_not_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = spec_from_file_location("hardware_run", ROOT / "scripts" / "hardware_run.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    first, second = (
        MethodReport(n, f"m{n}", None, (MethodRun("execute", "ok"),)) for n in range(2)
    )
    emulated = SimpleNamespace(methods=(first, second))
    monkeypatch.setattr(script, "run", lambda *_: SimpleNamespace(methods=(first,)))
    rows = script.rows_of(Path("a.pte"), "1.5", {}, emulated, devices=1)
    assert [(row["method"], row["gpu"], row["same"]) for row in rows] == [
        ("m0", rows[0]["emulated"], True),
        ("m1", "not run", False),
    ]


def test_what_was_learnt_is_written_where_a_part_fails(
    pack: Path, tmp_path: Path, driver: Path
) -> None:
    """One program is gone, one asks for a device that is not there, and one runs."""
    other = tmp_path / "pack"
    shutil.copytree(pack, other, symlinks=True)
    predictions = json.loads((other / "predictions.json").read_text())
    predictions["add_default.pte"]["devices"] = 2
    (other / "predictions.json").write_text(json.dumps(predictions))
    (other / "programs/device_tensor_in_host_kernel.pte").unlink()
    done = run_there(other, tmp_path, driver)
    assert done.returncode == 1
    result = json.loads((tmp_path / "hardware.json").read_text())
    assert {row["file"] for row in result["rows"]} == {"add_skip_both_planned_768.pte"}
    first, *failed = result["notes"]
    assert first == "left out, for want of as many devices: add_default.pte"
    assert sorted(each.split(":")[0] for each in failed) == [
        "device_tensor_in_host_kernel.pte on 1.4 failed",
        "device_tensor_in_host_kernel.pte on 1.5 failed",
    ]


def test_a_packed_probe_that_does_not_start_is_built_of_its_sources(
    pack: Path, tmp_path: Path, driver: Path
) -> None:
    other = tmp_path / "pack"
    shutil.copytree(pack, other, symlinks=True)
    (other / "probe").write_text("#!/bin/sh\nexit 1\n")
    done = run_there(other, tmp_path, driver)
    first, *rest = done.stderr.splitlines()
    assert first == "the probe that was packed does not start here: it is built of its sources"
    assert "No C++ compiler was found (no-compiler)." in "\n".join(rest)
    assert (tmp_path / "hardware.json").exists()
