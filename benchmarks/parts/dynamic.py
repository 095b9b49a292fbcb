"""What sizes that may change cost: files of the repository, and the same with bounded sizes."""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.parts import Row
from tests.fuzz.seeds import dynamic_twins, seeds_of
from tests.fuzz.verdicts import Judgement, judgement

_FOLDER = Path(__file__).parents[2] / "tests" / "data" / "clean"


class _Pair(NamedTuple):
    name: str
    is_straight: bool
    fixed: float
    bounded: float

    @property
    def ratio(self) -> float:
        return self.bounded / self.fixed


def dynamic(repeat: int) -> Iterator[Row]:
    """Judging without starting up, the two in turn; medians of processor time."""
    pairs: list[_Pair] = []
    for seed in seeds_of(_FOLDER):
        for twin in dynamic_twins([seed]):
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(repeat + 1):
                for each, taken in zip((seed, twin), times, strict=True):
                    start = time.process_time()
                    judged = judgement(each.file, each.data)
                    taken.append(time.process_time() - start)
            fixed, bounded = (statistics.median(taken[1:]) for taken in times)
            pairs.append(_Pair(seed.name, _is_straight(judged), fixed, bounded))
    straight = [pair for pair in pairs if pair.is_straight]
    yield _row(f"{len(straight)} files without jumps together", straight)
    most = max(straight, key=lambda pair: pair.ratio)
    yield _row(f"the most of these: {most.name}", [most])
    jumping = [pair for pair in pairs if not pair.is_straight]
    yield _row(f"{len(jumping)} files with jumps together", jumping)
    most = max(jumping, key=lambda pair: pair.ratio)
    yield _row(f"the most of these: {most.name}", [most])


def _is_straight(judged: Judgement) -> bool:
    return all(method.flow.is_straight for method in judged.methods)


def _row(what: str, pairs: Sequence[_Pair]) -> Row:
    fixed, bounded = sum(p.fixed for p in pairs), sum(p.bounded for p in pairs)
    return {"what": what, "bounded": bounded, "fixed": fixed, "ratio": bounded / fixed}
