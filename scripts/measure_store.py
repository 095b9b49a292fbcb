#!/usr/bin/env python
"""Measures a run over a store of many small artifacts: memory, throughput, an object store.

Makes the store in a folder of its own, runs the command line as anybody would, and prints a table.
Each artifact has bytes of its own, so that nothing is known from another one; the cache is off.

    python scripts/measure_store.py --folder /tmp/store --artifacts 100000 --far 2000
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
PROGRAMS = ("linear", "mlp_xnnpack", "several_methods", "dynamic_batch", "external_constants")


class Measured(NamedTuple):
    """One run."""

    seconds: float
    processor: float
    """Seconds of processors, of all its processes together."""
    parent: int
    """Most bytes of memory of the process that writes the tables."""
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


def run(*words: str) -> Measured:
    """Runs the command line and watches its processes."""
    command = [sys.executable, "-m", "pte_lint", "check", "--isolated", "--no-cache", *words]
    parent = child = 0
    began, spent = time.monotonic(), processor()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                parent = max(parent, watched.memory_info().rss)
                for each in watched.children(recursive=True):
                    child = max(child, each.memory_info().rss)
            except psutil.Error:
                pass
            time.sleep(0.2)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return Measured(time.monotonic() - began, processor() - spent, parent, child)


def processor() -> float:
    """Seconds of processors that ended children took, and theirs."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def tell(name: str, count: int, told: Measured, base: float | None = None) -> float:
    """Prints a row of the table; returns milliseconds of processors an artifact."""
    each = 1000 * told.processor / count
    ratio = "1" if base is None else f"{each / base:.2f}"
    memory = f"{told.parent / 2**20:.0f} MiB | {told.child / 2**20:.0f} MiB"
    rate = f"{count / told.seconds:.0f}"
    print(f"| {name} | {count:,} | {rate} | {each:.1f} | {ratio} | {memory} |", flush=True)
    return each


def main() -> None:
    """Makes, runs, prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--artifacts", type=int, default=100_000)
    parser.add_argument("--far", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    given.folder.mkdir(parents=True)
    few = min(5_000, given.artifacts)
    for name, count in (("few", few), ("all", given.artifacts), ("far", given.far)):
        make(given.folder / name, count)
    into = f"parquet={given.folder / 'results'}"
    print("| run | artifacts | a second | processor ms each | ratio | writing | judging, each |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    plain = run(str(given.folder / "few"), "--format", "json")
    base = tell("one local call, JSON", few, plain)
    tell("tables, `-j 1`", few, run(str(given.folder / "few"), "--output", into), base)
    jobs = ("-j", str(given.jobs), "--output", into)
    tell(f"tables, `-j {given.jobs}`", few, run(str(given.folder / "few"), *jobs), base)
    tell(f"tables, `-j {given.jobs}`", given.artifacts, run(str(given.folder / "all"), *jobs), base)
    if given.far:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request
        from tests.support.s3 import fill, object_store

        with object_store():
            files = sorted((given.folder / "far").rglob("*.pte"))
            fill("measured", {str(n): each.read_bytes() for n, each in enumerate(files)})
            words = ("s3://measured/", "--include", "*", *jobs)
            tell(f"tables, S3 on this machine, `-j {given.jobs}`", given.far, run(*words), base)


if __name__ == "__main__":
    main()
