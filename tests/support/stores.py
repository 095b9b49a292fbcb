"""Small stores: files, and the tables of runs over them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import pte_lint
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.store.folder import ResultFolder
from pte_lint.store.tables import (
    LAYOUT,
    TABLES,
    Row,
    artifact_row,
    failed_row,
    finding_rows,
    verdict_rows,
)

DATA = Path(__file__).parents[1]
GOOD = DATA / "data" / "clean" / "linear.pte"
BAD = DATA / "cases" / "r141.bad.pte"
"""Fails to execute, on every version."""
NEW = DATA / "cases" / "prop10_fix.pte"
"""Runs on 1.4 and newer only."""


def need(*names: str) -> None:
    """Skips a module where packages of extras are missing, but never where CI asks for it."""
    for name in names:
        if os.environ.get("CI") == "true":
            __import__(name)
        pytest.importorskip(name)


def read(folder: Path) -> dict[str, list[Row]]:
    """All rows of all tables."""
    import pyarrow.parquet as pq

    return {table: pq.read_table(folder / f"{table}.parquet").to_pylist() for table in TABLES}


def rows(
    report: ArtifactReport, target: Target, revision: str | None = None
) -> dict[str, list[Row]]:
    """What a single run gives, with every column."""
    told: dict[str, Iterable[Row]] = {
        "artifacts": [artifact_row(report, target, revision)],
        "verdicts": verdict_rows(report, target),
        "findings": finding_rows(report),
    }
    return {
        table: [{c.name: row.get(c.name) for c in TABLES[table]} for row in told[table]]
        for table in TABLES
    }


def single(path: Path, name: str | None = None) -> ArtifactReport:
    """The report of a run over one file."""
    report = pte_lint.check(path, isolated=True).artifacts[0]
    from dataclasses import replace

    return report if name is None else replace(report, path=name)


def write(
    folder: Path, files: Mapping[str, Path], failed: Mapping[str, str] | None = None, **run: Any
) -> Path:
    """Writes the tables of a run over files under other names, without running it."""
    target = Target()
    with ResultFolder(folder).opened() as results:
        with results.part("one") as part:
            for name, path in files.items():
                for table, told in rows(single(path, name), target).items():
                    part.add(table, told)
            for name, why in (failed or {}).items():
                part.add("artifacts", [failed_row(name, why, target, None)])
        told_of_run = {
            "layout": LAYOUT, "tool_version": "0.1.0", "runtime": "1.5", "verification": "both",
            "profile": "x", "beyond": "", "parts": "", **run,
        }  # fmt: skip
        results.finish(["one"], json.dumps(told_of_run))
    return folder
