"""`pte-lint fix`."""

from __future__ import annotations

import shutil
from operator import attrgetter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.cli.conftest import MODEL, Run
from tests.support.device_programs import add_method
from tests.support.look import DATA
from tests.support.runtime import need_runtime

BAD = DATA / "device" / "add_skip_both_planned.pte"
LEAVE = "it changes the contract with the caller; --unsafe-fixes allows it"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line with the built-in rules: fixers belong to them."""
    monkeypatch.chdir(tmp_path)

    def call(*args: object, **extra: object) -> Result:
        words = [str(a) for a in args]
        return CliRunner().invoke(app, words, prog_name="pte-lint", **extra)  # type: ignore[arg-type]

    return call


def test_what_is_unsafe_is_left_and_said(run: Run, tmp_path: Path) -> None:
    """Nothing is written over what is there; a program without errors is, as it is."""
    good = tmp_path / "good.pte"
    good.write_bytes(b"that of before")
    result = run("fix", BAD, "-o", good, "--no-run", "--isolated")
    assert result.exit_code == 1
    assert result.stdout == (
        f"{BAD}: 0 findings fixed, 3 left\n"
        f"  left  PTE301 (device-input-planned) forward input 0: {LEAVE}\n"
        f"  left  PTE301 (device-input-planned) forward input 1: {LEAVE}\n"
        f"  left  PTE302 (device-output-planned) forward output 0: {LEAVE}\n"
        "  verdict: forward: set_input fails with NotSupported (PTE301)\n"
        "  nothing written: nothing was fixed\n"
    )
    assert good.read_bytes() == b"that of before"
    result = run("fix", MODEL, "-o", good, "--no-run", "--isolated")
    assert (result.exit_code, good.read_bytes()) == (0, MODEL.read_bytes())


@pytest.mark.runtime
def test_the_first_example_is_mended_and_proven(run: Run, tmp_path: Path) -> None:
    need_runtime()
    good = tmp_path / "good.pte"
    args = ("--unsafe-fixes", "--select", "PTE301", "--run", "--isolated")
    result = run("fix", BAD, "-o", good, *args)
    what = "take the input out of its arena; the caller gives it on the device (unsafe)"
    assert result.stdout == (
        f"{BAD}: 2 findings fixed, 0 left\n"
        f"  fixed PTE301 (device-input-planned) forward input 0: {what}\n"
        f"  fixed PTE301 (device-input-planned) forward input 1: {what}\n"
        "  memory: forward: arena 1 on cuda:0: 768 to 256 bytes; no plan needs less\n"
        "  verdict: forward: runs if given the backend BackendWithCompilerDemo, 256 bytes on "
        "cuda:0 and inputs 0, 1 on cuda:0 (before: set_input fails with NotSupported (PTE301))\n"
        "  run: forward: runs now (it failed before: set_input: NotSupported)\n"
        f"  wrote {good}\n"
    )
    assert result.exit_code == 0
    again = run("check", good, "--isolated", "--select", "PTE301")
    assert again.exit_code == 0


def test_check_and_diff_write_nothing(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "bad.pte"
    shutil.copy(BAD, copy)
    assert run("fix", copy, "--check", "--isolated").exit_code == 0
    for mode in ("--check", "--diff"):
        result = run("fix", copy, mode, "--unsafe-fixes", "--isolated")
        assert result.exit_code == 1
        assert "3 findings fixed, 0 left" in result.stdout
        assert ("planned-bytes    cuda:0: 768 bytes -> 0 bytes" in result.stdout) == (
            mode == "--diff"
        )
        assert copy.read_bytes() == BAD.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["bad.pte"]


def test_folders_are_mended_in_place_and_what_is_clean_is_not_touched(
    run: Run, tmp_path: Path
) -> None:
    shutil.copy(BAD, tmp_path / "bad.pte")
    shutil.copy(MODEL, tmp_path / "clean.pte")
    (tmp_path / "clean.ptd").write_bytes(b"not looked at")
    before = (tmp_path / "clean.pte").stat()
    # Reading it is allowed.
    stays = attrgetter("st_ino", "st_mtime_ns", "st_size", "st_mode")
    result = run("fix", tmp_path, "--in-place", "--unsafe-fixes", "--no-run", "--isolated")
    assert result.exit_code == 0
    assert (tmp_path / "bad.pte").read_bytes() != BAD.read_bytes()
    assert stays((tmp_path / "clean.pte").stat()) == stays(before)
    assert run("fix", tmp_path, "--check", "--unsafe-fixes", "--isolated").exit_code == 0


def test_names_from_the_file_are_hostile(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.pte"
    method = add_method("for\x1b[31mward\n::error::", skip_h2d=True)
    bad.write_bytes(build_program(method).bytes())
    result = run("fix", bad, "--check", "--unsafe-fixes", "--isolated")
    assert "2 findings fixed" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\n::error" not in result.stdout


def test_a_program_from_a_pipe_goes_to_a_file(run: Run, tmp_path: Path) -> None:
    good = tmp_path / "good.pte"
    args = ("-o", good, "--unsafe-fixes", "--no-run", "--isolated")
    assert run("fix", "-", *args, input=BAD.read_bytes()).exit_code == 0
    assert run("check", good, "--isolated", "--select", "PTE301").exit_code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "give one of -o FILE, --in-place, --check and --diff"),
        (("--check", "--in-place"), "give one of"),
        (("-o", "x.pte", MODEL), "-o takes one program"),
    ],
)
def test_wrong_usage(run: Run, args: tuple[object, ...], said: str) -> None:
    result = run("fix", BAD, *args)
    assert result.exit_code == 2
    assert said in result.stderr


def test_what_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "good.pte"
    result = run("fix", BAD, "-o", target, "--unsafe-fixes", "--no-run", "--isolated")
    assert result.exit_code == 2
    assert result.stderr == f"error: cannot write {target}: No such file or directory\n"


def test_nothing_to_fix(run: Run, tmp_path: Path) -> None:
    assert run("fix", tmp_path, "--check").exit_code == 3
    assert run("fix", "https://example.com/x.pte", "--check").exit_code == 2


def test_a_data_file_is_no_program(run: Run, tmp_path: Path) -> None:
    shutil.copy(DATA / "clean" / "external_constants.ptd", tmp_path / "x.ptd")
    result = run("fix", "x.ptd", "--check")
    assert (result.exit_code, result.stderr) == (
        3,
        "error: x.ptd is a data file, in which nothing is repaired: give the program that it "
        "belongs to, with --data x.ptd\n",
    )
    shutil.copy(MODEL, tmp_path / "model.pte")
    assert run("fix", "x.ptd", "model.pte", "--check", "--isolated").exit_code == 0


def test_a_bundle_is_not_given_the_name_of_a_program(run: Run, tmp_path: Path) -> None:
    bundle = DATA / "clean" / "bundled_linear.bpte"
    result = run("fix", bundle, "-o", "good.pte", "--no-run", "--isolated")
    assert result.exit_code == 2
    assert "is a bundle, and so is its repaired version: nothing was written" in result.stderr
    assert not (tmp_path / "good.pte").exists()
    assert run("fix", bundle, "-o", "good.bpte", "--no-run", "--isolated").exit_code == 0
    assert (tmp_path / "good.bpte").read_bytes() == bundle.read_bytes()


@pytest.mark.runtime
def test_a_repair_that_the_runtime_refutes_is_not_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_runtime()
    from pte_lint.fix import proof

    wrong = proof.Shown("forward", "differs", "output 0, inputs 'rising'")
    monkeypatch.setattr(proof, "prove", lambda *_: [wrong])
    good = tmp_path / "good.pte"
    result = run("fix", BAD, "-o", good, "--unsafe-fixes", "--run", "--isolated")
    assert result.exit_code == 2
    assert "is another program (forward: output 0, inputs 'rising'); nothing was" in result.stderr
    assert not good.exists()
