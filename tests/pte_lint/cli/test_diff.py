"""`pte-lint diff`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pte_lint.cli.conftest import MODEL, Run
from tests.support.look import DATA

OLD = DATA / "device" / "add_default.pte"
NEW = DATA / "device" / "add_skip_both_paired.pte"
LINEAR = MODEL
MLP = DATA / "clean" / "mlp_xnnpack.pte"


def test_nothing_changed_is_0(run: Run) -> None:
    result = run("diff", MODEL, MODEL, "--fail-on", "any")
    assert result.exit_code == 0
    assert "no change" in result.stdout


def test_a_change_is_0_unless_it_is_named(run: Run) -> None:
    assert run("diff", OLD, NEW).exit_code == 0
    assert run("diff", OLD, NEW, "--fail-on", "signature").exit_code == 0


@pytest.mark.parametrize(
    "conditions",
    [
        ["placement"],
        ["signature,placement"],
        ["signature", "boundary-copies"],
        ["any"],
    ],
)
def test_a_named_change_is_1(run: Run, conditions: list[str]) -> None:
    words = [word for each in conditions for word in ("--fail-on", each)]
    result = run("diff", OLD, NEW, *words)
    assert result.exit_code == 1
    assert "fails --fail-on" in result.stdout
    assert result.stderr == ""


def test_growth(run: Run) -> None:
    # 512 bytes of planned host memory go away one way, and come the other way.
    assert run("diff", OLD, NEW, "--fail-on", "planned-bytes>5%").exit_code == 0
    assert run("diff", NEW, OLD, "--fail-on", "planned-bytes>5%").exit_code == 1
    assert run("diff", NEW, OLD, "--fail-on", "planned-bytes>1KiB").exit_code == 0


@pytest.mark.parametrize("fail_on", ["", ()])
def test_findings_are_those_of_the_rules(run: Run, fail_on: object) -> None:
    # The sample rule PTE901 finds each input; LINEAR has one, and OLD two.
    document = json.loads(run("diff", LINEAR, OLD, "--format", "json").stdout)
    new = [c["change"] for c in document["changes"] if c["kind"] == "new-findings"]
    assert [(c["rule"], c["about"]) for c in new] == [("PTE901", "input 1")]


def test_rules_and_severities_can_be_chosen(run: Run) -> None:
    words = ("diff", LINEAR, OLD, "--fail-on", "new-findings=error")
    assert run(*words).exit_code == 1
    assert run(*words, "--ignore", "PTE901").exit_code == 0
    assert run(*words, "--severity", "PTE901=info").exit_code == 0


def test_the_configuration_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pte-lint.toml").write_text('ignore = ["PTE901"]\n', "utf-8")
    words = ("diff", LINEAR, OLD, "--fail-on", "new-findings")
    assert run(*words).exit_code == 0
    assert run(*words, "--isolated").exit_code == 1


def test_formats(run: Run) -> None:
    assert run("diff", OLD, NEW, "--format", "markdown").stdout.startswith("### pte-lint diff: ")
    document = json.loads(run("diff", OLD, NEW, "--format", "json").stdout)
    assert document["old"]["path"] == str(OLD)
    assert document["content_compared"] is False
    assert json.loads(run("diff", OLD, NEW, "--format", "json", "--content").stdout)[
        "content_compared"
    ]


def test_stdin_is_one_of_the_two(run: Run) -> None:
    result = run("diff", "-", MODEL, input=MODEL.read_bytes())
    assert result.exit_code == 0
    assert result.stdout.startswith("<stdin> -> ")
    result = run("diff", "-", "-", input=MODEL.read_bytes())
    assert result.exit_code == 2
    assert "only one of OLD and NEW" in result.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nowhere.pte", MODEL), "error: cannot read nowhere.pte: No such file or directory\n"),
        ((MODEL, "nowhere.pte"), "error: cannot read nowhere.pte: No such file or directory\n"),
        ((MODEL, MODEL, "--data", "no.ptd"), "error: cannot read no.ptd: No such file"),
        ((MODEL, MODEL, "--fail-on", "placment"), "did you mean placement?"),
        ((MODEL, MODEL, "--target", "9.9"), "error: runtime 9.9 is not known"),
        ((MODEL, DATA / "clean" / "external_constants.ptd"), "error: cannot compare"),
        ((MODEL, DATA / "manifest.json"), "is no .pte, .ptd or .bpte"),
        ((MODEL,), "Missing argument 'NEW'"),
    ],
)
def test_what_cannot_be_compared_is_2(run: Run, words: tuple[str | Path, ...], why: str) -> None:
    result = run("diff", *words)
    assert result.exit_code == 2
    assert why in result.stderr
    assert result.stdout == ""


def test_a_gigabyte_of_weights_costs_nothing(run: Run, tmp_path: Path) -> None:
    """Only the program is read: the weights behind it are a hole in a sparse file."""
    content = bytearray(MODEL.read_bytes())
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    size = int.from_bytes(content[32:40], "little")
    content[32:40] = (size + (1 << 30)).to_bytes(8, "little")
    for path in (old, new):
        with path.open("wb") as file:
            file.write(content)
            file.truncate(len(content) + (1 << 30))
    result = run("diff", old, new, "--fail-on", "any")
    assert result.exit_code == 0, result.stderr
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run("diff", old, new)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000  # KiB
