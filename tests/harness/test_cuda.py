"""The probe's use of the CUDA driver, against a library that only pretends to be one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pte_lint.harness.build import Probe, find_compiler
from pte_lint.harness.driver import cuda_devices, cuda_problem, run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import MethodRun

pytestmark = pytest.mark.runtime

SOURCE = Path(__file__).parent / "fake_cuda.cpp"


@pytest.fixture(scope="module")
def library(probe: Probe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    target = folder / "libcuda.so.1"
    command = [
        *find_compiler(),
        "-std=c++17",
        "-shared",
        "-fPIC",
        "-pthread",
        str(SOURCE),
        "-o",
        str(target),
    ]
    subprocess.run(command, check=True, timeout=120)
    return folder


@pytest.fixture
def driver(library: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pretended driver, found before any real one."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return library


def run(path: Path, memory: str, variant: str = "default") -> MethodRun:
    report = run_probe(path, variants=[variant], device_memory=memory, devices=1, describe=False)
    assert report.device_memory == memory
    return report.methods[0].runs[0]


@pytest.mark.parametrize(
    "name",
    [
        "add_default",
        "add_skip_both_paired",
        "add_skip_both_planned_768",
        "add_copies_unplanned_output",
        "chain_two_delegates_elided",
        "device_tensor_in_host_kernel",
        "device_tensor_as_predicate",
        "h2d_dropped_host_to_delegate",
        "buffers_device_huge",
        "copy_jumped_over",
    ],
)
def test_the_driver_and_the_emulation_show_the_same(driver: Path, files: Path, name: str) -> None:
    path = files / f"{name}.pte"
    real, emulated = run(path, "cuda"), run(path, "emulated")
    assert (real.stage, real.outcome, real.error) == (
        emulated.stage,
        emulated.outcome,
        emulated.error,
    )
    assert real.signal == emulated.signal
    assert real.copies == emulated.copies
    assert real.delegate_calls == emulated.delegate_calls
    assert real.outputs == emulated.outputs
    assert real.remarks == emulated.remarks
    assert (real.fault is None) == (emulated.fault is None)
    if real.fault is not None and emulated.fault is not None:
        assert real.fault.address_in == emulated.fault.address_in == "cuda:0"
        assert real.fault.offset == emulated.fault.offset


def test_poison_reaches_driver_memory(driver: Path, files: Path) -> None:
    path = files / "copy_jumped_over.pte"
    clean, poisoned = run(path, "cuda", "rising"), run(path, "cuda", "poisoned_device")
    assert clean.outputs != poisoned.outputs


def test_devices_are_counted(driver: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cuda_devices() == 1
    assert run_probe(files / "linear.pte", device_memory="auto").device_memory == "cuda"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert cuda_devices() == 0
    assert run_probe(files / "linear.pte", device_memory="auto").device_memory == "emulated"
    with pytest.raises(HarnessUnavailable):
        run_probe(files / "linear.pte", device_memory="cuda")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (100, "cuInit gives 100 CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"),
        (804, "cuInit gives 804"),
    ],
)
def test_a_driver_that_does_not_start_is_quoted(
    driver: Path, files: Path, monkeypatch: pytest.MonkeyPatch, code: int, problem: str
) -> None:
    assert cuda_problem() == ""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", f"fails-{code}")
    assert cuda_problem() == problem
    with pytest.raises(HarnessUnavailable) as caught:
        run_probe(files / "linear.pte", device_memory="cuda")
    assert caught.value.reason == f"No CUDA device can be used on this machine: {problem}."


def test_no_driver_is_told(probe: Probe, monkeypatch: pytest.MonkeyPatch, driver: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert cuda_problem() == "cuDeviceGetCount finds no device"


def test_a_library_without_the_names_is_no_driver(
    tmp_path: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty.cpp"
    empty.write_text('extern "C" int cuInit(unsigned) { return 0; }\n')
    target = tmp_path / "libcuda.so.1"
    command = [*find_compiler(), "-shared", "-fPIC", str(empty), "-o", str(target)]
    subprocess.run(command, check=True, timeout=120)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert cuda_devices() == 0
    assert cuda_problem() == "libcuda.so.1 has no cuDeviceGetCount"
