"""Data files of single programs: `--data PROGRAM=FILE` and tables of `data`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Program

from pte_lint.cli.app import app
from pte_lint.testing.containers import write_program
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.edit import replaced

DATA = Path(__file__).parents[2] / "data" / "clean"
PAIRS = {
    "bad/swapped.pte": ("external_constants.pte", "bad/swapped.ptd", "external_biases.biases.ptd"),
    "constants.pte": ("external_constants.pte", "constants.ptd", "external_constants.ptd"),
    "some/biases.pte": ("external_biases.pte", "some/biases.ptd", "external_biases.biases.ptd"),
    "spare.pte": ("linear.pte", None, None),
}
"""Programs with a .ptd each that has nothing for the others; one pair does not belong together."""
GOOD = ("constants.pte", "some/biases.pte")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for program, (source, data, content) in PAIRS.items():
        path = tmp_path / program
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((DATA / source).read_bytes())
        if data is not None and content is not None:
            (tmp_path / data).write_bytes((DATA / content).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args, prog_name="pte-lint")


def told(*args: str) -> dict[str, list[str]]:
    """The rules about data that speak, by program."""
    result = run("check", "--format", "json", "--select", "PTE511,PTE513,PTE514", *args)
    assert result.exit_code in (0, 1), result.output
    artifacts: list[dict[str, Any]] = json.loads(result.stdout)["artifacts"]
    return {
        each["path"]: sorted({finding["rule"] for finding in each["findings"]})
        for each in artifacts
    }


def given(*programs: str) -> list[str]:
    return [arg for each in programs for arg in ("--data", f"{each}={PAIRS[each][1]}")]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_program_has_its_own(jobs: str) -> None:
    said = told(*PAIRS, *given(*(name for name in PAIRS if name != "spare.pte")), "-j", jobs)
    assert said == {"bad/swapped.pte": ["PTE513"], **{name: [] for name in (*GOOD, "spare.pte")}}


def test_what_is_for_all_is_for_all() -> None:
    """As without a program's name: every program is held against it."""
    said = told(*GOOD, "--data", "some/biases.ptd")
    assert said == {"constants.pte": ["PTE513"], "some/biases.pte": []}
    more = told(*GOOD, "--data", "some/biases.ptd", *given("bad/swapped.pte"), "bad/swapped.pte")
    assert more == {**said, "bad/swapped.pte": ["PTE513"]}


@pytest.mark.parametrize("glob", ["some/*.pte", "**/biases.pte", "biases.pte", "some/"])
def test_globs(glob: str, folder: Path) -> None:
    expected = {"constants.pte": ["PTE511"], "some/biases.pte": []}
    assert told(*GOOD, "--data", f"{glob}=some/biases.ptd") == expected
    absolute = {str(folder / name): rules for name, rules in expected.items()}
    assert told(*absolute, "--data", f"{glob}=some/biases.ptd") == absolute


def test_a_file_with_such_a_name() -> None:
    Path("a=b.ptd").write_bytes(Path("constants.ptd").read_bytes())
    assert told("constants.pte", "--data", "a=b.ptd") == {"constants.pte": []}
    assert told(*GOOD, "--data", "constants.pte=a=b.ptd") == {
        "constants.pte": [],
        "some/biases.pte": ["PTE511"],
    }


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("report", "-o", "x.html"),
        ("fix", "--check"),
        ("diff", "spare.pte"),
    ],
    ids=lambda command: command[0],
)
def test_in_vain(command: tuple[str, ...]) -> None:
    """A misspelt program would leave the right one without its data, in silence."""
    result = run(*command, "constants.pte", "--data", "constant.pte=constants.ptd")
    assert result.exit_code == 2
    message = "--data constant.pte=constants.ptd: no program here matches"
    assert message in " ".join(result.stderr.split())


def test_the_configuration(folder: Path) -> None:
    """Relative to its folder; an entry for what is not judged now is no mistake."""
    (folder / "pte-lint.toml").write_text(
        '[[data]]\nprogram = "constants.pte"\nfile = "constants.ptd"\n'
        '[[data]]\nprogram = "some/*"\nfile = "some/biases.ptd"\n'
        '[[data]]\nprogram = "absent.pte"\nfile = "absent.ptd"\n',
        "utf-8",
    )
    expected: dict[str, list[str]] = {name: [] for name in GOOD}
    assert told(*GOOD) == expected
    assert told(*GOOD, "--data", "constants.pte=constants.ptd") == {
        "constants.pte": [],
        "some/biases.pte": ["PTE511"],
    }, "what is given by hand replaces it"
    (folder / "pte-lint.toml").write_text(
        'data = ["constants.ptd", { program = "../x.pte", file = "constants.ptd" }]\n', "utf-8"
    )
    result = run("check", *GOOD)
    assert result.exit_code == 2
    assert "data: '../x.pte' is not below" in " ".join(result.stderr.split())


def test_both_sides_of_a_comparison() -> None:
    args = ("constants.pte", "some/biases.pte", *given("constants.pte", "some/biases.pte"))
    result = run("diff", "--format", "json", "--select", "PTE511,PTE513", *args)
    assert result.exit_code == 0, result.output
    assert "PTE51" not in result.stdout


def test_what_lies_beside_a_program() -> None:
    """By keys and what they hold; where nothing fits all of a program it has no data."""
    expected = {"bad/swapped.pte": ["PTE511"], **{name: [] for name in (*GOOD, "spare.pte")}}
    assert told(*PAIRS, "--data", "auto") == expected
    Path("pte-lint.toml").write_text('data = ["auto"]\n', "utf-8")
    assert told(*PAIRS) == expected
    given_too = told("bad/swapped.pte", "--data", "auto", "--data", "bad/swapped.pte=constants.ptd")
    assert given_too == {"bad/swapped.pte": []}
    note = "note: constants.pte: judged with constants.ptd (--data auto)"
    assert note in run("check", "constants.pte").stdout.splitlines()


def test_the_file_beside_a_program_is_named() -> None:
    text = run("check", "constants.pte").stdout
    head = "constants.pte: runs if given a data file with 4 keys; 1 warning"
    assert text.startswith(f"{head}\n\n  warning PTE511 (external-data-needed)\n")
    assert (
        "    fix: constants.ptd, beside the program, has these keys:\n\n"
        "        pte-lint check constants.pte --data constants.ptd\n\n"
        "      For each program what lies beside it: --data auto.\n"
    ) in text
    Path("other.ptd").write_bytes(Path("constants.ptd").read_bytes())
    assert (
        "fix: constants.ptd, beside the program, has these keys:"
        in run("check", "constants.pte").stdout
    ), "the one that is called like the program"
    Path("constants.ptd").rename("more.ptd")
    assert (
        "    fix: more.ptd and other.ptd, beside it, have the same keys. Give one:\n\n"
        "        pte-lint check constants.pte --data more.ptd\n"
    ) in run("check", "constants.pte").stdout
    assert told("constants.pte", "--data", "auto") == {"constants.pte": ["PTE511"]}
    Path("more.ptd").unlink()
    Path("other.ptd").unlink()
    Path("link.ptd").symlink_to(DATA / "external_constants.ptd")
    assert "beside" not in run("check", "constants.pte").stdout, "links may lead anywhere"


def test_models_of_one_kind_have_the_same_keys(folder: Path) -> None:
    """What the tensors are like tells their data files apart."""
    for file in (DATA.parents[1] / "cases" / "two_models_own_ptd").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    assert told("a.pte", "b.pte", "--data", "auto") == {"a.pte": [], "b.pte": []}
    both = ("--data", "a.pte=w_a.ptd", "--data", "b.pte=w_b.ptd")
    assert told("a.pte", "b.pte", *both) == {"a.pte": [], "b.pte": []}
    text = run("check", "a.pte", "b.pte").stdout
    assert "fix: w_a.ptd, beside the program, has these keys:" in text
    assert "fix: w_b.ptd, beside the program, has these keys:" in text


def weights_apart(program: Path) -> list[str]:
    """Writes a program whose delegate's weights are elsewhere; returns their keys."""
    real = (DATA / "mlp_xnnpack.pte").read_bytes()
    loaded = read_program(real)
    whole = loaded.program or Program()
    apart = replaced(whole, "named_data", None) or Program()
    apart = replaced(apart, "segments", (whole.segments or ())[:2]) or Program()
    program.write_bytes(write_program(apart, real[loaded.container.segment_base_offset :]))
    return [entry.key or "" for entry in whole.named_data or ()]


def test_what_delegates_ask_for_beside_a_program(folder: Path) -> None:
    keys = weights_apart(folder / "mlp.pte")
    (folder / "part.ptd").write_bytes(build_data({keys[0]: bytes(64)}).bytes())
    told_without = run("check", "mlp.pte", "--data", "auto").stdout
    assert "mlp.pte: runs if given a data file with 4 keys; 1 warning" in told_without
    assert "beside" not in told_without
    weights = build_data({key: bytes(4096) for key in keys})
    (folder / "mlp.ptd").write_bytes(weights.bytes())
    text = run("check", "mlp.pte").stdout
    assert (
        "    fix: mlp.ptd, beside the program, has these keys:\n\n"
        "        pte-lint check mlp.pte --data mlp.ptd\n\n"
        "      For each program what lies beside it: --data auto.\n"
    ) in text
    assert run("check", "mlp.pte", "--data", "auto").stdout.startswith("mlp.pte: clean; ")


def test_a_program_given_as_data() -> None:
    text = run("check", "constants.pte", "--data", "spare.pte").stdout
    flat = " ".join(text.split())
    assert "spare.pte is a program and no data file: identifier ET12 at byte 4." in flat
    assert "fix: This is a program: check it by itself, and give the .ptd that was written" in flat
    assert "write_tensor_data_to_file" not in text


def _concerned(*changed: str) -> list[str]:
    result = run("check", "--concerned", "--format", "json", *changed)
    if not result.stdout:
        assert result.exit_code == 0
        assert "these changes concern no program" in result.stderr
        return []
    return [each["path"] for each in json.loads(result.stdout)["artifacts"]]


def test_changed_files_concern_programs() -> None:
    assert _concerned("spare.pte") == ["spare.pte"]
    assert _concerned("some/biases.ptd") == ["some/biases.ptd", "some/biases.pte"]
    Path("gone").mkdir()
    assert _concerned("gone/x.ptd", "pyproject.toml", "other.json") == []
    Path("pte-lint.toml").write_text('data = ["some/biases.ptd"]\n', "utf-8")
    assert sorted(_concerned("some/biases.ptd")) == sorted(["some/biases.ptd", *PAIRS])
    assert len(_concerned("pte-lint.toml")) == len(PAIRS) + 3
    assert _concerned("some/pte-lint.toml") == []
