"""Compares the reader with the real runtime on many damaged programs.

    python scripts/fuzz_reader.py [--seed N] [--count N] [--keep FOLDER]

Each program is an exported one with one to three edits in its flatbuffer, loaded under full
verification. The reader says first what will stop the load, if anything. Disagreements are
printed, and the programs kept where asked; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from pte_lint.harness.batch import run_batch
from tests.schema.full_verification import observed, predicted
from tests.schema.test_runtime_agreement import damaged_programs


def main() -> int:
    """Runs the comparison; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="folder for programs that disagree")
    options = parser.parse_args()
    programs = list(damaged_programs(options.seed, options.count))
    agreed: Counter[str] = Counter()
    disagreed = 0
    for number, run in enumerate(run_batch(programs, methods=("none of these",))):
        expected, seen = predicted(programs[number]), observed(run.program)
        if expected == seen:
            agreed[seen] += 1
            continue
        disagreed += 1
        print(f"{number}: expected {expected}, the runtime says {seen}: {run.program.logs[-2:]}")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            path = options.keep / f"{options.seed}-{number}.pte"
            path.write_bytes(programs[number])
    print(", ".join(f"{count} {what}" for what, count in sorted(agreed.items())))
    print(f"{disagreed} of {len(programs)} disagree")
    return 1 if disagreed else 0


if __name__ == "__main__":
    sys.exit(main())
