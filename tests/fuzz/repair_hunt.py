"""Edits and repairs mutants at random: whatever comes in, nothing invalid may come out.

    python -m tests.fuzz.repair_hunt --inputs 20000    # stop and start it as you like
    python -m tests.fuzz.repair_hunt --only 17 4711    # these again

Each input is repaired with options of its own, and edited at random. Demanded of a repair: no
exception, the source untouched, a file without violations, no error that the source did not have,
nothing left to do the second time, and on the runtime the same bytes from every method that ran.
Demanded of edits: `EditError`, or a file that decodes to exactly what the draft says. Failing
inputs are written into the log folder with what went wrong.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import json
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Program
from pte_lint.schema.writer.pieces import joined
from pte_lint.schema.writer.program_file import Source

from pte_lint.edits import calls, content, memory
from pte_lint.edits.draft import Draft, Edit
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.proof import VARIANTS, Shown, compared
from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.process import scratch_folder
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.device import Device
from tests.fuzz.crash_hunt import inputs
from tests.fuzz.repairs import Broken, check_repair
from tests.support.exact import exact

FOLDER = Path("build/fuzz/repairs")

#: Inputs between two entries in the log.
CHUNK = 100

#: Times that each input is edited.
EDITED = 2

#: As `prove` runs programs, but given up sooner.
OPTIONS = ProbeOptions(
    variants=VARIANTS, verification="full", describe=False, timeout=10.0, total_timeout=60.0
)

#: All kinds of edits.
EDITS: tuple[type[Any], ...] = tuple(
    each
    for module in (calls, content, memory)
    for each in vars(module).values()
    if isinstance(each, type) and each.__module__ == module.__name__ and hasattr(each, "apply")
)


def check_edits(program: bytes, rng: Random) -> str:
    """Makes random edits; returns what became of them.

    Raises:
        Broken: The file holds something else than the draft.
        Exception: Whatever the edits raise, but for `EditError`.
    """
    loaded = read_program(program)
    if loaded.container.kind is not Kind.PROGRAM or loaded.program is None or loaded.violations:
        return "no sound program"
    source, made = Source(loaded, program), list[Edit]()
    for _ in range(rng.randint(1, 8)):
        # An edit that does not fit may have been made in part: the draft is made anew.
        edits = [*made, random_edit(rng, loaded.program)]
        try:
            Draft(source).apply(edits)
        except EditError:
            continue
        made = edits
    while made:
        # Some fit the draft and not the file: what was dropped is still named.
        try:
            draft = Draft(source)
            draft.apply(made)
            wanted, pieces = draft.finish(), draft.pieces()
            break
        except EditError:
            made.pop()
    else:
        return "no edit fits"
    again = joined(pieces, program)
    read = read_program(again)
    if read.program is None or read.violations:
        raise Broken(f"an invalid file: {read.violations[:1]}")
    if _content(read.program, again) != _content(wanted, program):
        raise Broken("the file holds something else than the draft")
    return f"{len(made)} edits"


def _content(program: Program, buffer: bytes) -> Any:
    return exact(replace(program, segments=None), buffer)


def random_edit(rng: Random, program: Program) -> Edit:
    """An edit of any kind whose numbers are nearly all in range."""
    kind = rng.choice(EDITS)
    plan = rng.randrange(max(len(program.execution_plan or ()), 1))
    hints = get_type_hints(kind)
    given = {
        each.name: plan if each.name == "plan" else _drawn(rng, program, plan, each.name, hints)
        for each in fields(kind)
        if each.name != "is_safe"
    }
    edit: Edit = kind(**given)
    return edit


def _drawn(rng: Random, program: Program, plan: int, name: str, hints: dict[str, Any]) -> Any:
    if hints[name] is str:
        return rng.choice((H2D_COPY, D2H_COPY, "aten::sigmoid.out", "no dot"))
    if hints[name] is Device:
        return Device(rng.choice((0, 1)), rng.choice((0, 0, 1, -1)))
    if name == "dim_order":
        return tuple(rng.sample(range(4), rng.randrange(5)))
    if name == "offset":
        return 16 * rng.randrange(1 << rng.choice((4, 30, 40)))
    if name in ("size", "alignment"):
        return 1 << rng.randrange(12)
    count = _count(program, plan, name)
    # One in forty leads nowhere.
    index = rng.randrange(count) if count and rng.randrange(40) else rng.choice((-1, count))
    return index if hints[name] is int else (index,) * (3 if name == "args" else 1)


def _count(program: Program, plan: int, name: str) -> int:
    """How many there are of what a field of an edit names."""
    plans = program.execution_plan or ()
    method = plans[plan] if plans else None
    if name.startswith("segment"):
        return len(program.segments or ())
    if name in ("entry", "same_as"):
        table = program.constant_segment
        return len((table and table.offsets) or ()) or len(program.named_data or ())
    if method is None:
        return 0
    if name == "instruction":
        return sum(len(chain.instructions or ()) for chain in method.chains or ())
    lists = {
        "operators": method.operators,
        "delegates": method.delegates,
        "entries": method.non_const_buffer_device,
        "memory_id": method.non_const_buffer_sizes,
    }
    return len(lists.get(name, method.values) or ())


@dataclass(frozen=True)
class Pair:
    """A program and its repaired version, to be run."""

    number: int
    old: bytes
    new: bytes
    data: tuple[bytes, ...]
    undefined: frozenset[str]
    is_safe: bool


def hunt(
    stream: int, numbers: Sequence[int], folder: Path, *, run: bool = False
) -> tuple[Counter[str], list[str]]:
    """Puts inputs through both; returns counts, and what failed.

    Args:
        stream: Which inputs are drawn.
        numbers: Those of the stream to try.
        folder: Where failing inputs are kept.
        run: Whether what was repaired is run beside what it was.
    """
    counts: Counter[str] = Counter()
    failures: list[str] = []
    pairs: list[Pair] = []
    for number, (program, data) in zip(numbers, inputs(stream, numbers), strict=True):
        rng = Random(f"repair/{stream}/{number}")
        try:
            done = check_repair(program, data, rng)
            counts["repaired" if done.pieces is not None else "not repaired"] += 1
            for each in done.applied:
                counts[each.finding.rule] += 1
            if done.pieces is not None:
                is_safe = all(each.is_safe for each in done.applied)
                new = joined(done.pieces, program)
                pairs.append(Pair(number, program, new, data, done.undefined, is_safe))
            for _ in range(EDITED):
                counts[check_edits(program, rng)] += 1
        except Exception:
            failures.append(f"{number}: {_kept(folder, stream, number, program, data)}")
    for pair, wrong in run_pairs(pairs, counts) if run else ():
        told = f"{wrong.method}: {wrong.status} ({wrong.detail})"
        _keep(folder, f"{stream}-{pair.number}", pair.old, pair.data, told)
        failures.append(f"{pair.number}: {'safe' if pair.is_safe else 'unsafe'}: {told}")
    return counts, failures


def run_pairs(pairs: Sequence[Pair], counts: Counter[str]) -> Iterator[tuple[Pair, Shown]]:
    """Runs pairs; yields what the repair changed of what a method does."""
    with scratch_folder() as folder:
        items = []
        for pair in pairs:
            files = [folder / f"{pair.number}-{n}.ptd" for n in range(len(pair.data))]
            for file, content in zip(files, pair.data, strict=True):
                file.write_bytes(content)
            items += [BatchItem(each, tuple(files)) for each in (pair.old, pair.new)]
        runs = run_batch(items, options=OPTIONS)
        for pair, first, second in zip(pairs, runs, runs, strict=False):
            for shown in compared(first, second, pair.undefined):
                kind = "safe" if pair.is_safe else "unsafe"
                counts[f"{kind} repair of a method: {shown.status}"] += 1
                if shown.is_wrong:
                    yield pair, shown


def _kept(folder: Path, stream: int, number: int, program: bytes, data: Sequence[bytes]) -> str:
    """Keeps the input that an exception came from; returns what it says."""
    said = traceback.format_exc()
    _keep(folder, f"{stream}-{number}", program, data, said)
    return said.splitlines()[-1]


def _keep(folder: Path, name: str, program: bytes, data: Sequence[bytes], said: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.pte").write_bytes(program)
    for n, each in enumerate(data):
        (folder / f"{name}-{n}.ptd").write_bytes(each)
    (folder / f"{name}.txt").write_text(said, "utf-8")


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--only", type=int, nargs="*", help="these numbers again, not logged")
    parser.add_argument("--stream", type=int, default=300)
    parser.add_argument("--log", type=Path, default=FOLDER)
    options = parser.parse_args()
    if options.only:
        counts, failures = hunt(options.stream, options.only, options.log, run=True)
    else:
        counts, failures = long_run(options)
    for what, count in sorted(counts.items()):
        print(f"{count:8d} {what}")
    print("\n".join(failures) or "no failures")
    return 1 if failures else 0


def long_run(options: argparse.Namespace) -> tuple[Counter[str], list[str]]:
    """Goes on where the log ends; returns the counts and failures of all of it."""
    options.log.mkdir(parents=True, exist_ok=True)
    path = options.log / f"stream-{options.stream}.jsonl"
    path.touch()
    entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    first = sum(each["inputs"] for each in entries)
    with path.open("a", encoding="utf-8") as log:
        for start in range(first, options.inputs, CHUNK):
            numbers = range(start, min(start + CHUNK, options.inputs))
            counts, failures = hunt(options.stream, numbers, options.log, run=True)
            entries.append({"inputs": len(numbers), "counts": counts, "failures": failures})
            log.write(json.dumps(entries[-1]) + "\n")
            log.flush()
    total: Counter[str] = Counter()
    for each in entries:
        total.update(each["counts"])
    return total, [said for each in entries for said in each["failures"]]


if __name__ == "__main__":
    sys.exit(main())
