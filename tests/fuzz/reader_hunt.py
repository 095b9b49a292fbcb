"""Reads very many inputs with the reader alone, and holds it to its limits.

    python -m tests.fuzz.reader_hunt --inputs 1000000    # stop and start it as you like
    python -m tests.fuzz.reader_hunt --part 1/3 --inputs 1000000    # every third chunk
    python -m tests.fuzz.robustness                      # the page about it

Limits: no exception, no more than a second for each megabyte (and for less), no more memory than
50 MB and ten times the input. Time is the processor's, so that other programs do not count. Memory
is measured input by input on a sample, in a child each, and for the process as a whole. The sample
is also read with budgets so small that many run out: a reader that does not say so must have read
all that it reads without. Inputs that break a limit are kept in the log folder.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import gc
import hashlib
import json
import os
import resource
import signal
import struct
import sys
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from pte_lint.schema import limits
from pte_lint.schema.blob.registry import built_in
from pte_lint.schema.container import Kind
from pte_lint.schema.delegates import describe_blob, read_library
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.program import Span
from pte_lint.schema.violations import Violation, is_exhausted

from tests.fuzz.reader_inputs import LARGE_EVERY, ReaderInput, ReaderInputs
from tests.fuzz.seeds import all_seeds

FOLDER = Path("build/fuzz/reader")
STREAM = 200

#: Inputs between two entries in the log.
CHUNK = 2000

#: One input of so many has its memory measured; so have all large ones.
SAMPLE_EVERY = 50

#: Bytes that reading may take beside ten times the input.
FREE_BYTES = 50 * 10**6
TIMES_INPUT = 10

#: Seconds for a megabyte, and for whatever is smaller.
SECONDS = 1.0

#: Seconds of the processor after which an input is given up, memory measured or not.
_PATIENCE = 30.0

BACKENDS = built_in()


class HangsError(Exception):
    """The time for one input is over."""


@dataclass
class Tally:
    """Counts over inputs.

    Attributes:
        inputs: How many were read.
        nbytes: Their bytes together.
        families: How many of each family.
        read_as: What they were taken for, and whether something was wrong with it.
        seconds: Processor time of reading.
        slowest: Most processor seconds for one input.
        slowest_per_mb: Most seconds for a megabyte, of large inputs.
        measured: Inputs whose memory was measured.
        most_bytes: Most memory one of them took.
        closest: Largest part of its limit that one of them took.
        cut: Inputs of those that were read with small budgets too.
        ran_out: Those of them for which the budgets were too small.
        rss_kib: Resident memory of the process at the end of the chunk.
        peak_kib: The most it ever was.
        failures: Inputs that broke a limit.
    """

    inputs: int = 0
    nbytes: int = 0
    families: Counter[str] = field(default_factory=Counter)
    read_as: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_per_mb: float = 0.0
    measured: int = 0
    most_bytes: int = 0
    closest: float = 0.0
    cut: int = 0
    ran_out: int = 0
    rss_kib: int = 0
    peak_kib: int = 0
    failures: int = 0

    def record(self) -> dict[str, Any]:
        """The counts as a log entry."""
        counts = {"families": dict(self.families), "read_as": dict(self.read_as)}
        return {**vars(self), **counts}

    def merge(self, record: dict[str, Any]) -> None:
        """Adds a log entry."""
        for name in ("inputs", "nbytes", "seconds", "measured", "cut", "ran_out", "failures"):
            setattr(self, name, getattr(self, name) + record[name])
        for name in ("slowest", "slowest_per_mb", "most_bytes", "closest", "peak_kib"):
            setattr(self, name, max(getattr(self, name), record[name]))
        self.families.update(record["families"])
        self.read_as.update(record["read_as"])
        self.rss_kib = record["rss_kib"]


def read(given: ReaderInput) -> str:
    """Puts an input through the reader; returns what it was taken for.

    Each of the three formats is asked for, whatever the input calls itself; the head of an input
    may say one thing, and the caller expect another.
    """
    content = given.content
    if given.is_blob:
        span = Span(0, len(content))
        found = [describe_blob(each, content, span).format for each in BACKENDS]
        read_library(content, span)
        return "a delegate's blob" if any(found) else "no known blob"
    program = read_program(content)
    data = read_flat_tensor(content)
    bundle = read_bundled_program(content)
    kind = program.container.kind
    read_as = {
        Kind.PROGRAM: (program.program, program.violations),
        Kind.FLAT_TENSOR: (data.flat_tensor, data.violations),
        Kind.BUNDLED_PROGRAM: (bundle.bundle, bundle.violations),
    }.get(kind)
    if read_as is None:
        return "none of the formats"
    root, violations = read_as
    if root is None:
        return f"{kind}, root not readable"
    return f"{kind}, {'with violations' if violations else 'sound'}"


class Hunt:
    """One run over a stream of inputs."""

    def __init__(self, stream: int, folder: Path) -> None:
        """Prepares a run; failing inputs go into `folder`."""
        self._inputs = ReaderInputs(all_seeds(), stream)
        self._folder = folder
        signal.signal(signal.SIGPROF, _stop)
        # The seeds are no garbage, and looking through them again and again takes its time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)

    def chunk(self, first: int, last: int) -> tuple[Tally, bytes]:
        """Reads the inputs of these numbers; returns counts and eight bytes for each input.

        Args:
            first: Number of the first input.
            last: One more than that of the last.
        """
        tally, digests = Tally(), bytearray()
        for number in range(first, last):
            given = self._inputs.make(number)
            digests += hashlib.blake2b(given.content, digest_size=8).digest()
            tally.inputs += 1
            tally.nbytes += len(given.content)
            tally.families[given.family] += 1
            is_sample = number % SAMPLE_EVERY == 0
            signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
            try:
                what = _timed(given, tally)
                if is_sample or number % LARGE_EVERY == 0:
                    what = _measured(given, tally) or what
                if is_sample and not given.is_blob:
                    what = _cut(given, tally, Random(f"budgets/{number}")) or what
            except Exception:
                what = traceback.format_exc()
                tally.read_as["nothing: it failed"] += 1
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            if what:
                tally.failures += 1
                self._keep(number, given, what)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        tally.rss_kib, tally.peak_kib = _resident_kib(), usage.ru_maxrss
        return tally, bytes(digests)

    def _keep(self, number: int, given: ReaderInput, what: str) -> None:
        (self._folder / f"{number}.bin").write_bytes(given.content)
        (self._folder / f"{number}.txt").write_text(f"{given.family}\n{what}\n", "utf-8")


def _timed(given: ReaderInput, tally: Tally) -> str:
    """Reads an input; returns what is wrong with the time it took, or nothing."""
    began = time.thread_time()
    tally.read_as[read(given)] += 1
    seconds = time.thread_time() - began
    tally.seconds += seconds
    tally.slowest = max(tally.slowest, seconds)
    megabytes = len(given.content) / 10**6
    if megabytes >= 0.05:
        tally.slowest_per_mb = max(tally.slowest_per_mb, seconds / megabytes)
    return f"took {seconds:.2f} s" if seconds > SECONDS * max(1.0, megabytes) else ""


def _measured(given: ReaderInput, tally: Tally) -> str:
    """Reads an input again; returns what is wrong with the memory it took, or nothing."""
    taken = _taken_in_child(given)
    limit = FREE_BYTES + TIMES_INPUT * len(given.content)
    tally.measured += 1
    tally.most_bytes = max(tally.most_bytes, taken)
    tally.closest = max(tally.closest, taken / limit)
    return f"took {taken} bytes of memory, limit {limit}" if taken > limit else ""


def _cut(given: ReaderInput, tally: Tally, rng: Random) -> str:
    """Reads an input with small budgets; returns what was passed over in silence, or nothing."""
    whole = _documents(given.content)
    with small_budgets(rng):
        cut = _documents(given.content)
    tally.cut += 1
    tally.ran_out += any(is_exhausted(violations) for _, violations in cut)
    for (all_of_it, faults), (part, said) in zip(whole, cut, strict=False):
        if is_exhausted(said):
            return ""  # What stands inside of a bundle is looked for after the bundle.
        if is_exhausted(faults) or (all_of_it, faults) == (part, said):
            continue
        if repr((all_of_it, faults)) != repr((part, said)):  # No NaN is equal to another.
            return "reads something else with small budgets, and does not say so"
    return ""


def _documents(content: bytes) -> list[tuple[object, tuple[Violation, ...]]]:
    """What each of the three formats finds, with what is wrong."""
    program, data = read_program(content), read_flat_tensor(content)
    bundle = read_bundled_program(content)
    found: list[tuple[object, tuple[Violation, ...]]] = [
        (program.program, program.violations),
        (data.flat_tensor, data.violations),
        (bundle.bundle, bundle.violations),
    ]
    if bundle.inner is not None:
        found.append((bundle.inner.program, bundle.inner.violations))
    return found


@contextmanager
def small_budgets(rng: Random) -> Iterator[None]:
    """Draws the reader's budgets for the time being, far below what they are."""
    small = {
        "FREE_TABLES": rng.choice((0, 4, 20, 80)),
        "TABLE_BYTES": rng.choice((16, 64, 1 << 20)),
        "FREE_BYTES": rng.choice((0, 1_000, 10_000, 100_000)),
        "BYTES_FACTOR": rng.choice((0, 1, 10)),
        "FREE_UNSHARED": rng.choice((0, 1_000, 1 << 20)),
    }
    before = {name: getattr(limits, name) for name in small}
    try:
        for name, value in small.items():
            setattr(limits, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(limits, name, value)


def _taken_in_child(given: ReaderInput) -> int:
    """The most memory that reading takes, in bytes.

    Measured in a child: tracing leaves tables behind, which would count as growth of the reader.
    """
    answer, question = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            tracemalloc.start()
            read(given)
            os.write(question, struct.pack("<Q", tracemalloc.get_traced_memory()[1]))
        finally:
            os._exit(0)
    os.close(question)
    try:
        (taken,) = struct.unpack("<Q", os.read(answer, 8))
    finally:
        os.close(answer)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert isinstance(taken, int)
    return taken


def _resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() // 1024


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise HangsError


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--stream", type=int, default=STREAM)
    parser.add_argument("--part", default="1/1", help="the part of the chunks, of so many")
    parser.add_argument("--log", type=Path, default=FOLDER)
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    options.log.mkdir(parents=True, exist_ok=True)
    records = options.log / f"part-{part}-of-{parts}.jsonl"
    digests = records.with_suffix(".digests")
    done = taken_up(records, digests)
    total = Tally()
    hunt = Hunt(options.stream, options.log)
    with records.open("a", encoding="utf-8") as log, digests.open("ab") as seen:
        for first in range((part - 1) * CHUNK, options.inputs, parts * CHUNK)[done:]:
            tally, some = hunt.chunk(first, min(first + CHUNK, options.inputs))
            seen.write(some)
            seen.flush()
            log.write(json.dumps(tally.record()) + "\n")
            log.flush()
            total.merge(tally.record())
    print(f"{total.inputs} inputs read, {total.failures} failures")
    return 1 if total.failures else 0


def taken_up(records: Path, digests: Path) -> int:
    """How many chunks an earlier run has finished; cuts off what it had begun."""
    if not records.exists():
        digests.unlink(missing_ok=True)
        return 0
    lines = records.read_text("utf-8").splitlines()
    with digests.open("ab") as seen:
        seen.truncate(8 * sum(json.loads(line)["inputs"] for line in lines))
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
