"""What planning memory again saves, model by model, against the least that any plan needs.

    python benchmarks/replan_models.py FOLDER        # exports models; needs PyTorch
    python -m benchmarks.replan FOLDER               # prints the table
    python -m benchmarks.replan FOLDER --docs docs/fix.md    # and puts it there

Each replanned program is run beside the exporter's on the real runtime.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.intervals import CannotPlan
from pte_lint.fix.placing import place
from pte_lint.fix.planner import plan_again
from pte_lint.fix.proof import prove
from pte_lint.fix.repair import repair
from pte_lint.judging.engine import Settings

MARKS = "<!-- savings: begin -->", "<!-- savings: end -->"


@dataclass
class Saving:
    """One program: planned bytes of all its arenas.

    Attributes:
        before: In the exporter's plan.
        after: In ours.
        bound: What no plan can do without.
        planned: Whether its memory could be planned at all.
        shown: What the runs of both showed.
    """

    before: int
    after: int
    bound: int
    planned: bool
    shown: str


def measure(path: Path) -> Saving:
    """Plans one program again and runs both versions."""
    before = after = bound = 0
    planned = True
    with open_artifact(path) as artifact:
        for method in open_context(artifact, Target(), [], {}).methods:
            mine: dict[int, tuple[int, int]] = {}
            try:
                mine = {p.memory_id: (p.after, p.bound) for p in plan_again(method)}
            except CannotPlan:
                planned = False
            for memory_id, arena in method.arenas.items():
                size = max(arena.size, 0)
                new, least = mine.get(memory_id, (size, size))
                before, after, bound = before + size, after + min(new, size), bound + least
        done = repair(artifact, Settings(rules=[]), {}, plan_memory=True)
        if sum(m.after - m.before for m in done.memory) != after - before:
            raise AssertionError(f"{path}: the repaired program is not as planned")
        if done.pieces is None:
            return Saving(before, after, bound, planned, "same")
        with tempfile.TemporaryDirectory() as folder:
            new_path = Path(folder) / "new.pte"
            place(done.pieces, artifact.buffer, path, new_path)
            statuses = {each.status for each in prove(path, new_path)}
    return Saving(before, after, bound, planned, ", ".join(sorted(statuses)))


def table(folder: Path) -> Iterator[str]:
    """The table's lines, one a kind of model."""
    kinds: dict[str, list[Saving]] = {}
    for path in sorted(folder.glob("*.pte")):
        kind = path.name.split(".", maxsplit=1)[0].replace("-", ", ").replace("_", " ")
        kinds.setdefault(kind, []).append(measure(path))
    yield "| Models | Number | Exporter's bytes | Ours | Bound | Smaller | Outputs |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for kind, savings in [*kinds.items(), ("all", [s for each in kinds.values() for s in each])]:
        before, after, bound = (sum(getattr(s, n) for s in savings) for n in _SUMS)
        smaller = sum(s.after < s.before for s in savings)
        shown = sorted({s.shown for s in savings} - {"same"})
        left = sum(not s.planned for s in savings)
        note = ", ".join([*shown, *([f"{left} not planned"] if left else [])]) or "the same plan"
        yield (f"| {kind} | {len(savings)} | {before} | {after} | {bound} | {smaller} | {note} |")


_SUMS = "before", "after", "bound"


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docs", type=Path, help="the page to put the table into")
    options = parser.parse_args()
    lines = list(table(options.folder))
    print("\n".join(lines))
    if options.docs is not None:
        start, end = MARKS
        text = "\n".join([start, *lines, end])
        page = options.docs.read_text("utf-8")
        pattern = re.escape(start) + ".*?" + re.escape(end)
        options.docs.write_text(re.sub(pattern, lambda _: text, page, flags=re.S), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
