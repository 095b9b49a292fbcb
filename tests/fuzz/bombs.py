"""Measures what crafted programs cost: peak memory, time and output of every command.

    python -m tests.fuzz.bombs                       # the project's own, as a table in Markdown
    python -m tests.fuzz.bombs --files A.pte B.pte   # those files
    python -m tests.fuzz.bombs --bytes 400000 --only moves

Each program is made in two sizes, the second twice the first, and each command runs in a process of
its own. Allowed are 64 MiB and forty times the file. Time is the processor's.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fuzz.checkout import ROOT
from tests.support import padded
from tests.support.padded import Make

FREE: Final = 64 << 20
TIMES: Final = 40
SECONDS: Final = 600

BOMBS: Final[dict[str, Make]] = {
    name: getattr(padded, name)
    for name in (
        "values", "shared_values", "shared_segments", "long_lists", "methods", "moves",
        "moves_of_moves", "branches", "sums", "paths", "tenants", "conflicts", "waiting",
        "many_conditions", "unwritten", "findings",
    )
}  # fmt: skip

_ALL_FORMATS: Final = ("text", "sarif", "junit", "github", "gitlab", "markdown", "concise")
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "check": ("check", "--isolated", "--no-cache", "--format", "json"),
    "inspect": ("inspect", "--instructions"),
    "inspect json": ("inspect", "--format", "json"),
    "graph json": ("graph", "--isolated", "--json"),
    "graph dot": ("graph", "--isolated", "--dot"),
    "graph svg": ("graph", "--isolated", "--svg"),
    "memory": ("memory", "--isolated", "--svg"),
    "report": ("report", "--isolated"),
    "fix": ("fix", "--isolated", "--check"),
    "diff": ("diff", "--isolated"),
}

_CHILD: Final = """
import sys
sys.path.insert(0, sys.argv[1])
import tests.fuzz.checkout
import resource
from pte_lint.cli.app import app
try:
    app(sys.argv[2:])
except SystemExit as end:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print('cost', end.code, used.ru_maxrss << 10, used.ru_utime + used.ru_stime, file=sys.stderr)
"""


@dataclass(frozen=True)
class Cost:
    """What one command took: exit code, peak bytes, processor seconds, bytes printed."""

    code: int
    peak: int
    seconds: float
    printed: int


def cost(command: tuple[str, ...], path: Path, folder: Path) -> Cost | None:
    """Runs a command on a file; None when it takes too long or ends without an exit code."""
    arguments = [*command, str(path)]
    if command[0] == "diff":
        arguments.append(str(path))
    if command[0] == "check":
        # All formats at once: what is printed counts for JSON, the longest of them.
        for form in _ALL_FORMATS:
            arguments += ["--output", f"{form}={folder / form}.out"]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD, str(ROOT), *arguments],
            capture_output=True,
            check=False,
            timeout=SECONDS,
            env={**os.environ, "PTE_LINT_CACHE": "0"},
        )
    except subprocess.TimeoutExpired:
        return None
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith(b"cost ")]
    if not lines:
        return None
    _, code, peak, seconds = lines[-1]
    return Cost(int(code), int(peak), float(seconds), len(done.stdout))


def made(make: Make, nbytes: int, folder: Path) -> Path:
    """A file of about so many bytes."""
    small = [len(make(n, True)[0]) for n in (20, 220)]
    each = max(1.0, (small[1] - small[0]) / 200)
    path = folder / f"{make.__name__}.pte"
    path.write_bytes(make(int(nbytes / each), True)[0])
    return path


def rows(name: str, small: Path, large: Path | None, folder: Path) -> Iterator[str]:
    """A line of the table for each command."""
    for told, command in COMMANDS.items():
        one = cost(command, small, folder)
        two = cost(command, large, folder) if large is not None else None
        last, path = (two, large) if large is not None else (one, small)
        if one is None or last is None or path is None:
            yield f"| {name} | {told} | more than {SECONDS} s, or ended | | | | |"
            continue
        size = path.stat().st_size
        allowed = FREE + TIMES * size
        growth = f"{last.seconds / one.seconds:.1f}" if two is not None else ""
        over = " **too much**" if last.peak > allowed else ""
        yield (
            f"| {name} | {told} | {size:,} | {last.peak / 2**20:.0f} of "
            f"{allowed / 2**20:.0f} MiB{over} | {last.seconds:.1f} s | {growth} | "
            f"{last.printed:,} |"
        )


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bytes", type=int, default=200_000, help="of the smaller of each two")
    parser.add_argument("--only", nargs="*", choices=sorted(BOMBS))
    parser.add_argument("--files", type=Path, nargs="*", help="these files instead")
    options = parser.parse_args()
    print("| program | command | bytes | peak | time | time, doubled | printed |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    is_over = False
    with tempfile.TemporaryDirectory() as temporary:
        folder, other = Path(temporary, "a"), Path(temporary, "b")
        folder.mkdir()
        other.mkdir()
        if options.files:
            work = [(path.stem, path, None) for path in options.files]
        else:
            work = [
                (name, made(BOMBS[name], options.bytes, folder),
                 made(BOMBS[name], 2 * options.bytes, other))
                for name in options.only or BOMBS
            ]  # fmt: skip
        for name, small, large in work:
            for row in rows(name, small, large, folder):
                print(row, flush=True)
                is_over = is_over or "too much" in row or "more than" in row
    return 1 if is_over else 0


if __name__ == "__main__":
    sys.exit(main())
