"""Fuzzes pte-lint against the real runtime.

python -m tests.fuzz --mutants 100000              # a long run; stop and start it as you like
python -m tests.fuzz --mutants 100000 --again      # judge it anew; the runtime is not run again
python -m tests.fuzz --mutants 100000 --dynamic    # half of the programs with bounded sizes
python -m tests.fuzz --recheck                     # judge only those anew that differed
python -m tests.fuzz --show 312                    # one mutant, shrunk, with its file
python -m tests.fuzz --report docs/agreement.md    # the page about a run
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from itertools import groupby
from pathlib import Path

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
from tests.fuzz.campaign import CHUNK, Bench, Tally, entries, run_chunks
from tests.fuzz.draw import Draw
from tests.fuzz.memory import Memory
from tests.fuzz.page import agreement_json, agreement_page
from tests.fuzz.seeds import GENERATED, all_seeds, dynamic_twins, seeds_of
from tests.fuzz.shrink import same_difference, shrunk
from tests.fuzz.subject import Seed


def main() -> int:
    """Runs the command and returns its exit code."""
    options = _options()
    if options.show is not None:
        return _show(options)
    if options.recheck:
        return _recheck(options)
    if options.report is None:
        _run(options)
    total = Tally()
    results, drawn = [], 0
    for path in _logs(options):
        for entry in entries(path):
            total.merge(entry)
            drawn = max(drawn, entry["start"] + CHUNK)
            results += entry["results"]
    if options.report is not None:
        dynamic = " --dynamic" if options.dynamic else ""
        command = f"python -m tests.fuzz{dynamic} --stream {options.stream} --mutants {drawn}"
        options.report.write_text(agreement_page(total, results, command, options.remark), "utf-8")
        options.report.with_suffix(".json").write_text(agreement_json(total, results), "utf-8")
    for kind, count in total.kinds.most_common():
        print(f"{count:8} {kind}")
    print(f"{total.mutants:8} mutants, {len(total.digests)} distinct, {total.parsed} parse")
    return 0 if not any(each["kind"] in _DIFFERENCES for each in results) else 1


_DIFFERENCES = ("rule failed", "missed", "false alarm", "other stage or error")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--stream", type=int, default=1, help="other numbers, other mutants")
    parser.add_argument("--generated", type=int, default=GENERATED, help="generated seeds")
    parser.add_argument("--seeds", type=Path, help="a folder of programs to change instead")
    parser.add_argument(
        "--dynamic", action="store_true", help="each program a second time, with bounded sizes"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--log", type=Path, default=Path("build/fuzz"), help="folder of the logs")
    parser.add_argument("--show", type=int, help="a mutant's number")
    parser.add_argument("--again", action="store_true", help="judge a run anew from the start")
    parser.add_argument("--recheck", action="store_true", help="judge those anew that differed")
    parser.add_argument("--report", type=Path, help="where to write the page about the run")
    parser.add_argument("--remark", default="", help="a sentence about the run, for the page")
    return parser.parse_args()


def _seeds(options: argparse.Namespace) -> list[Seed]:
    seeds = all_seeds(options.generated) if options.seeds is None else seeds_of(options.seeds)
    return [*seeds, *dynamic_twins(seeds)] if options.dynamic else seeds


def _logs(options: argparse.Namespace) -> list[Path]:
    return sorted(options.log.glob(f"stream{options.stream}-*.jsonl"))


def _run(options: argparse.Namespace) -> None:
    options.log.mkdir(parents=True, exist_ok=True)
    if options.again:
        for path in _logs(options):
            path.unlink()
    done = {entry["start"] for path in _logs(options) for entry in entries(path)}
    starts = [n for n in range(0, options.mutants, CHUNK) if n not in done]
    processes = [
        multiprocessing.Process(
            target=_work, args=(options, number, starts[number :: options.processes])
        )
        for number in range(options.processes)
    ]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    if any(each.exitcode for each in processes):
        sys.exit("a worker failed")


def _work(options: argparse.Namespace, number: int, starts: list[int]) -> None:
    seeds = _seeds(options)
    bench, draw = Bench(seeds), Draw(seeds, options.stream)
    log = options.log / f"stream{options.stream}-{number}.jsonl"
    began = time.monotonic()
    for count, tally in enumerate(run_chunks(bench, draw, starts, log, _seen(options)), 1):
        rate = CHUNK * count / (time.monotonic() - began)
        kinds = ", ".join(f"{kind} {n}" for kind, n in tally.kinds.most_common())
        print(f"[{number}] chunk {count}/{len(starts)}, {rate:.0f}/s: {kinds}", flush=True)


def _seen(options: argparse.Namespace) -> Path:
    return Path(options.log / f"stream{options.stream}-seen")


def _recheck(options: argparse.Namespace) -> int:
    """Judges what differed anew, with what the runtime was seen to do with it."""
    logged = [
        result for path in _logs(options) for each in entries(path) for result in each["results"]
    ]
    differed = {each["number"]: each for each in logged if each["kind"] in _DIFFERENCES}
    seeds = _seeds(options)
    bench, draw = Bench(seeds), Draw(seeds, options.stream)
    still = 0
    for start, some in groupby(sorted(differed), lambda number: number // CHUNK * CHUNK):
        memory = Memory(_seen(options) / f"{start}.json.z")
        for result in bench.results(map(draw.mutant, some), memory):
            found, mutant = result.comparison, result.mutant
            is_same = [str(each) for each in mutant.edits] == differed[mutant.number]["edits"]
            still += found.kind.is_difference or not is_same
            words = f"{found.kind}: {found.category}" if is_same else "drawn otherwise by now"
            print(f"{mutant.number:7} {words}")
    print(f"{still} of {len(differed)} still differ")
    return 1 if still else 0


def _show(options: argparse.Namespace) -> int:
    seeds = _seeds(options)
    mutant = Draw(seeds, options.stream).mutant(options.show)
    bench = Bench([mutant.seed])
    (result,) = bench.results([mutant])
    small = shrunk(mutant, same_difference(bench, result.comparison))
    program, data = small.files()
    folder = options.log / f"mutant-{options.stream}-{options.show}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mutant.pte").write_bytes(program)
    for index, content in enumerate(data):
        (folder / f"mutant-{index}.ptd").write_bytes(content)
    found = result.comparison
    print(f"{found.kind}: {found.category} ({found.level}, method {found.method})")
    print(f"seed  {mutant.seed.name}")
    for edit in small.edits:
        print(f"edit  {edit}")
    print(f"said  {found.said}\nseen  {found.seen}\nfile  {folder / 'mutant.pte'}")
    for line in found.logs:
        print(f"log   {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
