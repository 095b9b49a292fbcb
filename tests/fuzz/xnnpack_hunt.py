"""Changes graphs inside XNNPACK blobs, and compares what pte-lint says with the real backend.

    python -m tests.fuzz.xnnpack_hunt --mutants 2000            # stop and start it as you like
    python -m tests.fuzz.xnnpack_hunt --mutants 2000 --again    # judged anew, nothing is run
    python -m tests.fuzz.xnnpack_hunt --show 17                 # one mutant: said, seen, logged
    python -m tests.fuzz.xnnpack_hunt --report docs/xnnpack_agreement.md

Each mutant is a program with one graph in which one to three numbers were changed
(`tests.fuzz.xnnpack_edits`): exported programs, and one for every kind of node
(`tests.fuzz.xnnpack_seeds`). It is loaded and run twice with each of four sets of inputs, as other
mutants are (`tests.fuzz.oracle`), and compared as they are, but that nothing inside of the delegate
is an excuse.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import itertools
import json
import math
import random
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pte_lint.schema.loaded import read_program

from tests.fuzz.comparison import Comparison, Kind, Original, compare
from tests.fuzz.explain import DELEGATE, KERNEL, RESOURCES
from tests.fuzz.memory import Memory, digest_of
from tests.fuzz.oracle import OPTIONS, Observation, observe
from tests.fuzz.seeds import exported_seeds
from tests.fuzz.verdicts import judgement
from tests.fuzz.xnnpack_edits import Place, edited, places
from tests.fuzz.xnnpack_seeds import node_programs

FOLDER = Path("build/fuzz/xnnpack")
STREAM = 301
CHUNK = 100

#: Elements of a value, of which more need memory that the sandbox may not have.
MOST_ELEMENTS = 1 << 32


@dataclass(frozen=True)
class GraphSeed:
    """A program and where the graph of one of its XNNPACK blobs is."""

    name: str
    file: bytes
    at: int
    size: int
    places: tuple[Place, ...]

    @property
    def graph(self) -> bytes:
        """The graph."""
        return self.file[self.at : self.at + self.size]


@dataclass(frozen=True)
class Mutant:
    """A changed program."""

    number: int
    seed: str
    what: str
    file: bytes


@cache
def graph_seeds() -> tuple[GraphSeed, ...]:
    """All graphs that mutants are made from."""
    named = [(seed.name, seed.file) for seed in exported_seeds() if not seed.data]
    return tuple(
        itertools.chain.from_iterable(
            _graphs(name, file) for name, file in itertools.chain(named, node_programs())
        )
    )


def _graphs(name: str, file: bytes) -> Iterator[GraphSeed]:
    loaded = read_program(file)
    assert loaded.program is not None
    for plan in loaded.program.execution_plan or ():
        for number, delegate in enumerate(plan.delegates or ()):
            where = delegate.processed
            if delegate.id != "XnnpackBackend" or where is None or where.location != 1:
                continue
            span = loaded.container.segment_range((loaded.program.segments or ())[where.index])
            assert span is not None
            blob = file[span.start : span.start + span.size]
            at, size = (int.from_bytes(blob[n : n + 4], "little") for n in (10, 14))
            found = tuple(places(blob[at : at + size]))
            yield GraphSeed(f"{name} {plan.name}#{number}", file, span.start + at, size, found)


def mutant(number: int, stream: int = STREAM) -> Mutant:
    """The mutant of a number: the same everywhere."""
    choice = random.Random(f"{stream} {number}")
    seed = choice.choice(graph_seeds())
    graph, what = edited(seed.graph, choice, list(seed.places))
    file = seed.file[: seed.at] + graph + seed.file[seed.at + seed.size :]
    return Mutant(number, seed.name, what, file)


def judged(made: Mutant, seen: Observation) -> Comparison:
    """What is said about a mutant, against what was seen; the inside of a delegate is no excuse."""
    result = compare(seen, judgement(made.file, ()), Original())
    if result.kind.is_difference or result.category in (DELEGATE, KERNEL):
        no_memory = any("out_of_memory" in line for line in result.logs)
        if no_memory or _most_elements(made) > MOST_ELEMENTS:
            return replace(result, kind=Kind.INCONCLUSIVE, category=RESOURCES)
    if result.kind is Kind.INCONCLUSIVE and result.category in (DELEGATE, KERNEL):
        kind = Kind.MISSED if " ok" in f" {result.said}" else Kind.OTHER
        return Comparison(
            kind, f"{result.said} / {result.seen}", result.level, result.method, result.said,
            result.seen, result.logs,
        )  # fmt: skip
    return result


def _most_elements(made: Mutant) -> int:
    """Elements of the largest value of the graph."""
    (seed,) = [each for each in graph_seeds() if each.name == made.seed]
    sizes: dict[str, list[int]] = {}
    for place in places(made.file[seed.at : seed.at + seed.size]):
        if place.name == "dims":
            code, at = f"<{place.code}", seed.at + place.at
            owner = place.path.rpartition("[")[0]
            sizes.setdefault(owner, []).extend(struct.unpack_from(code, made.file, at))
    return max(map(math.prod, sizes.values()), default=0)


def chunk(first: int, last: int, stream: int, folder: Path) -> list[dict[str, Any]]:
    """Runs those mutants that were not run before, and judges all of them."""
    memory = Memory(folder / f"seen-{stream}-{first}.json.z")
    made = [mutant(number, stream) for number in range(first, last)]
    names = [digest_of(each.file, ()) for each in made]
    fresh = {name: each for name, each in zip(names, made, strict=True) if name not in memory}
    if fresh:
        with tempfile.TemporaryDirectory() as data:
            seen = observe(((each.file, ()) for each in fresh.values()), Path(data), OPTIONS)
            for name, observation in zip(fresh, seen, strict=True):
                memory.keep(name, observation)
        memory.save()
    return [record(each, judged(each, memory[n])) for each, n in zip(made, names, strict=True)]


def record(made: Mutant, result: Comparison) -> dict[str, Any]:
    """A line of the log."""
    return {
        "number": made.number, "seed": made.seed, "what": made.what, "kind": str(result.kind),
        "category": result.category, "said": result.said, "seen": result.seen,
        "logs": list(result.logs[-3:]), "digest": digest_of(made.file, ()),
    }  # fmt: skip


def main() -> int:
    """Runs the command; 1 where there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--stream", type=int, default=STREAM)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--show", type=int)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    if given.show is not None:
        (line,) = chunk(given.show, given.show + 1, given.stream, given.folder / "single")
        print(json.dumps(line, indent=1))
        return 0
    kinds: Counter[str] = Counter()
    log = given.folder / f"log-{given.stream}-{given.first}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as out:
        for first in range(given.first, given.mutants, CHUNK):
            lines = chunk(first, min(first + CHUNK, given.mutants), given.stream, given.folder)
            out.writelines(json.dumps(line) + "\n" for line in lines)
            out.flush()
            kinds.update(line["kind"] for line in lines)
            print(first, dict(kinds), flush=True)
    return int(any(Kind(kind).is_difference for kind in kinds))


if __name__ == "__main__":
    sys.exit(main())
