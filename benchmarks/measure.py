"""Measures whole processes: wall clock and peak memory, medians over several runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Medians of a command's runs.

    Attributes:
        seconds: Wall clock time.
        mebibytes: Peak resident memory.
    """

    seconds: float
    mebibytes: float

    def ratio(self, other: Cost) -> float:
        """How many times as long as `other`."""
        return self.seconds / other.seconds


def run(command: Sequence[str], repeat: int = 5, warm_up: int = 1) -> Cost:
    """Runs a command several times.

    Raises:
        RuntimeError: it exits with something else than 0 or 1.
    """
    for _ in range(warm_up):
        _once(command)
    costs = [_once(command) for _ in range(repeat)]
    return Cost(
        statistics.median(c.seconds for c in costs), statistics.median(c.mebibytes for c in costs)
    )


def python(code: str, repeat: int = 5, executable: str = sys.executable) -> Cost:
    """Runs Python code in a process of its own."""
    return run([executable, "-c", code], repeat)


def compare(first: Sequence[str], second: Sequence[str], repeat: int = 7) -> tuple[Cost, Cost]:
    """Runs two commands in turn, so that a busy moment of the machine meets both."""
    _once(first)
    _once(second)
    pairs = [(_once(first), _once(second)) for _ in range(repeat)]
    return _median([a for a, _ in pairs]), _median([b for _, b in pairs])


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(c.seconds for c in costs), statistics.median(c.mebibytes for c in costs)
    )


def _once(command: Sequence[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit {process.returncode}: {told.decode()[-500:]}")
    return Cost(seconds, usage.ru_maxrss / 1024)
