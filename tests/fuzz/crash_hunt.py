"""Hunts for inputs that break pte-lint itself: tracebacks, hangs, memory.

    python -m tests.fuzz.crash_hunt --inputs 100000     # check, inspect, diff, every format
    python -m tests.fuzz.crash_hunt --reader 1000000    # the reader alone

Each failing input is written into the log folder with its traceback; put a small one into
`tests/fuzz/regressions`, where a test takes it from.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import hashlib
import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import FrameType

from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply
from tests.fuzz.exercise import exercise, read_alone
from tests.fuzz.garbage import garbage
from tests.fuzz.seeds import all_seeds

#: Address space of a worker.
MEMORY = 1536 << 20

#: Seconds for one input of at most a megabyte.
SECONDS = 10.0

#: Of a hundred inputs, so many have nothing to do with a program.
_GARBAGE_SHARE = 12

_Input = tuple[bytes, tuple[bytes, ...]]


class TooSlow(Exception):
    """The time for one input is over."""


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=0, help="inputs for everything")
    parser.add_argument("--reader", type=int, default=0, help="inputs for the reader alone")
    parser.add_argument("--stream", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--log", type=Path, default=Path("build/fuzz/crashes"))
    options = parser.parse_args()
    options.log.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(options.processes) as pool:
        jobs = [(options, number) for number in range(options.processes)]
        failures = sum(pool.starmap(_work, jobs))
    print(f"{options.inputs} inputs through everything, {options.reader} through the reader")
    print(f"{failures} failures" + (f", in {options.log}" if failures else ""))
    return 1 if failures else 0


def _work(options: argparse.Namespace, number: int) -> int:
    failures = 0
    for count, job in ((options.inputs, exercise), (options.reader, read_alone)):
        numbers = range(number, count, options.processes)
        failures += hunt(inputs(options.stream, numbers), job, options.log)
    return failures


def inputs(stream: int, numbers: Sequence[int]) -> Iterator[_Input]:
    """Mutants and garbage, by number."""
    seeds = all_seeds()
    draw = Draw(seeds, stream)
    for number in numbers:
        rng = Random(f"hunt/{stream}/{number}")
        if rng.randrange(100) < _GARBAGE_SHARE:
            yield garbage(rng, seeds), ()
            continue
        try:
            yield draw.mutant(number).files()
        except DoesNotApply:
            yield garbage(rng, seeds), ()


def hunt(
    stream: Iterator[_Input], job: Callable[[bytes, Sequence[bytes]], None], folder: Path
) -> int:
    """Puts inputs through a job under limits; writes down those that fail, returns how many."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGALRM, _stop)
    failures, began = 0, time.monotonic()
    for done, (program, data) in enumerate(stream, 1):
        signal.setitimer(signal.ITIMER_REAL, SECONDS * max(1.0, len(program) / (1 << 20)))
        try:
            job(program, data)
        except Exception:
            failures += 1
            _keep(folder, program, data, traceback.format_exc())
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if done % 20_000 == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            rate = done / (time.monotonic() - began)
            print(f"{done} inputs, {rate:.0f}/s, peak {peak} MiB, {failures} failures", flush=True)
    return failures


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlow


def _keep(folder: Path, program: bytes, data: Sequence[bytes], text: str) -> None:
    name = hashlib.sha256(program).hexdigest()[:12]
    (folder / f"{name}.pte").write_bytes(program)
    for index, content in enumerate(data):
        (folder / f"{name}-{index}.ptd").write_bytes(content)
    (folder / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
