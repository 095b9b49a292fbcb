"""Kernels that cannot raise the whole fence: refused, or told layer by layer, never silent."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.harness.batch import run_batch
from pte_lint.harness.build import Probe, find_compiler
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import ProbeRun

pytestmark = pytest.mark.runtime

SOURCE = Path(__file__).parent / "lesser_kernel.cpp"
NO_FILTER = "{{SYS_seccomp, ENOSYS}}"
NO_LAYERS = (
    "{{SYS_unshare, EPERM}, {SYS_chroot, EPERM}, {SYS_setresuid, EPERM}, {SYS_setresgid, EPERM},"
    " {444, ENOSYS}}"
)
NO_PROCESSES = "{{SYS_unshare, ENOSPC}}"


def pretend(lacks: str, probe: Probe, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the probe started by the pretended kernel from here on."""
    program = folder / "lesser-kernel"
    command = [*find_compiler(), "-std=c++17", f'-DPROBE="{probe.path}"', f"-DLACKS={lacks}"]
    subprocess.run([*command, str(SOURCE), "-o", str(program)], check=True, timeout=120)
    started = Probe(program, os.open(program, os.O_RDONLY))
    for module in ("driver", "batch"):
        monkeypatch.setattr(f"pte_lint.harness.{module}.build_probe", lambda *_: started)


@pytest.fixture
def no_filter(probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(NO_FILTER, probe, tmp_path, monkeypatch)


def outcomes(run: ProbeRun) -> list[Any]:
    return [
        (each.variant, each.stage, each.outcome, each.error, each.signal, each.outputs)
        for method in run.methods
        for each in method.runs
    ]


@pytest.mark.usefixtures("no_filter")
def test_without_a_filter_nothing_is_run(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PTE_LINT_UNFENCED", "PTE_LINT_NO_FENCE", "UNFENCED"):
        monkeypatch.setenv(name, "1")
    path = files / "add_default.pte"
    with pytest.raises(HarnessUnavailable, match="Function not implemented") as caught:
        run_probe(path)
    assert "none was run" in caught.value.reason
    assert "--unfenced" in caught.value.hint
    with pytest.raises(HarnessUnavailable, match="none was run"):
        list(run_batch([path, path]))


@pytest.mark.usefixtures("no_filter")
def test_unless_that_is_allowed(files: Path) -> None:
    path = files / "add_default.pte"
    run = run_probe(path, unfenced=True)
    assert run.fence.broken == "the system call filter: Function not implemented"
    assert outcomes(run)[0][1:3] == ("execute", "ok")
    assert [each.fence for each in run_batch([path], unfenced=True)] == [run.fence]


@pytest.mark.usefixtures("no_filter")
def test_the_command_line_refuses_and_says_why(files: Path) -> None:
    words = ["confirm", str(files / "add_default.pte"), "--device-memory", "emulated"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2
    assert "cannot be fenced in" in refused.stderr
    assert "--unfenced" in refused.stderr
    assert "confirmed" not in refused.stdout
    allowed = CliRunner().invoke(app, [*words, "--unfenced", "--format", "json"])
    assert allowed.exit_code == 0
    assert [note for note in json.loads(allowed.stdout)["notes"] if "unfenced" in note] == [
        "unfenced: programs ran with all your rights "
        "(the system call filter: Function not implemented)"
    ]
    text = CliRunner().invoke(app, [*words, "--unfenced"])
    assert "unfenced: programs ran with all your rights" in " ".join(text.stdout.split())


def test_where_the_fence_holds_allowing_changes_nothing(files: Path) -> None:
    words = ["confirm", str(files / "add_default.pte"), "--device-memory", "emulated"]
    done = CliRunner().invoke(app, [*words, "--unfenced", "--format", "json"])
    assert "--unfenced was given and not needed: the fence held" in json.loads(done.stdout)["notes"]
    done = CliRunner().invoke(app, [*words, "--format", "json"])
    assert not any("unfenced" in note for note in json.loads(done.stdout)["notes"])


@pytest.mark.parametrize(
    "case",
    [
        (
            NO_LAYERS,
            {
                "namespace of users",
                "namespace of processes",
                "namespace of mounts",
                "namespace of network",
                "namespace of System V objects",
                "namespace of host name",
                "empty file system",
                "Landlock",
            },
        ),
        (NO_PROCESSES, {"namespace of processes", "namespace of network"}),
    ],
    ids=["no layers", "no namespaces"],
)
def test_every_layer_that_is_missing_is_told(
    files: Path,
    probe: Probe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, set[str]],
) -> None:
    lacks, names = case
    wanted = {"variants": ["default", "rising"], "describe": False, "timeout": 5}
    programs = ["add_default", "mlp_xnnpack", "null_delegate_processed"]
    whole = [run_probe(files / f"{name}.pte", **wanted) for name in programs]
    pretend(lacks, probe, tmp_path, monkeypatch)
    for name, before in zip(programs, whole, strict=True):
        run = run_probe(files / f"{name}.pte", **wanted)
        assert outcomes(run) == outcomes(before)
        assert run.fence.broken is None
        assert names <= {layer.rpartition(": ")[0] for layer in run.fence.missing}
    words = ["confirm", str(files / "add_default.pte"), "--device-memory", "emulated"]
    notes = json.loads(CliRunner().invoke(app, [*words, "--format", "json"]).stdout)["notes"]
    (told,) = [note for note in notes if "does not give every layer" in note]
    assert all(name in told for name in names)
