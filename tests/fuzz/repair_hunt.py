"""Edits and repairs mutants at random: whatever comes in, nothing invalid may come out.

    python -m tests.fuzz.repair_hunt --inputs 20000 --stream 3

Each input is repaired with options of its own, and edited at random. Demanded of a repair: no
exception, the source untouched, a file without violations, no error that the source did not have,
and nothing left to do the second time. Demanded of edits: `EditError`, or a file that decodes to
exactly what the draft says. Failing inputs are written into the log folder with what went wrong.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
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
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.device import Device
from tests.fuzz.crash_hunt import inputs
from tests.fuzz.repairs import Broken, check_repair
from tests.support.exact import exact

FOLDER = Path("build/fuzz/repairs")

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
    wanted = pieces = None
    for _ in range(rng.randint(1, 8)):
        # An edit that does not fit may have been made in part: the draft is made anew.
        edits = [*made, random_edit(rng, loaded.program)]
        try:
            draft = Draft(source)
            draft.apply(edits)
            wanted, pieces = draft.finish(), draft.pieces()
        except EditError:
            continue
        made = edits
    if wanted is None or pieces is None:
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


def hunt(stream: int, numbers: Sequence[int], folder: Path) -> tuple[Counter[str], list[str]]:
    """Puts inputs through both; returns counts, and what failed.

    Args:
        stream: Which inputs are drawn.
        numbers: Those of the stream to try.
        folder: Where failing inputs are kept.
    """
    counts: Counter[str] = Counter()
    failures = []
    for number, (program, data) in zip(numbers, inputs(stream, numbers), strict=True):
        rng = Random(f"repair/{stream}/{number}")
        try:
            done = check_repair(program, data, rng)
            counts["repaired" if done.pieces is not None else "not repaired"] += 1
            for each in done.applied:
                counts[each.finding.rule] += 1
            for _ in range(4):
                counts[check_edits(program, rng)] += 1
        except Exception:
            said = traceback.format_exc()
            failures.append(f"{number}: {said.splitlines()[-1]}")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{stream}-{number}.pte").write_bytes(program)
            for n, each in enumerate(data):
                (folder / f"{stream}-{number}-{n}.ptd").write_bytes(each)
            (folder / f"{stream}-{number}.txt").write_text(said, "utf-8")
    return counts, failures


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--stream", type=int, default=300)
    parser.add_argument("--log", type=Path, default=FOLDER)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.inputs)
    counts, failures = hunt(options.stream, numbers, options.log)
    for what, count in sorted(counts.items()):
        print(f"{count:8d} {what}")
    print("\n".join(failures) or "no failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
