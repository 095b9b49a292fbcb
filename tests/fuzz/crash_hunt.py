"""Hunts for inputs that break pte-lint itself: tracebacks, hangs, memory.

    python -m tests.fuzz.crash_hunt --inputs 20000      # stop and start it as you like
    python -m tests.fuzz.crash_hunt --files FOLDER      # the files of a folder
    python -m tests.fuzz.robustness                     # the page about it

Each input goes through everything that pte-lint does with a file (`tests.fuzz.exercise`), a sample
also through the commands themselves (`tests.fuzz.commands`), and some of that through `confirm`;
`tests.fuzz.reader_hunt` does the reader alone, and more inputs. Time is the processor's, so that
other programs do not count. Each failing input is written into the log folder with its traceback;
put a small one into `tests/fuzz/regressions`, where a test takes it from.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import gc
import hashlib
import json
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType

from tests.fuzz.commands import every_command
from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply
from tests.fuzz.exercise import exercise
from tests.fuzz.garbage import garbage
from tests.fuzz.seeds import all_seeds
from tests.fuzz.sharing import sharing_program

FOLDER = Path("build/fuzz/crashes")
STREAM = 100

#: Address space of the process.
MEMORY = 1536 << 20

#: Seconds of the processor for one input of at most a megabyte.
SECONDS = 10.0

#: Inputs between two entries in the log.
CHUNK = 250

#: One input of so many is given to the commands, and one of so many to the runtime.
COMMANDS_EVERY = 50
CONFIRM_EVERY = 500

#: Of a hundred inputs, so many have nothing to do with a program.
_GARBAGE_SHARE = 12

#: One input of so many refers to the same tables again and again.
_SHARING_EVERY = 200

Input = tuple[bytes, tuple[bytes, ...]]


class TooSlow(Exception):
    """The time for one input is over."""


@dataclass
class Tally:
    """Counts over inputs.

    Attributes:
        inputs: How many went through.
        nbytes: Their bytes together, data files included.
        seconds: Processor time.
        slowest: Most processor seconds for one input.
        rss_kib: Resident memory of the process at the end.
        peak_kib: The most it ever was.
        failures: Inputs that raised something, or took too long.
        commanded: Those that were given to every command, too.
        confirmed: Those of them that were run.
    """

    inputs: int = 0
    nbytes: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    rss_kib: int = 0
    peak_kib: int = 0
    failures: int = 0
    commanded: int = 0
    confirmed: int = 0


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=0, help="mutants and garbage")
    parser.add_argument("--files", type=Path, help="a folder of files, instead")
    parser.add_argument("--stream", type=int, default=STREAM)
    parser.add_argument("--log", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.log.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _stop)
    if options.files is not None:
        tally = hunt(_files(options.files), options.log)
        print(f"{tally.inputs} files, {tally.failures} failures, slowest {tally.slowest:.1f} s")
        return 1 if tally.failures else 0
    return _long_run(options)


def _long_run(options: argparse.Namespace) -> int:
    path = options.log / f"stream-{options.stream}.jsonl"
    done = 0
    if path.exists():
        done = sum(json.loads(line)["inputs"] for line in path.read_text("utf-8").splitlines())
    stream = inputs(options.stream, range(done, options.inputs))
    # Looking for garbage among the rules and the seeds again and again takes its time.
    gc.set_threshold(20_000, 10, 10)
    failures = 0
    with path.open("a", encoding="utf-8") as log:
        while (tally := hunt(islice(stream, CHUNK), options.log, done)).inputs:
            done += tally.inputs
            log.write(json.dumps(vars(tally)) + "\n")
            log.flush()
            failures += tally.failures
    print(f"{failures} failures" + (f", in {options.log}" if failures else ""))
    return 1 if failures else 0


def inputs(stream: int, numbers: Sequence[int]) -> Iterator[Input]:
    """Mutants and garbage, by number."""
    seeds = all_seeds()
    draw = Draw(seeds, stream)
    draw.prepare()
    for number in numbers:
        rng = Random(f"hunt/{stream}/{number}")
        if number % _SHARING_EVERY == _SHARING_EVERY - 1:
            yield sharing_program(rng, most=600), ()
        elif rng.randrange(100) < _GARBAGE_SHARE:
            yield garbage(rng, seeds), ()
        else:
            try:
                yield draw.mutant(number).files()
            except DoesNotApply:
                yield garbage(rng, seeds), ()


def _files(folder: Path) -> Iterator[Input]:
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        print(path, flush=True)
        data = sorted(path.parent.glob(f"{path.stem}*.ptd")) if path.suffix == ".pte" else ()
        yield path.read_bytes(), tuple(each.read_bytes() for each in data)


def hunt(stream: Iterable[Input], folder: Path, first: int = 1) -> Tally:
    """Puts inputs through everything, the first of them by its number; writes down what fails."""
    tally = Tally()
    for number, (program, data) in enumerate(stream, first):
        tally.inputs += 1
        tally.nbytes += len(program) + sum(map(len, data))
        began = time.thread_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS * max(1.0, len(program) / (1 << 20)))
        try:
            exercise(program, data)
            if number % COMMANDS_EVERY == 0:
                confirm = number % CONFIRM_EVERY == 0
                tally.commanded, tally.confirmed = tally.commanded + 1, tally.confirmed + confirm
                every_command(program, data, confirm=confirm)
        except Exception:
            tally.failures += 1
            _keep(folder, program, data, traceback.format_exc())
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.thread_time() - began
        tally.seconds += seconds
        tally.slowest = max(tally.slowest, seconds)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    tally.rss_kib = pages * resource.getpagesize() // 1024
    tally.peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return tally


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
