"""What is measured, at which sizes."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pte_lint
from benchmarks.files import SMALL, write_chain, write_transformer
from benchmarks.parts import Row
from benchmarks.parts.cold import cold_start
from benchmarks.parts.dynamic import dynamic
from benchmarks.parts.floor import floor
from benchmarks.parts.lengths import lengths, shapes
from benchmarks.parts.many import big_files, many_files
from benchmarks.parts.peers import differences, peers, version


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Attributes:
        repeat: Runs of a short command.
        long_repeat: Runs of a long one.
        chains: Instructions of straight chains.
        shape: Instructions of the short program of each awkward shape.
        factor: How many times as long the long one is.
        peer: Instructions of the longest chain that peers read.
        many: Small files in one call.
        gibibytes: Sizes of files whose bulk is segments.
    """

    repeat: int
    long_repeat: int
    chains: Sequence[int]
    shape: int
    factor: int
    peer: int
    many: int
    gibibytes: Sequence[int]


WHOLE = Size(11, 3, (1_000, 10_000, 100_000, 1_000_000), 2_500, 4, 100_000, 500, (1, 50))
"""About ten minutes on two idle cores, most of them in the peers."""
QUICK = Size(5, 1, (1_000, 10_000), 1_000, 4, 10_000, 50, (1,))
"""About two minutes."""


def measure(
    folder: Path, size: Size, executorch: str | None, kept: Path, only: Sequence[str] | None
) -> dict[str, Any]:
    """Measures all parts, or some.

    Args:
        folder: for files that are made for the measurements.
        size: how much.
        executorch: a Python that has executorch with torch, if there is one.
        kept: for what takes long to make and is used again.
        only: names of parts; all if left out.

    Raises:
        KeyError: there is no such part.
    """
    results: dict[str, Any] = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "pte_lint": pte_lint.__version__,
        "python": platform.python_version(),
        "executorch": version(executorch) if executorch else None,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else "unknown",
        "repeat": size.repeat,
        "long_repeat": size.long_repeat,
        "quick": size is QUICK,
    }
    parts = _parts(folder, size, executorch, kept)
    for name in only or parts:
        start = time.perf_counter()
        results[name] = list(parts[name]())
        print(f"{name}: measured in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return results


def _parts(
    folder: Path, size: Size, executorch: str | None, kept: Path
) -> dict[str, Callable[[], Iterator[Row]]]:
    def files(longest: int) -> dict[str, Path]:
        found = {f"a real file of {SMALL.stat().st_size} bytes": SMALL}
        transformer = write_transformer(kept / "benchmarks", executorch) if executorch else None
        if transformer is not None:
            found["a 12-layer transformer"] = transformer
        for length in (10_000, longest) if longest > 10_000 else (longest,):
            found[f"a chain of {length:,} instructions"] = write_chain(folder, length)
        return found

    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "cold_start": lambda: cold_start(size.repeat),
        "lengths": lambda: lengths(folder, size.chains, size.long_repeat),
        "shapes": lambda: shapes(folder, size.shape, size.factor),
        "dynamic": lambda: dynamic(size.repeat),
        "many_files": lambda: many_files(folder, size.many, size.long_repeat),
        "big_files": lambda: big_files(folder, size.gibibytes, size.repeat),
        "floor": lambda: floor(files(size.peer), size.long_repeat),
    }
    if executorch is not None:
        parts["peers"] = lambda: peers(files(size.peer), executorch, size.long_repeat)
        parts["differences"] = lambda: differences(files(10_000), executorch, size.long_repeat)
    return parts
