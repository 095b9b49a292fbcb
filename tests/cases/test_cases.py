"""What is said of files that people met, to the letter."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from tests.support.golden import check_golden

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
ALONE = sorted(path.name for path in HERE.glob("*.pte"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*args: str, code: int) -> str:
    result = CliRunner().invoke(app, [*args, "--isolated"], prog_name="pte-lint")
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.mark.parametrize("name", ALONE)
def test_a_program_by_itself(name: str, folder: Path) -> None:
    shutil.copy(HERE / name, folder)
    result = CliRunner().invoke(app, ["check", name, "--isolated"], prog_name="pte-lint")
    summary = next(line for line in result.stdout.splitlines() if " in 1 file, judged" in line)
    assert result.exit_code == (not summary.startswith("0 errors"))
    check_golden(GOLDEN / f"{name}.txt", result.stdout)
    looked = CliRunner().invoke(app, ["inspect", name], prog_name="pte-lint").stdout
    needs = looked.partition("what the runner must provide")[2].partition("\n\n")[0]
    check_golden(GOLDEN / f"{name}.needs.txt", needs.lstrip("\n") + "\n")


def test_a_comment_begins_with_the_failing_file(folder: Path) -> None:
    """Among 34 programs about which there is something to note."""
    for number in range(34):
        shutil.copy(HERE / "pr_comment" / "dev_skip_paired.pte", folder / f"m{number:02}.pte")
    shutil.copy(HERE / "pr_comment" / "dev_skip_planned.pte", folder / "zz_bad.pte")
    text = said("check", ".", "--format", "markdown", code=1)
    assert len(text) < 60_000
    assert text.index("zz_bad.pte") < text.index("m00.pte")
    check_golden(GOLDEN / "pr_comment.md", text)


@pytest.mark.slow
def test_a_folder_ends_with_what_fails(folder: Path) -> None:
    for number in range(300):
        shutil.copy(HERE / "portable_healthy.pte", folder / f"m{number:03}.pte")
    shutil.copy(HERE / "pr_comment" / "dev_skip_planned.pte", folder / "m150a.pte")
    lines = said("check", ".", code=1).splitlines()
    assert len(lines) <= 301 + 100
    verdict = "forward: set_input fails with NotSupported (PTE301)"
    assert lines[0].startswith(f"./m150a.pte: {verdict}; 2 errors")
    assert lines[-4] == "failing:"
    assert lines[-3].startswith("  ./m150a.pte: 2 errors")
    assert sum(line.endswith(": clean; runs on 1.2, 1.3, 1.4, 1.5") for line in lines) == 300


def test_a_changed_data_file_alone(folder: Path) -> None:
    shutil.copytree(HERE / "ptd_only_pr" / "exported", folder / "exported")
    exported = folder / "exported"
    (exported / "mlp_weights.base.ptd").unlink()
    (exported / "mlp_weights.changed.ptd").rename(exported / "mlp_weights.ptd")
    (folder / "pte-lint.toml").write_text('data = ["exported/mlp_weights.ptd"]\n')
    args = ["check", "--concerned", "exported/mlp_weights.ptd", "--format", "concise"]
    result = CliRunner().invoke(app, args, prog_name="pte-lint")
    assert result.exit_code == 1
    assert " PTE514 " in result.stdout
    assert " PTE516 " not in result.stdout
    check_golden(GOLDEN / "ptd_only_pr.txt", result.stdout.replace(str(folder), "HERE"))


def test_each_model_with_its_data(folder: Path) -> None:
    shutil.copytree(HERE / "two_models_own_ptd", folder, dirs_exist_ok=True)
    check_golden(GOLDEN / "two_models.txt", said("check", ".", "--data", "auto", code=0))


def test_errors_of_every_file_are_annotated(folder: Path) -> None:
    shutil.copy(HERE / "github_crowding" / "b.pte", folder)
    shutil.copy(HERE / "f_outmixed_planned.pte", folder / "a.pte")
    check_golden(GOLDEN / "github_crowding.txt", said("check", ".", "--format", "github", code=1))
