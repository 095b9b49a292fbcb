"""`pte-lint inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.cli.conftest import MODEL, Run
from tests.support.look import DATA

SEVERAL = DATA / "clean" / "several_methods.pte"


def test_text(run: Run) -> None:
    result = run("inspect", DATA / "device" / "add_default.pte")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "#0 BackendWithCompilerDemo: 1 call, 2 in, 1 out, blob 82 bytes" in result.stdout
    assert "2  cuda:0  768 bytes" in result.stdout


def test_the_runtimes_are_those_of_check(run: Run) -> None:
    # The sample rules find every input and refuse it at set_input, on every version.
    result = run("inspect", MODEL)
    assert result.exit_code == 0
    assert "none of the known ones runs it" in result.stdout
    assert "not on 1.2, 1.3, 1.4, 1.5: set_input of forward: NotSupported (PTE901)" in result.stdout


def test_instructions(run: Run) -> None:
    assert "%7 f32" not in run("inspect", MODEL).stdout
    result = run("inspect", MODEL, "--instructions")
    assert "method forward(%" in result.stdout
    assert " = aten::addmm.out(" in result.stdout


def test_json(run: Run) -> None:
    document = json.loads(run("inspect", MODEL, "--json").stdout)
    assert document["artifact"]["kind"] == "program"
    assert document["needs"]["runtimes"] == []
    assert document["methods"][0]["listing"] is None
    listed = json.loads(run("inspect", MODEL, "--json", "--instructions").stdout)
    assert any("aten::addmm.out" in line for line in listed["methods"][0]["listing"])


def test_one_method(run: Run) -> None:
    names = [m["name"] for m in json.loads(run("inspect", SEVERAL, "--json").stdout)["methods"]]
    assert len(names) > 1
    result = run("inspect", SEVERAL, "--json", "--method", names[1], "--instructions")
    (method,) = json.loads(result.stdout)["methods"]
    assert method["name"] == names[1]
    assert method["listing"][0].startswith(f"method {names[1]}(")


def test_an_unknown_method_is_2_with_a_hint(run: Run) -> None:
    result = run("inspect", MODEL, "--method", "forwrad")
    assert result.exit_code == 2
    assert result.stderr == f"error: {MODEL} has no method 'forwrad'; did you mean 'forward'?\n"
    assert result.stdout == ""
    assert "there are 'forward'" in run("inspect", MODEL, "--method", "zzz").stderr


def test_stdin(run: Run) -> None:
    result = run("inspect", "-", input=MODEL.read_bytes())
    assert result.exit_code == 0
    assert result.stdout.startswith("<stdin>: program, ")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "0 bytes"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer text"),
        (b"\x7fELF" + bytes(99), "ELF magic"),
    ],
)
def test_what_is_no_artifact_is_2(run: Run, tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "x.pte").write_bytes(content)
    result = run("inspect", "x.pte")
    assert result.exit_code == 2
    assert result.stderr == f"error: x.pte is no .pte, .ptd or .bpte: {why}\n"


def test_a_missing_file_is_2(run: Run) -> None:
    result = run("inspect", "nowhere.pte")
    assert result.exit_code == 2
    assert result.stderr == "error: cannot read nowhere.pte: No such file or directory\n"


def test_a_damaged_file_is_shown_as_far_as_it_goes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.pte").write_bytes(MODEL.read_bytes()[:900])
    result = run("inspect", "x.pte")
    assert result.exit_code == 0
    assert "  damaged: " in result.stdout


def test_unknown_delegates_and_operators_are_shown(run: Run, tmp_path: Path) -> None:
    b = MethodBuilder()
    (y,) = b.delegate("BackendOfTomorrow", [b.input((2,))], [(2,)])
    b.output(b.call("my::own.out", y, out=(2,)))
    (tmp_path / "x.pte").write_bytes(build_program(b).bytes())
    result = run("inspect", "x.pte", "--instructions")
    assert result.exit_code == 0
    assert "delegate BackendOfTomorrow#0(" in result.stdout
    assert "my::own.out(" in result.stdout


def test_output_is_the_same_every_time(run: Run) -> None:
    for extra in ((), ("--json", "--instructions")):
        assert run("inspect", SEVERAL, *extra).stdout == run("inspect", SEVERAL, *extra).stdout
