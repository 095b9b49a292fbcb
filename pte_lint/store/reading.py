"""Reads the results of a run row by row, in memory that does not grow with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pte_lint.schema.frozen import dataclass
from pte_lint.store.arrow import arrow, parquet
from pte_lint.store.folder import RUN_KEY, UNFINISHED
from pte_lint.store.tables import LAYOUT, TABLES, Row

_ROWS: Final = 4_096


class ResultsError(ValueError):
    """A folder holds no results that can be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a finished run."""

    path: Path
    counts: dict[str, int]
    """Rows by table."""
    run: dict[str, Any]
    """What the run tells of itself: `tool_version`, `target`, `left_out`, `notes`."""

    @classmethod
    def open(cls, path: Path) -> Results:
        """Looks at the three files.

        Raises:
            ResultsError: one is missing, cannot be read or is of another run or layout.
            NoArrowError: pyarrow is not installed.
        """
        counts, told = {}, []
        for table in TABLES:
            file = path / f"{table}.parquet"
            try:
                with parquet().ParquetFile(file) as opened:
                    counts[table] = opened.metadata.num_rows
                    names = set(opened.schema_arrow.names)
                    told.append((opened.schema_arrow.metadata or {}).get(RUN_KEY.encode()))
            except FileNotFoundError:
                hint = " (a run that was not finished: give the same command again)"
                more = hint if (path / UNFINISHED).is_dir() else ""
                raise ResultsError(f"{path}: there is no {file.name}{more}") from None
            except (OSError, arrow().ArrowException) as exc:
                raise ResultsError(f"{file}: it cannot be read: {_first_line(exc)}") from exc
            if missing := [c.name for c in TABLES[table] if c.name not in names]:
                raise ResultsError(f"{file}: it has no column {missing[0]}")
        if told != [told[0]] * len(told):
            raise ResultsError(f"{path}: its files are of different runs: give the command again")
        try:
            run = json.loads(told[0] or b"")
        except ValueError:
            raise ResultsError(f"{path}: its files are none of pte-lint's") from None
        if not isinstance(run, dict) or run.get("layout") != LAYOUT:
            raise ResultsError(f"{path}: another version of pte-lint wrote it")
        return cls(path, counts, run)

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row]:
        """The rows of a table, with some of their columns.

        Raises:
            ResultsError: they cannot be read.
        """
        file = self.path / f"{table}.parquet"
        try:
            with parquet().ParquetFile(file) as opened:
                for batch in opened.iter_batches(batch_size=_ROWS, columns=list(columns)):
                    values = [batch.column(name).to_pylist() for name in columns]
                    for each in zip(*values, strict=True):
                        yield dict(zip(columns, each, strict=True))
        except (OSError, arrow().ArrowException) as exc:
            raise ResultsError(f"{file}: it cannot be read: {_first_line(exc)}") from exc


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
