"""Makes small changes of the product and tells which of them no test notices.

    scripts/mutate --record [PYTEST ARGUMENT...]  # which test runs which line, once (minutes)
    scripts/mutate --count 600 --seed 7           # a sample of all packages
    scripts/mutate --count 200 rules/memory       # of some files or folders
    scripts/mutate --again                        # once more what survived
    scripts/mutate --report                       # what is known so far

What was tried already is not tried again: a run that was stopped goes on. Results are in
`build/mutation/results.jsonl`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.mutation import tree
from tests.mutation.changes import Mutant, sample
from tests.mutation.places import PACKAGES, ROOT, sources
from tests.mutation.relevance import CoverageMap
from tests.mutation.results import Results, report
from tests.mutation.trial import Ending, Trials


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="run pytest and write the map")
    parser.add_argument("--report", action="store_true", help="only tell what is known")
    parser.add_argument("--again", action="store_true", help="try again what survived")
    parser.add_argument("--count", type=int, default=200, help="how many changes (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (%(default)s)")
    budget = "CPU that a change's tests may take unchanged (%(default)s)"
    parser.add_argument("--budget", type=float, default=10.0, metavar="SECONDS", help=budget)
    parser.add_argument("--processes", type=int, default=2, help="at once (%(default)s)")
    parser.add_argument("--name", default="results", help="of the results (%(default)s)")
    options, named = parser.parse_known_args()
    if options.record:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutation.recorder", *named]
        return subprocess.run(command, cwd=ROOT).returncode
    results = Results(options.name)
    if not options.report:
        texts = {file: (ROOT / file).read_bytes() for file in sources(tuple(named) or PACKAGES)}
        drawn = sample(texts, options.count, options.seed)
        known = results.endings()
        wanted = [m for m in drawn if m.key not in known] if not options.again else [
            m for m in drawn if known.get(m.key, "") == "survived"]  # fmt: skip
        _try(wanted, options.budget, options.processes, results)
    print(report(results))
    return 0


def _try(wanted: Sequence[Mutant], budget: float, processes: int, results: Results) -> None:
    """Tries changes: in processes that share what is imported, or else in a copy."""
    known = CoverageMap()
    asked = {mutant: known.chosen(mutant, budget) for mutant in wanted}
    shared = [(mutant, tests) for mutant, tests in asked.items() if known.is_seen(mutant)]
    left = [mutant for mutant in wanted if not known.is_seen(mutant)]

    def done(mutant: Mutant, ending: Ending) -> None:
        if ending.status == "elsewhere":
            left.append(mutant)
            return
        results.add(mutant, ending)
        print(f"{ending.status:8} {mutant.file}:{mutant.line} {mutant.kind}", flush=True)

    files = sorted({name.partition("::")[0] for _, tests in shared for name, _ in tests})
    if files:
        trials = Trials(shared, done, processes)
        pytest.main(["-q", "-q", "-p", "no:cacheprovider", *files], plugins=[trials])
    if left:
        tree.prepare()
    for mutant in left:
        done(mutant, tree.attempt(mutant, asked[mutant]) if asked[mutant] else Ending("survived"))


if __name__ == "__main__":
    sys.exit(main())
