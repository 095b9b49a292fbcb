#!/usr/bin/env python
"""Measures a run over a store of many small artifacts: memory, throughput, an object store, a kill.

Makes the store in a folder of its own, runs the command line as anybody would, and prints a table.
Each artifact has bytes of its own, so that nothing is known from another one. The runs that are not
killed have no cache.

    python scripts/measure_store.py --folder /tmp/store --artifacts 100000
    python scripts/measure_store.py --folder /tmp/store --artifacts 100000 --runs far

`far` is behind an S3 server of this process. It is killed when half of it is judged, and goes on;
then its rows are compared with those of single runs, and the server says how often it was asked for
what.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from pte_lint.claims.target import Target  # noqa: E402
from pte_lint.store.tables import Row  # noqa: E402
from tests.support import stores  # noqa: E402
from tests.support.s3 import fill_server, object_store  # noqa: E402

PROGRAMS: Final = (
    "linear",
    "mlp_xnnpack",
    "several_methods",
    "dynamic_batch",
    "external_constants",
)
RUNS: Final = ("json", "one", "some", "all", "far")
BUCKET: Final = "measured"
FEW: Final = 5_000
SINGLE: Final = 1_000
"""Artifacts that are compared with runs over them alone."""
_WHENCE: Final = ("revision", "fetched_bytes", "fetched_requests")
"""Columns that an artifact has only where it is far away."""


class Measured(NamedTuple):
    """One run."""

    seconds: float
    processor: float
    """Seconds of processors, of all its processes together."""
    early: int
    """Most bytes of memory of the process that writes the tables, in a tenth of the time."""
    parent: int
    """The same, of all the time."""
    child: int
    """Most bytes of memory of one that judges."""


def make(folder: Path, count: int) -> None:
    """Makes artifacts, a thousand a folder, each with four bytes of its own behind the program."""
    contents = [(ROOT / f"tests/data/clean/{name}.pte").read_bytes() for name in PROGRAMS]
    for n in range(count):
        path = folder / f"{n // 1000:03}" / f"{n:06}.pte"
        if n % 1000 == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[n % len(contents)] + n.to_bytes(4, "little"))


def run(
    *words: str, env: Mapping[str, str] | None = None, until: Callable[[], bool] = lambda: False
) -> Measured:
    """Runs the command line and watches its processes; kills it when `until` says so."""
    command = [sys.executable, "-m", "pte_lint", "check", "--isolated", *words]
    child, spent, is_killed = 0, 0.0, False
    memory: list[int] = []
    began, before = time.monotonic(), _ended()
    environment = {**os.environ, **(env or {})}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                memory.append(watched.memory_info().rss)
                children = watched.children(recursive=True)
                child = max(child, *(each.memory_info().rss for each in children), 0)
                spent = sum(sum(each.cpu_times()) for each in (watched, *children))
            except psutil.Error:
                pass
            if until():
                is_killed = True
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.2)
    if not is_killed and process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    # The children of a process that was killed are nobody's, and are not told.
    took = spent if is_killed else _ended() - before
    early = max(memory[: len(memory) // 10 + 1])
    return Measured(time.monotonic() - began, took, early, max(memory), child)


def _ended() -> float:
    """Seconds of processors that ended children took, and theirs."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def tell(name: str, count: int, told: Measured, base: float | None) -> float:
    """Prints a row of the table; returns milliseconds of processors an artifact."""
    each = 1000 * told.processor / count
    ratio = "1" if base is None else f"{each / base:.2f}"
    early, parent, child = (f"{n / 2**20:.0f}" for n in told[2:])
    rate = f"{count / told.seconds:.0f}"
    print(
        f"| {name} | {count:,} | {rate} | {each:.1f} | {ratio} | {early}, {parent} | {child} |",
        flush=True,
    )
    return each


class Asked(logging.Handler):
    """Counts what a server is asked for."""

    def __init__(self) -> None:
        """Nothing yet."""
        super().__init__()
        self.times: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Counts a line of the server's log."""
        found = re.search(rf"(GET|HEAD) /{BUCKET}/(\S+) HTTP", record.getMessage())
        if found is not None:
            self.times[found[2]] += 1


def far(files: list[Path], folder: Path, jobs: tuple[str, ...], base: float | None) -> None:
    """Over an object store, killed and gone on with; tells what was lost or done twice."""
    asked = Asked()
    log = logging.getLogger("werkzeug")
    log.setLevel(logging.INFO)
    log.addHandler(asked)
    log.propagate = False
    into = folder / "far-results"
    words = (f"s3://{BUCKET}/", *jobs, "--cache", "--output", f"parquet={into}")
    places = {"PTE_LINT_CACHE_DIR": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    with object_store():
        fill_server(BUCKET, {f"{each.parent.name}/{each.name}": each for each in files})
        half = len(files) // 2
        first = run(*words, env=places, until=lambda: len(asked.times) >= half)
        judged = len(asked.times)
        tell("tables, S3, killed", judged, first, base)
        second = run(*words, env=places)
        tell("tables, S3, gone on", len(files) - judged, second, base)
        twice = sum(n > 1 for n in asked.times.values())
        print(f"fetched {len(asked.times):,} of {len(files):,}, {twice} of them more than once")
        compare(into, files[:: max(1, len(files) // SINGLE)], len(files))


def compare(into: Path, some: list[Path], count: int) -> None:
    """Tells how many artifacts have rows, and of some whether these are as they should be."""
    tables = stores.read(into)
    paths = Counter(row["path"] for row in tables["artifacts"])
    print(f"{len(paths):,} of {count:,} artifacts have rows, {sum(paths.values()):,} in all")
    by_path: dict[str, dict[str, list[Row]]] = {}
    for table, rows in tables.items():
        for row in rows:
            by_path.setdefault(row["path"], {}).setdefault(table, []).append(row)
    wrong = 0
    for each in some:
        name = f"s3://{BUCKET}/{each.parent.name}/{each.name}"
        alone = stores.rows(stores.single(each, name), Target())
        wrong += any(
            [_what(row) for row in by_path[name].get(table, [])] != [_what(row) for row in rows]
            for table, rows in alone.items()
        )
    print(f"{wrong} of {len(some):,} have others than a run over them alone gives")


def _what(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in _WHENCE}


def main() -> None:
    """Makes, runs, prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--artifacts", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--runs", nargs="*", choices=RUNS, default=RUNS)
    given = parser.parse_args()
    few = min(FEW, given.artifacts)
    for name, count in (("few", few), ("all", given.artifacts)):
        if not (given.folder / name).exists():
            make(given.folder / name, count)
    small, large = (str(given.folder / name) for name in ("few", "all"))
    into = ("--no-cache", "--output", f"parquet={given.folder / 'results'}")
    jobs = ("-j", str(given.jobs))
    print("| run | artifacts | a second | processor ms each | ratio | writing | judging, each |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    base = None
    if "json" in given.runs:
        plain = run(small, "--no-cache", "--format", "json")
        base = tell("one local call, JSON", few, plain, None)
    if "one" in given.runs:
        tell("tables, `-j 1`", few, run(small, *into), base)
    if "some" in given.runs:
        tell(f"tables, `-j {given.jobs}`", few, run(small, *jobs, *into), base)
    if "all" in given.runs:
        tell(f"tables, `-j {given.jobs}`", given.artifacts, run(large, *jobs, *into), base)
    if "far" in given.runs:
        far(sorted((given.folder / "all").rglob("*.pte")), given.folder, jobs, base)


if __name__ == "__main__":
    main()
