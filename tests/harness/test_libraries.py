"""Kernels and backends of the user's own, loaded from shared libraries."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.harness.build import FLAGS, find_compiler
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.listing import list_runtime
from pte_lint.harness.wheel import find_wheel
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

SOURCE = Path(__file__).parent / "libraries" / "doubling.cpp"

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

Compile = Callable[..., Path]


@pytest.fixture(scope="module")
def compile_library(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    def compiled(*defines: str) -> Path:
        target = tmp_path_factory.mktemp("library") / "libdoubling.so"
        words = [*find_compiler(), *FLAGS, "-fPIC", "-shared", *find_wheel().compile_words()]
        command = [*words, *defines, str(SOURCE), "-o", str(target)]
        subprocess.run(command, check=True, timeout=120)
        return target

    return compiled


@pytest.fixture(scope="module")
def library(compile_library: Compile) -> Path:
    return compile_library()


def kernel_program(folder: Path) -> Path:
    b = MethodBuilder()
    b.output(b.call("mine::twice.out", b.input((3,)), out=(3,)))
    path = folder / "kernel.pte"
    path.write_bytes(build_program(b).bytes())
    return path


def backend_program(folder: Path, blob: bytes = b"double") -> Path:
    b = MethodBuilder()
    b.output(*b.delegate("DoublingBackend", [b.input((3,))], [(3,)], blob=blob))
    path = folder / "backend.pte"
    path.write_bytes(build_program(b).bytes())
    return path


@pytest.mark.parametrize("make", [kernel_program, backend_program])
def test_the_librarys_own_code_runs(
    make: Callable[[Path], Path], library: Path, tmp_path: Path
) -> None:
    run = run_probe(make(tmp_path), libraries=[library]).methods[0].runs[0]
    assert (run.outcome, run.standins) == ("ok", ())
    assert [list(each.head) for each in run.outputs] == [[2, 2, 2]]


def test_without_it_nothing_of_it_is_there(library: Path, tmp_path: Path) -> None:
    kernel, backend = (
        run_probe(make(tmp_path)).methods[0].runs[0] for make in (kernel_program, backend_program)
    )
    assert (kernel.stage, kernel.error) == ("load_method", "OperatorMissing")
    assert (backend.outcome, backend.standins) == ("ok", ("DoublingBackend",))
    mine, others = list_runtime([library]), list_runtime()
    assert {k.name for k in set(mine.kernels) - set(others.kernels)} == {"mine::twice.out"}
    assert {b.name for b in set(mine.backends) - set(others.backends)} == {"DoublingBackend"}


def said(*words: str) -> dict[str, object]:
    arguments = ["--isolated", "--device-memory", "emulated", "--format", "json", *words]
    result = CliRunner().invoke(app, ["confirm", *arguments])
    (artifact,) = json.loads(result.stdout)["artifacts"]
    rules = [f["rule"] for f in artifact["findings"] if f["severity"] != "info"]
    (verdict,) = artifact["verdict"]
    how = verdict["outcome"], verdict["error"], verdict["confirmation"]["status"]
    return {"rules": rules, "verdict": how, "exit": result.exit_code}


def test_findings_follow_what_is_registered(library: Path, tmp_path: Path) -> None:
    mine = f"--library={library}"
    kernel, backend = str(kernel_program(tmp_path)), str(backend_program(tmp_path))
    runs = {"rules": [], "verdict": ("ok", None, "confirmed"), "exit": 0}
    missing = ("error", "OperatorMissing", "confirmed")
    assert said(mine, kernel) == runs
    assert said(kernel) == {"rules": ["PTE401"], "verdict": missing, "exit": 0}
    assert said(mine, backend) == runs
    # What a profile does not have is an error, unless a library brings it.
    profile = f"--target={tmp_path / 'wheel.json'}"
    words = ["target", "capture", "-o", str(tmp_path / "wheel.json")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert said(profile, mine, backend) == runs
    unsupported = ("error", "NotFound", "unsupported")
    assert said(profile, backend) == {"rules": ["PTE411"], "verdict": unsupported, "exit": 0}


def test_a_backend_that_refuses_is_believed(library: Path, tmp_path: Path) -> None:
    """No stand-in hides it, and a verdict that does not know of it is refuted."""
    path = str(backend_program(tmp_path, b"!"))
    found = said(f"--library={library}", path)
    assert found == {"rules": [], "verdict": ("ok", None, "refuted"), "exit": 1}


def test_a_profile_with_it(library: Path, tmp_path: Path) -> None:
    output = tmp_path / "mine.json"
    words = ["target", "capture", "--library", str(library), "-o", str(output)]
    assert CliRunner().invoke(app, words).exit_code == 0
    profile = json.loads(output.read_text("utf-8"))
    assert profile["backends"] == ["DoublingBackend", "XnnpackBackend"]
    assert profile["kernels"]["mine::twice.out"] == [""]
    assert profile["command"] == f"pte-lint target capture --library {library}"


def test_its_code_is_fenced_as_it_loads(compile_library: Compile, tmp_path: Path) -> None:
    target = tmp_path / "written"
    library = compile_library(f'-DTRIES="{target}"')
    run = run_probe(kernel_program(tmp_path), libraries=[library])
    assert run.program.console == "write -1, fork -1, socket -1, read 1\n"
    assert not target.exists()
    assert (run.fence.broken, run.methods[0].runs[0].outcome) == (None, "ok")


def test_a_library_that_does_not_load(tmp_path: Path) -> None:
    broken = tmp_path / "libbroken.so"
    broken.write_bytes(b"no library")
    for use in (
        lambda: run_probe(kernel_program(tmp_path), libraries=[broken]),
        lambda: list_runtime([broken]),
    ):
        with pytest.raises(HarnessUnavailable, match=r"libbroken\.so: "):
            use()
    result = CliRunner().invoke(
        app, ["confirm", f"--library={broken}", str(kernel_program(tmp_path))]
    )
    assert result.exit_code == 2
    assert "A library could not be loaded" in result.stderr


def test_an_older_release_is_not_given_it(library: Path, tmp_path: Path) -> None:
    path = str(kernel_program(tmp_path))
    result = CliRunner().invoke(app, ["confirm", f"--library={library}", "--as-runtime=1.4", path])
    assert result.exit_code == 2
    assert "drop --as-runtime" in result.stderr
