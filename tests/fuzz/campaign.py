"""Runs many mutants and writes down what became of them; can be stopped and taken up again."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pte_lint.schema.program import Program

from pte_lint.claims.forecast import NEWEST
from pte_lint.harness.options import AsRuntime
from pte_lint.questions.method import Method
from tests.fuzz.comparison import Comparison, Kind, Original, compare
from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply, FieldEdit, Mutant
from tests.fuzz.explain import REAL_DELEGATES
from tests.fuzz.memory import Memory, digest_of
from tests.fuzz.oracle import OPTIONS, MethodSeen, Observation, observe
from tests.fuzz.subject import Seed
from tests.fuzz.verdicts import Judgement, judgement

#: Mutants between two entries in the log.
CHUNK = 500

_VALUE = re.compile(r"execution_plan\[(\d+)\]\.values\[(\d+)\]")
_PLAN_PATH = re.compile(r"\.(allocation_info(\..*)?|non_const_buffer_(sizes|device))$")


@dataclass
class Tally:
    """Counts over mutants.

    Attributes:
        mutants: How many were run.
        parsed: How many of them decode as programs without a violation.
        kinds: By kind of comparison.
        families: By family and kind.
        stages: Agreeing bad ones by what was seen.
        categories: Inconclusive ones that parse, by category.
        unparsed_categories: Inconclusive ones that do not.
        rules: How often each rule was behind a verdict that agrees.
        digests: Distinct mutants, by the start of their hash.
    """

    mutants: int = 0
    parsed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    families: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    unparsed_categories: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    digests: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Counts one result."""
        comparison = result.comparison
        self.mutants += 1
        self.parsed += result.parses
        self.kinds[comparison.kind] += 1
        self.families[f"{result.mutant.family}|{comparison.kind}"] += 1
        self.digests.add(result.digest)
        if comparison.kind is Kind.AGREE_BAD:
            self.stages[re.sub(r" (at|\().*", "", comparison.seen)] += 1
            self.rules[comparison.said.split()[-1]] += 1
        elif comparison.kind is Kind.INCONCLUSIVE:
            counts = self.categories if result.parses else self.unparsed_categories
            counts[comparison.category] += 1

    def merge(self, record: dict[str, Any]) -> None:
        """Adds the counts of a log entry."""
        self.mutants += record["mutants"]
        self.parsed += record["parsed"]
        for name in _COUNTERS:
            getattr(self, name).update(record[name])
        self.digests.update(record["digests"])

    def record(self) -> dict[str, Any]:
        """The counts as a log entry."""
        counters = {name: dict(getattr(self, name)) for name in _COUNTERS}
        return {
            "mutants": self.mutants,
            "parsed": self.parsed,
            **counters,
            "digests": sorted(self.digests),
        }


_COUNTERS = ("kinds", "families", "stages", "categories", "unparsed_categories", "rules")


@dataclass(frozen=True)
class Result:
    """What became of one mutant."""

    mutant: Mutant
    comparison: Comparison
    parses: bool
    digest: str

    def record(self) -> dict[str, Any]:
        """The result as a log entry."""
        comparison = self.comparison
        return {
            "number": self.mutant.number,
            "seed": self.mutant.seed.name,
            "edits": [str(each) for each in self.mutant.edits],
            "kind": str(comparison.kind),
            "category": comparison.category,
            "level": comparison.level,
            "method": comparison.method,
            "said": comparison.said,
            "seen": comparison.seen,
            "parses": self.parses,
            "logs": list(comparison.logs[-12:]),
        }


class Bench:
    """Judges and runs mutants of some seeds."""

    def __init__(self, seeds: Sequence[Seed], runtime: str = NEWEST) -> None:
        """Runs every seed once, to know what it does before it is edited.

        Args:
            seeds: What mutants are made from.
            runtime: The version that is judged for, and run.

        Raises:
            HarnessUnavailable: The runtime or the compiler is missing.
        """
        self._temporary = tempfile.TemporaryDirectory(prefix="pte-lint-fuzz-")
        self._folder = Path(self._temporary.name)
        self._runtime = runtime
        version = None if runtime == NEWEST else cast("AsRuntime", runtime)
        self._options = replace(OPTIONS, as_runtime=version)
        files = [(each.file, each.data) for each in seeds]
        seen = observe(files, self._folder, self._options)
        self._originals: dict[str, tuple[MethodSeen, ...]] = {
            seed.name: each.full.methods for seed, each in zip(seeds, seen, strict=True)
        }

    def original(self, seed: Seed) -> tuple[MethodSeen, ...]:
        """What was seen of a seed's methods."""
        return self._originals.get(seed.name, ())

    def results(self, mutants: Iterable[Mutant], memory: Memory | None = None) -> Iterator[Result]:
        """What becomes of mutants, in order; those whose edits do nothing are left out.

        Args:
            mutants: What to judge and run.
            memory: What is known of them already; what is seen is added to it.
        """
        waiting: deque[_Waiting] = deque()
        # The runtime is at the next mutants while one is judged.
        for seen in observe(_unknown(mutants, memory, waiting), self._folder, self._options):
            while waiting[0].seen is not None:
                yield self._result(waiting.popleft(), memory)
            yield self._result(replace(waiting.popleft(), seen=seen), memory)
        while waiting:
            yield self._result(waiting.popleft(), memory)

    def _result(self, each: _Waiting, memory: Memory | None) -> Result:
        assert each.seen is not None
        seen = each.seen
        try:
            said = judgement(each.program, each.data, self._runtime)
        except Exception as problem:
            # What goes wrong outside of rules is no report at all: the worst of failures.
            what = Comparison(Kind.FAILURE, f"judging ends with {problem!r}")
            return Result(each.mutant, what, False, each.digest)
        comparison = self._compare(each, seen, said)
        if comparison.kind.is_difference and not seen.is_thorough:
            thorough = replace(self._options, until_bad=False)
            (seen,) = observe([(each.program, each.data)], self._folder, thorough)
            comparison = self._compare(each, seen, said)
        if memory is not None:
            memory.keep(each.digest, seen)
        return Result(each.mutant, comparison, said.parses, each.digest)

    def _compare(self, each: _Waiting, seen: Observation, said: Judgement) -> Comparison:
        mutant = each.mutant
        blobs = mutant.seed.blobs(REAL_DELEGATES)
        before = Original(
            methods=self.original(mutant.seed),
            same_meaning=only_plan(mutant),
            changed_blob=any(blob not in each.program for blob in blobs),
        )
        return compare(seen, said, before)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A mutant that is not judged yet, and what is known to have been seen of it."""

    mutant: Mutant
    program: bytes
    data: tuple[bytes, ...]
    digest: str
    seen: Observation | None


def _unknown(
    mutants: Iterable[Mutant], memory: Memory | None, waiting: deque[_Waiting]
) -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
    """Queues mutants; yields the files of those that have to be run."""
    for mutant in mutants:
        try:
            program, data = mutant.files()
        except DoesNotApply:
            continue
        digest = digest_of(program, data)
        seen = memory.get(digest) if memory is not None else None
        waiting.append(_Waiting(mutant, program, data, digest, seen))
        if seen is None:
            yield program, data


def only_plan(mutant: Mutant) -> bool:
    """Whether nothing but places in memory was changed, so that results must not change.

    A tensor that shows another one's bytes, as views whose copies were elided do, is not merely
    moved: elsewhere it shows something else, which is another program.
    """
    edits = [each for each in mutant.edits if isinstance(each, FieldEdit) and not each.file]
    if len(edits) < len(mutant.edits) or any("planned in arena" in each.why for each in edits):
        return False
    changes = [change for each in edits for change in each.changes]
    if not all(_PLAN_PATH.search(path) and value is not None for path, value in changes):
        return False
    moved = [match for path, _ in changes if (match := _VALUE.match(path)) is not None]
    return not any(_shows_another(mutant.seed, int(m[1]), int(m[2])) for m in moved)


def _shows_another(seed: Seed, plan: int, v: int) -> bool:
    """Whether a tensor of a seed and another one at its place are one, as far as that is known."""
    program = seed.program.root
    assert isinstance(program, Program)
    method = Method(program, plan)
    if method.place(v) is None:
        return False
    alike = [u for u in method.tensors if u != v and method.place(u) == method.place(v)]
    return any(not method.writers(u) or not method.writers(v) for u in alike)


def run_chunks(
    bench: Bench, draw: Draw, starts: Iterable[int], log: Path, seen: Path, *, chunk: int = CHUNK
) -> Iterator[Tally]:
    """Runs chunks of mutants and appends an entry to the log for each; yields their counts.

    What the runtime did with a chunk is kept, and used where it is known already.

    Args:
        bench: What judges and runs.
        draw: Where mutants come from.
        starts: The first number of each chunk.
        log: A file of JSON lines.
        seen: A folder for what the runtime did.
        chunk: Mutants in a chunk.
    """
    for start in starts:
        tally = Tally()
        kept = []
        memory = Memory(seen / f"{start}.json.z")
        mutants = (draw.mutant(number) for number in range(start, start + chunk))
        for result in bench.results(mutants, memory):
            tally.add(result)
            if result.comparison.kind not in (Kind.AGREE_BAD, Kind.AGREE_OK):
                kept.append(result.record())
        memory.save()
        entry = {"start": start, **tally.record(), "results": kept}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        yield tally


def entries(log: Path) -> Iterator[dict[str, Any]]:
    """The entries of a log; one that was cut short by a stop is passed over."""
    if not log.is_file():
        return
    for line in log.read_text("utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
