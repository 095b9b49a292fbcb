"""A folder with the results of a run: three files that appear when all is done, or not at all.

What is judged is written in parts, each of which appears whole, by being renamed. A part is named
by what it is about: the inputs with their states, and everything that judges. So a run that was
stopped finds its parts again, whatever became of other inputs meanwhile, and needs no record of
where it was. At the end the parts are put together in the order of the inputs.

    results/artifacts.parquet, verdicts.parquet, findings.parquet
    results/.unfinished/<key>/artifacts.parquet, ...
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from pte_lint.store.arrow import arrow, parquet, schema
from pte_lint.store.tables import TABLES, Row

UNFINISHED: Final = ".unfinished"

GROUP_ROWS: Final = 16_384
"""Most rows of a row group."""
GROUP_BYTES: Final = 8 << 20
"""Characters of texts after which a row group is written, whatever its rows."""
_ROW_BYTES: Final = 200

RUN_KEY: Final = "pte_lint.run"
"""The key in the files' metadata under which the run is told; the same in all three."""


class BusyError(OSError):
    """Another run writes to the folder."""


class ResultFolder:
    """Writes the results of one run."""

    def __init__(self, path: Path) -> None:
        """Touches nothing yet."""
        self.path = path
        self._unfinished = path / UNFINISHED

    @contextmanager
    def opened(self) -> Iterator[ResultFolder]:
        """Makes the folder, and keeps others from writing to it, where the system can.

        Raises:
            BusyError: another run does.
            OSError: it cannot be made.
        """
        self._unfinished.mkdir(parents=True, exist_ok=True)
        with (self._unfinished / "lock").open("ab") as lock:
            _take(lock)
            for left in self._unfinished.glob("*.tmp"):
                shutil.rmtree(left, ignore_errors=True)
            yield self

    def has(self, key: str) -> bool:
        """Whether a part is here already, and nothing in it failed: that may go better now."""
        if not (self._unfinished / key).is_dir():
            return False
        return all(row["status"] != "failed" for row in self.rows(key))

    def rows(self, key: str) -> list[Row]:
        """What became of the artifacts of a part, in order."""
        names = ["status", "failure", "errors", "warnings", "infos", "unchecked", "internal_errors"]
        table = parquet().read_table(self._file(key, "artifacts"), columns=names)
        return list(table.to_pylist())

    @contextmanager
    def part(self, key: str) -> Iterator[Part]:
        """Writes a part, which is there when the block has ended without an exception."""
        beside = self._unfinished / f"{key}.tmp"
        beside.mkdir()
        with ExitStack() as stack:
            yield Part({t: stack.enter_context(_Writer(beside, t, {})) for t in TABLES})
        place = self._unfinished / key
        if place.is_dir():
            shutil.rmtree(place)
        beside.rename(place)

    def finish(self, keys: Sequence[str], run: str) -> None:
        """Puts the parts together, in place of older results.

        Args:
            keys: of the parts, in order.
            run: what is told of the run in the files' metadata.
        """
        pq = parquet()
        for table in TABLES:
            with _Writer(self._unfinished, table, {RUN_KEY: run}) as writer:
                for key in keys:
                    with pq.ParquetFile(self._file(key, table)) as file:
                        for group in range(file.num_row_groups):
                            writer.add_table(file.read_row_group(group))
        for table in TABLES:
            (self._unfinished / f"{table}.parquet").replace(self.path / f"{table}.parquet")
        with suppress(OSError):  # the lock, on systems that keep what is open
            shutil.rmtree(self._unfinished)

    def _file(self, key: str, table: str) -> Path:
        return self._unfinished / key / f"{table}.parquet"


class Part:
    """The tables of a part while it is written."""

    def __init__(self, writers: Mapping[str, _Writer]) -> None:
        self._writers = writers

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Adds rows to a table."""
        for row in rows:
            self._writers[table].add(row)


class _Writer:
    """Writes one file, a row group whenever enough has gathered."""

    def __init__(self, folder: Path, table: str, metadata: Mapping[str, str]) -> None:
        self._schema = schema(table, metadata)
        self._names = self._schema.names
        self._path = folder / f"{table}.parquet"
        self._columns: dict[str, list[Any]] = {name: [] for name in self._names}
        self._tables: list[Any] = []
        self._rows = self._bytes = 0

    def __enter__(self) -> _Writer:
        self._file = self._path.open("wb")
        self._writer = parquet().ParquetWriter(self._file, self._schema, compression="zstd")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._file:
            if kind is None:
                self._flush()
            self._writer.close()
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())

    def add(self, row: Row) -> None:
        for name in self._names:
            value = row.get(name)
            self._columns[name].append(value)
            if isinstance(value, str | list):
                self._bytes += len(value)
        self._count(1, _ROW_BYTES)

    def add_table(self, table: Any) -> None:
        self._tables.append(table)
        self._count(table.num_rows, table.nbytes)

    def _count(self, rows: int, nbytes: int) -> None:
        self._rows, self._bytes = self._rows + rows, self._bytes + nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        pa = arrow()
        if self._tables:
            table = pa.concat_tables(self._tables).cast(self._schema)
        else:
            table = pa.Table.from_pydict(self._columns, schema=self._schema)
        self._writer.write_table(table, row_group_size=GROUP_ROWS)
        self._columns = {name: [] for name in self._names}
        self._tables = []
        self._rows = self._bytes = 0


def _take(lock: Any) -> None:
    """Locks a file until it is closed, also by a process that ends."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as exc:
        raise BusyError(exc.errno, "another run is writing to it") from exc
