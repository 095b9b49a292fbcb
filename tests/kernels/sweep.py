"""Sweeps over calls of every kernel whose checks are followed.

    python -m tests.kernels.sweep                    # some 40,000 calls
    python -m tests.kernels.sweep --whole --operator aten::cat.out
    python -m tests.kernels.sweep --whole --changed  # what is not as it was swept last

A whole sweep takes an operator in turn, and takes down in `swept.json` that it agrees as it is now.
Prints every difference between pte-lint and the runtime, then the counts; exits 1 for differences.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
from pte_lint.harness.wheel import find_wheel
from pte_lint.ops.checks.table import KNOWN
from tests.fuzz.comparison import Kind
from tests.kernels.cases import Case, Operators, at_edges, distinct, drawn, singles, whole
from tests.kernels.laws import keep, unswept
from tests.kernels.trial import REASONS, Trial, trials


def main(words: Sequence[str] | None = None) -> int:
    """Runs the sweep; returns the exit status."""
    words = sys.argv[1:] if words is None else words
    options = _parser().parse_args(words)
    wanted = options.operator or (unswept() if options.changed else None)
    counts: Counter[str] = Counter()
    operators: set[str] = set()
    started = time.monotonic()
    for cases in _parts(options, wanted):
        differing: set[str] = set()
        tried: set[str] = set()
        for trial in trials(cases):
            kind = kind_of(trial)
            counts[kind] += 1
            tried.add(trial.call.operator)
            if trial.is_difference:
                differing.add(trial.call.operator)
                print(described(trial), flush=True)
            if options.seconds and time.monotonic() - started > options.seconds:
                break
        else:
            operators |= tried
            if options.whole:
                keep(tried - differing)
            continue
        break
    record = {
        "runtime": f"executorch {find_wheel().version}",
        "command": "python -m tests.kernels.sweep "
        + " ".join(sys.argv[1:] if words is None else words),
        "operators": len(operators),
        "calls": sum(counts.values()),
        "counts": dict(sorted(counts.items())),
        "reasons": {name: REASONS[name] for name in sorted(counts) if name in REASONS},
        "seconds": round(time.monotonic() - started),
    }
    text = json.dumps(record, indent=2)
    print(text)
    if options.record:
        Path(options.record).write_text(text + "\n", encoding="utf-8")
    return 1 if any(kind in counts for kind in DIFFERENCES) else 0


DIFFERENCES = tuple(str(kind) for kind in Kind if kind.is_difference)


def kind_of(trial: Trial) -> str:
    """What a trial counts as: the reason it decides nothing, or how the two go together."""
    if trial.excuse is not None:
        return trial.excuse
    if trial.is_missed:
        return str(Kind.MISSED)
    comparison = trial.comparison
    return comparison.category if comparison.kind is Kind.INCONCLUSIVE else str(comparison.kind)


def described(trial: Trial) -> str:
    """A difference for readers."""
    comparison = trial.comparison
    logs = [each for each in comparison.logs if each[0] != "I" and "method.cpp" not in each]
    return (
        f"{kind_of(trial)}: {trial.label}\n    said: {comparison.said}\n    seen: {comparison.seen}"
        f"\n    call: {trial.call.args}\n    {' / '.join(logs[-2:])}"
    )


def _parts(options: argparse.Namespace, wanted: Operators) -> Iterator[Iterator[Case]]:
    """What is tried in turn: an operator each of a whole sweep, else all of it."""
    if options.whole:
        yield from (whole({operator}) for operator in wanted or sorted(KNOWN))
        return
    edges = at_edges(options.stride, options.first, wanted)
    if options.edges:
        yield distinct(edges)
        return
    changed = singles(options.stride, options.first, wanted)
    more = (
        case
        for case in drawn(options.seed, options.drawn)
        if wanted is None or case[1].operator in wanted
    )
    yield distinct(chain(changed, edges, more))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.kernels.sweep", description=__doc__)
    parser.add_argument("--stride", type=int, default=10, help="take every so many changes")
    parser.add_argument("--first", type=int, default=0, help="start with another change")
    parser.add_argument("--seed", type=int, default=1, help="of the calls with several changes")
    parser.add_argument("--drawn", type=int, default=10000, help="how many of those")
    parser.add_argument("--edges", action="store_true", help="only calls with things at an edge")
    parser.add_argument("--seconds", type=float, help="stop after that long")
    parser.add_argument("--operator", nargs="*", help="only these")
    parser.add_argument("--changed", action="store_true", help="only those not swept as they are")
    parser.add_argument("--whole", action="store_true", help="every change, and nothing drawn")
    parser.add_argument("--record", help="a file for the counts, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
