"""Measures whole processes: processor time, wall clock and peak memory, medians over several runs.

Processor time (user and system) is what the ratios are made of: it says the same on a machine that
others use too.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Command = Sequence[str]


@dataclass(frozen=True)
class Cost:
    """Medians of a command's runs.

    Attributes:
        seconds: Processor time, user and system.
        wall: Wall clock time.
        mebibytes: Peak resident memory.
    """

    seconds: float
    wall: float
    mebibytes: float

    def ratio(self, other: Cost) -> float:
        """How many times the processor time of `other`."""
        return self.seconds / other.seconds


def run(command: Command, repeat: int = 5, warm_up: bool = True) -> Cost:
    """Runs a command several times.

    Raises:
        RuntimeError: it exits with something else than 0 or 1.
    """
    return in_turn([command], repeat, warm_up)[0]


def in_turn(commands: Sequence[Command], repeat: int, warm_up: bool = True) -> list[Cost]:
    """Runs commands in turn, so that a busy moment of the machine meets all of them.

    Raises:
        RuntimeError: one exits with something else than 0 or 1.
    """
    if warm_up:
        for command in commands:
            _once(command)
    rounds = [[_once(command) for command in commands] for _ in range(repeat)]
    return [_median(costs) for costs in zip(*rounds, strict=True)]


def own_python(*words: str) -> Command:
    """A command of this Python, which finds the package as this process does."""
    return [sys.executable, *words]


def check_command(*words: str) -> Command:
    """`pte-lint check` as a command: all built-in rules and no others, no kept results."""
    return own_python("-m", "pte_lint", "check", "--isolated", "--no-color", "--no-cache", *words)


def environment() -> Mapping[str, str]:
    """The environment of measured processes.

    Byte code is kept, as it is for an installed package; otherwise every run would compile all
    sources again.
    """
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONSAFEPATH": "1"}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(c.seconds for c in costs),
        statistics.median(c.wall for c in costs),
        statistics.median(c.mebibytes for c in costs),
    )


def _once(command: Command) -> Cost:
    # Standard error goes to a file: nobody has to read it while the command runs.
    with tempfile.TemporaryFile() as told:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            env=environment(),
            cwd=tempfile.gettempdir(),
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            told.seek(0)
            text = told.read().decode(errors="replace")[-500:]
            raise RuntimeError(f"{command}: exit {process.returncode}: {text}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)
