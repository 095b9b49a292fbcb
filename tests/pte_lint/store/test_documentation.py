"""docs/store.md: its columns are those of the tables, and its questions have answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pte_lint.store.tables import TABLES
from tests.support import stores

stores.need("pyarrow", "duckdb", "pandas")

PAGE = (Path(__file__).parents[3] / "docs" / "store.md").read_text("utf-8")


def snippets(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "good.pte": stores.GOOD,
        "copy.pte": stores.GOOD,
        "bad.pte": stores.BAD,
        "new.pte": stores.NEW,
        "device.pte": stores.DATA / "cases" / "prop10_bad.pte",
    }
    stores.write(Path("results"), files)


def test_columns_are_those_of_the_tables() -> None:
    told = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert told == [(c.name, c.kind, c.meaning) for table in TABLES.values() for c in table]


def test_the_files_have_these_columns(results: None) -> None:
    import pyarrow.parquet as pq

    kinds = {"string": "string", "int64": "int64", "bool": "bool", "list": "list<element: string>"}
    for table, columns in TABLES.items():
        schema = pq.read_schema(f"results/{table}.parquet")
        assert [(field.name, str(field.type)) for field in schema] == [
            (column.name, kinds[column.kind]) for column in columns
        ]


def test_questions_to_duckdb(results: None) -> None:
    import duckdb

    (block,) = snippets("sql")
    questions = [each for each in block.split(";") if each.strip()]
    answers = [duckdb.sql(question).fetchall() for question in questions]
    assert answers[0] == []
    older = questions[0].replace("'1.5'", "'1.3'")
    assert duckdb.sql(older).fetchall() == [("new.pte",)]
    assert answers[1] == [("DeviceDemoBackend", "PTE301", 1)]
    assert [count for _, count in answers[2]] == [2]


def test_questions_to_pandas(results: None, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = snippets("python")
    exec(compile(block, "docs/store.md", "exec"), {})
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["PTE141", "1"] in told
    assert ["1.5", "0", "2", "3"] in told
