"""`confirm --fixed`: what is accepted as the fix of a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from pte_lint.rules import RULES

from pte_lint.cli.app import app
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.acceptance import accept
from pte_lint.fix.proof import Shown
from pte_lint.judging.engine import Settings, check_artifact

DATA = Path(__file__).parents[1] / "data"
BAD = DATA / "device" / "add_skip_both_planned.pte"
GOOD = DATA / "device" / "add_skip_both_paired.pte"


def fixed(before: Path, after: Path) -> tuple[int, str]:
    """The exit code, and what is said of the fix."""
    args = ["confirm", str(before), "--fixed", str(after), "--device-memory", "emulated"]
    result = CliRunner().invoke(app, [*args, "--isolated", "--format", "json"])
    assert result.exit_code in (0, 1), result.output
    (note,) = (n for n in json.loads(result.stdout)["notes"] if n.startswith(str(after)))
    return result.exit_code, note.removeprefix(f"{after} is ")


def test_a_fix() -> None:
    assert fixed(BAD, GOOD) == (
        0,
        "a fix: the signature is the same; 2 errors before, none after; "
        "forward: runs now (it failed before: set_input: NotSupported)",
    )


def test_the_same_bad_file(tmp_path: Path) -> None:
    copy = tmp_path / "copy.pte"
    copy.write_bytes(BAD.read_bytes())
    assert fixed(BAD, copy) == (
        1,
        "no fix: errors are left: PTE301; forward: fails still (set_input: NotSupported)",
    )


def test_another_program() -> None:
    assert fixed(BAD, DATA / "clean" / "linear.pte") == (
        1,
        "no fix: forward: input 0 was f32[8,8], is f32[2,4]; "
        "forward: input 1 was f32[8,8], is gone; forward: output 0 was f32[8,8], is f32[2,3]",
    )


def test_a_truncated_file(tmp_path: Path) -> None:
    half = tmp_path / "half.pte"
    half.write_bytes(GOOD.read_bytes()[: GOOD.stat().st_size // 2])
    code, said = fixed(BAD, half)
    assert code == 1
    assert said.startswith("no fix: ")
    assert "errors are new: PTE006" in said


def test_nothing_to_fix(tmp_path: Path) -> None:
    copy = tmp_path / "copy.pte"
    copy.write_bytes(GOOD.read_bytes())
    assert fixed(GOOD, copy) == (1, "no fix: the file before has no error that could be fixed")


def test_two_programs_have_no_common_fix() -> None:
    result = CliRunner().invoke(app, ["confirm", str(BAD), str(GOOD), "--fixed", str(GOOD)])
    assert result.exit_code == 2
    assert "--fixed is the fix of one program" in result.output


@pytest.mark.parametrize(
    ("status", "is_fix"),
    [
        ("equal", True),
        ("runs now", True),
        ("defined now", True),
        ("differs", False),
        ("fails now", False),
        ("fails still", False),
    ],
)
def test_what_runs_show(status: str, is_fix: bool) -> None:
    """The second method decides as well as the first."""
    settings = Settings(rules=RULES)
    reports = []
    for path in (BAD, GOOD):
        with open_artifact(path) as artifact:
            reports.append(check_artifact(artifact, settings))
    runs = [Shown("first", "equal", "outputs of 5 calls"), Shown("second", status, "output 1")]
    acceptance = accept(*reports, (), runs)
    told = f"second: {status} (output 1)"
    assert acceptance.faults == (() if is_fix else (told,))
    assert (told in acceptance.shown) == is_fix
    assert accept(*reports, None, ()).faults == ("nothing of the file after could be run",)
