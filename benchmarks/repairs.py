"""What repairs make of the findings of real files, each proven on the real runtime.

    python -m benchmarks.repairs                               # tests/data
    PTE_LINT_CORPUS=FOLDER python -m benchmarks.repairs        # and the files of a folder

Every program with a finding that can be repaired is repaired, unsafe repairs included, and both
versions are run. Printed are counts, each finding that stays with the reason, and each method that
does not do what it should: it must give the same bytes where it ran, unless its results were
garbage.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
from pte_lint.fix.fixers import load_fixers
from pte_lint.fix.placing import place
from pte_lint.fix.proof import Shown, prove
from pte_lint.fix.repair import repair
from pte_lint.fix.repaired import Repair
from pte_lint.harness.running import program_of
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.rulebook.registry import load_rules
from tests.support.rewriting import Program, programs, roots

FIXERS = load_fixers(isolated=True)
SETTINGS = Settings(rules=load_rules(isolated=True))


def repaired(program: Program, folder: Path) -> Iterator[tuple[Repair, list[Shown]]]:
    """A program's repair with what running both versions showed, if it has anything to repair."""
    with Session(SETTINGS) as session:
        data, artifact = session.data(program.data), session.artifact(program.path)
        done = repair(artifact, SETTINGS, FIXERS, data, unsafe=True)
        if not any(f.rule in FIXERS for f in done.before.findings):
            return
        if done.pieces is None:
            yield done, []
            return
        new = folder / "new.pte"
        place(done.pieces, artifact.buffer, program.path, new)
        old, new = program_of(program.path, folder / "o.pte"), program_of(new, folder / "n.pte")
        yield done, prove(old, new, program.data, done.undefined)


def main() -> int:
    """Runs the command and returns its exit code."""
    counts: Counter[str] = Counter()
    is_wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for root in roots().values():
            for program in programs(root):
                for done, shown in repaired(program, Path(folder)):
                    counts["programs with such findings"] += 1
                    counts["findings undone"] += len(done.applied)
                    for left in done.left:
                        if left.finding.rule in FIXERS:
                            counts["findings left"] += 1
                            print(f"{program.name}: left {left.finding.rule}: {left.why}")
                    for each in shown:
                        counts[f"methods: {each.status}"] += 1
                        if each.is_wrong or each.status == "fails still":
                            print(f"{program.name}: {each.method}: {each.status} ({each.detail})")
                        is_wrong = is_wrong or each.is_wrong
    for what, count in counts.items():
        print(f"{count:6d} {what}")
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
