"""The cache on the command line: output does not change, and who switches it on and off."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.cache import code, place
from tests.pte_lint.cli.conftest import MODEL, Run

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, which is on by itself here."""
    for name in ("CI", place.OFF_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "kept"
    monkeypatch.setenv(place.FOLDER_VARIABLE, str(folder))
    monkeypatch.setattr(code, "_SETTLED", 1 << 62)  # the checkout may have been edited just now
    code._of_packages.cache_clear()
    return folder


def entries(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if len(path.name) == 64)


@pytest.mark.parametrize("form", ["text", "json", "sarif", "markdown"])
def test_every_format_is_the_same_with_kept_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: Path, form: str
) -> None:
    """With the real rules, on files of every kind."""
    from click.testing import CliRunner

    from pte_lint.cli.app import app

    monkeypatch.chdir(tmp_path)
    paths = [str(p) for folder in ("clean", "refused") for p in (DATA / folder).rglob("*.p*e")]
    words = ["check", *sorted(paths), "--format", form, "--fail-on", "never"]
    texts = [
        CliRunner().invoke(app, [*words, flag]).stdout_bytes
        for flag in ("--no-cache", "--cache", "--cache")
    ]
    assert texts[0] == texts[1] == texts[2] != b""
    assert entries(kept) > 10


def test_kept_results_are_used(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("check", model, "--cache")
    monkeypatch.setattr("pte_lint.cli.runner.check_artifact", None)
    assert run("check", model, "--cache").stdout == first.stdout
    assert "cache" in run("check", model, "--cache", "--timings").stderr
    assert run("check", model, "--no-cache").exit_code == 2, "it would judge"


@pytest.mark.slow
def test_other_processes_use_them_too(run: Run, kept: Path) -> None:
    for index in range(3):
        Path(f"{index}.pte").write_bytes(MODEL.read_bytes())
    plain = run("check", ".", "-j", "2", "--no-cache", "--isolated")
    assert entries(kept) == 0
    for _ in range(2):
        assert run("check", ".", "-j", "2", "--cache", "--isolated").stdout == plain.stdout


@pytest.mark.parametrize(
    ("environment", "flags", "expected"),
    [
        ({}, (), True),
        ({"CI": "true"}, (), False),
        ({"CI": "1"}, ("--cache",), True),
        ({"CI": "false"}, (), True),
        ({"CI": ""}, (), True),
        ({"PTE_LINT_NO_CACHE": "1"}, (), False),
        ({"PTE_LINT_NO_CACHE": "1"}, ("--cache",), True),
        ({"PTE_LINT_NO_CACHE": "0"}, (), True),
        ({}, ("--no-cache",), False),
    ],
    ids=str,
)
def test_who_switches_it_on_and_off(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    flags: tuple[str, ...],
    expected: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for index in range(8):
        Path(f"{index}.pte").write_bytes(MODEL.read_bytes())
    run("check", ".", *flags)
    assert entries(place.folder()) == (8 if expected else 0)


def test_a_few_small_files_are_just_judged(run: Run, model: Path, kept: Path) -> None:
    run("check", model)
    assert not kept.exists()
    big = Path("big.pte")
    big.write_bytes(MODEL.read_bytes() + bytes(1 << 17))
    run("check", model, big)
    assert entries(kept) == 1


def test_the_folder_is_printed_and_emptied(run: Run, model: Path, kept: Path) -> None:
    assert run("cache", "dir").stdout == f"{kept}\n"
    run("check", model, "--cache")
    assert entries(kept) == 1
    emptied = run("cache", "clean")
    assert emptied.exit_code == 0
    assert emptied.stdout.startswith("removed 1 file, ")
    assert not kept.exists()
    assert run("cache", "clean").stdout == "removed 0 files, 0 bytes\n"


def test_without_a_variable_it_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    monkeypatch.delenv(place.FOLDER_VARIABLE)
    assert place.folder() == platformdirs.user_cache_path("pte-lint", appauthor=False)


def test_a_folder_that_cannot_be_written_does_not_matter(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(place.FOLDER_VARIABLE, str(model / "impossible"))
    plain = run("check", model, "--no-cache")
    kept = run("check", model, "--cache")
    assert (kept.stdout, kept.exit_code) == (plain.stdout, plain.exit_code)
