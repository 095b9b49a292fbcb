"""Agreement with the real runtime over recorded outcomes.

Runs over the folders in `tests/data` that hold a `truth.json`, and over those of the folder that
the environment variable PTE_LINT_CORPUS names. What is said of those in `tests/data` is kept in
golden files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.agreement import check_file, compare, records
from tests.support.golden import check_golden
from tests.support.said import said

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden"


def _folders() -> Iterator[Path]:
    roots = [DATA]
    if named := os.environ.get("PTE_LINT_CORPUS"):
        roots.append(Path(named))
    for root in roots:
        yield from sorted(p.parent for p in root.glob("*/truth.json"))


def _cases() -> Iterator[Any]:
    for folder in _folders():
        for record in records(folder):
            yield pytest.param(folder, record, id=f"{folder.name}/{record['file']}")


@pytest.mark.parametrize(("folder", "record"), list(_cases()))
def test_verdict_agrees_with_the_runtime(folder: Path, record: Mapping[str, Any]) -> None:
    assert [str(p) for p in compare(folder, record)] == []
    if folder.parent == DATA:
        text = said(check_file(folder / record["file"], record))
        check_golden(GOLDEN / folder.name / f"{record['file']}.txt", text)
