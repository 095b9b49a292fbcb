"""How the cost grows with the length of a program, and with awkward shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.files import write_chain
from benchmarks.measure import Cost, check_command, run
from benchmarks.parts import Row
from benchmarks.shapes import SHAPES, write_shape
from benchmarks.stages import Stages, stages

_GRAPH_LIMIT = 100_000
"""Longest program that is measured repeatedly, and whose networkx graph is built, which takes
gigabytes beyond."""


def lengths(folder: Path, sizes: Sequence[int], repeat: int) -> Iterator[Row]:
    """Straight chains: a whole check, and its stages."""
    before: Cost | None = None
    for size in sizes:
        path = write_chain(folder, size)
        runs = repeat if size <= _GRAPH_LIMIT else 1
        cost = run(check_command(str(path)), runs, warm_up=size <= _GRAPH_LIMIT)
        inside = stages(path, size <= _GRAPH_LIMIT, runs)
        yield {
            "instructions": size,
            "bytes": path.stat().st_size,
            "seconds": cost.seconds,
            "wall": cost.wall,
            "times": cost.ratio(before) if before else None,
            "mebibytes": cost.mebibytes,
            **asdict(inside),
            "graph": inside.graph if size <= _GRAPH_LIMIT else None,
        }
        before = cost


def shapes(folder: Path, size: int, factor: int) -> Iterator[Row]:
    """Awkward shapes, small and `factor` times as long: what is linear grows by that factor."""
    for name in SHAPES:
        short, long = (
            _inside(write_shape(folder, name, length)) for length in (size, size * factor)
        )
        yield {
            "shape": name,
            "instructions": size * factor,
            "seconds": long,
            "short": short,
            "growth": long / short,
            "factor": factor,
        }


def _inside(path: Path) -> float:
    cost: Stages = stages(path, graph=False)
    return cost.read + cost.index + cost.analyses + cost.rules
