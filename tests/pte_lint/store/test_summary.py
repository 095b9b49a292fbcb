"""The release manager's table, from tables of small stores."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from tests.support import stores
from tests.support.golden import check_golden

stores.need("pyarrow")

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "a|b`<script>alert(1)</script>\x1b[31m\n@someone.pte"


def summary(*args: object) -> Result:
    return CliRunner().invoke(app, ["summary", *map(str, args)], prog_name="pte-lint")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        "good.pte": stores.GOOD,
        "zoo/bad.pte": stores.BAD,
        "zoo/worse.pte": stores.DATA / "cases" / "prop10_bad.pte",
        **{f"new/{n}.pte": stores.NEW for n in range(5)},
        "xnn.pte": stores.DATA / "data" / "clean" / "mlp_xnnpack.pte",
    }
    failed = {"gone.pte": "cannot read gone.pte: No such file or directory"}
    return stores.write(Path("results"), files, failed)


def test_the_table(store: Path) -> None:
    result = summary(store)
    assert result.exit_code == 0, result.output
    check_golden(GOLDEN / "summary.txt", result.stdout)


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_other_formats_tell_the_same(store: Path, form: str) -> None:
    result = summary(store, "--format", form, "-o", "page")
    assert (result.exit_code, result.stdout) == (0, "")
    check_golden(GOLDEN / f"summary.{form}", Path("page").read_text("utf-8"))


def test_names_are_data(tmp_path: Path) -> None:
    store = stores.write(tmp_path / "r", {"good.pte": stores.GOOD, HOSTILE: stores.BAD})
    told = summary(store).stdout
    assert "a|b`<script>alert(1)</script>\\x1b[31m\\n@someone.pte" in told
    (line,) = (
        line
        for line in summary(store, "--format", "markdown").stdout.splitlines()
        if "script" in line
    )
    assert line == "| 1 | 0 | ``a\\|b`<script>alert(1)</script>\\x1b[31m\\n@someone.pte`` |"
    page = summary(store, "--format", "html").stdout
    tags: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.add(tag)

    Tags().feed(page)
    assert "td" in tags
    assert "script" not in tags


def test_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    same = {f"same/{n}.pte": stores.GOOD for n in range(4)}
    old = stores.write(
        Path("old"),
        {**same, "fixed.pte": stores.BAD, "broken.pte": stores.GOOD, "went.pte": stores.GOOD},
        {"away.pte": "cannot read away.pte: access is denied"},
    )
    new = stores.write(
        Path("new"),
        {**same, "fixed.pte": stores.GOOD, "broken.pte": stores.BAD, "came.pte": stores.BAD,
         "away.pte": stores.GOOD},
    )  # fmt: skip
    result = summary("--compare", old, new)
    assert result.exit_code == 0, result.output
    check_golden(GOLDEN / "compare.txt", result.stdout)
    from pte_lint.store import comparison

    whole = comparison.compare(*map(comparison.Results.open, (old, new)))
    monkeypatch.setattr(comparison, "_ROWS", 2)  # a pass for every few artifacts says the same
    parts = comparison.compare(*map(comparison.Results.open, (old, new)))
    assert parts.verdicts.keys() == whole.verdicts.keys()
    assert {k: g.count for k, g in parts.verdicts.items()} == {
        k: g.count for k, g in whole.verdicts.items()
    }
    assert (parts.same_verdict, parts.appeared, parts.went) == (
        whole.same_verdict, whole.appeared, whole.went,
    )  # fmt: skip


def test_a_run_that_left_something_out_says_so_first(tmp_path: Path) -> None:
    store = stores.write(tmp_path / "r", {"good.pte": stores.GOOD}, beyond="7 artifacts too many")
    assert summary(store).stdout.splitlines()[1] == "  INCOMPLETE: 7 artifacts too many"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "findings.parquet").unlink(), "there is no findings.parquet"),
        (lambda f: (f / "findings.parquet").write_bytes(b"PAR1"), "it cannot be read: "),
        (
            lambda f: (
                stores.write(f.parent / "other", {"x.pte": stores.GOOD}, parts="2")
                / "verdicts.parquet"
            ).replace(f / "verdicts.parquet"),
            "its files are of different runs: give the command again",
        ),
    ],
    ids=["missing", "damaged", "mixed"],
)
def test_results_that_are_none(tmp_path: Path, damage: object, message: str) -> None:
    store = stores.write(tmp_path / "r", {"good.pte": stores.GOOD})
    assert summary(store).exit_code == 0
    damage(store)  # type: ignore[operator]
    result = summary(store)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_row_groups_are_written_as_they_fill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    from pte_lint.store import folder

    files = {f"{n}.pte": stores.BAD for n in range(9)}
    whole = stores.write(tmp_path / "whole", files)
    monkeypatch.setattr(folder, "GROUP_ROWS", 4)
    rows = stores.write(tmp_path / "rows", files)
    monkeypatch.setattr(folder, "GROUP_ROWS", 16_384)
    monkeypatch.setattr(folder, "GROUP_BYTES", 1_000)
    parts = stores.write(tmp_path / "bytes", files)
    groups = [
        pq.ParquetFile(each / "artifacts.parquet").metadata.num_row_groups
        for each in (whole, rows, parts)
    ]
    assert groups[:2] == [1, 3]
    assert groups[2] > 1
    assert stores.read(whole) == stores.read(rows) == stores.read(parts)
