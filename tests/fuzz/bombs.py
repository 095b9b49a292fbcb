"""Measures what crafted programs cost: peak memory, time and output of every command.

    python -m tests.fuzz.bombs                          # the project's own
    python -m tests.fuzz.bombs --files A.pte B.pte      # those files
    python -m tests.fuzz.bombs --bytes 500000 --only moves --doubled    # and one of twice the size
    python -m tests.fuzz.robustness --only bombs --bombs LOG    # the table of it

Each command runs in a process of its own, forked from one that has imported the package and
nothing more. Allowed are 64 MiB and forty times the file for the whole process, and output of
4 MiB and sixteen times the file in each format. Time is the processor's. A line of the log for each
command on each file: one that is there already is not measured again, so stop and start it as you
like.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import contextlib
import gc
import hashlib
import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pte_lint.cli import rulebook
from pte_lint.cli.app import app
from tests.support import padded
from tests.support.padded import Make

LOG: Final = Path("build/fuzz/bombs.jsonl")
FREE: Final = 64 << 20
TIMES: Final = 40
FREE_OUTPUT: Final = 4 << 20
TIMES_OUTPUT: Final = 16

#: Processor seconds after which a command is ended.
SECONDS: Final = 60

BOMBS: Final[dict[str, Make]] = {
    name: getattr(padded, name)
    for name in (
        "values", "shared_values", "shared_segments", "long_lists", "methods", "moves",
        "moves_of_moves", "branches", "sums", "paths", "tenants", "conflicts", "waiting",
        "many_conditions", "unwritten", "findings",
    )
}  # fmt: skip

_FORMATS: Final = ("text", "sarif", "junit", "github", "gitlab", "markdown", "concise")
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "check": ("check", "--isolated", "--no-cache", "--format", "json"),
    "inspect": ("inspect", "--instructions"),
    "inspect json": ("inspect", "--json"),
    "graph json": ("graph", "--isolated", "--json"),
    "graph dot": ("graph", "--isolated", "--dot"),
    "graph svg": ("graph", "--isolated", "--svg"),
    "memory": ("memory", "--isolated", "--svg"),
    "report": ("report", "--isolated"),
    "fix": ("fix", "--isolated", "--check"),
    "diff": ("diff", "--isolated"),
    "confirm": ("confirm", "--isolated", "--format", "json"),
}


@dataclass(frozen=True)
class Cost:
    """What one command took on one file.

    Attributes:
        program: The file's name.
        command: A key of `COMMANDS`.
        size: Bytes of the file.
        digest: Of its content.
        code: The exit code; None for a process that was ended.
        peak: Most bytes the process held, its children not counted.
        seconds: Of the processor.
        printed: Bytes of the longest format.
    """

    program: str
    command: str
    size: int
    digest: str
    code: int | None
    peak: int
    seconds: float
    printed: int

    @property
    def allowed(self) -> int:
        """Bytes of memory that a file of this size may cost."""
        return FREE + TIMES * self.size

    @property
    def is_over(self) -> bool:
        """Whether a bound was broken."""
        is_long = self.printed > FREE_OUTPUT + TIMES_OUTPUT * self.size
        return self.code not in (0, 1, 2, 3) or self.peak > self.allowed or is_long


def cost(command: str, path: Path) -> Cost:
    """Runs a command on a file in a child, and says what it took."""
    content = path.read_bytes()
    size, digest = len(content), hashlib.blake2b(content, digest_size=8).hexdigest()
    del content
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        arguments = [*COMMANDS[command], str(path)]
        if command == "diff":
            arguments.append(str(path))
        if command == "check":
            for form in _FORMATS:
                arguments += ["--output", f"{form}={folder / form}.out"]
        if command == "report":
            arguments += ["-o", f"{folder / 'page.html'}"]
        gave = _in_child(lambda: _run(arguments, folder))
        printed = max(each.stat().st_size for each in folder.iterdir() if each.name != "stderr")
    code, peak, seconds = gave or (None, 0, float(SECONDS))
    return Cost(path.stem, command, size, digest, code, peak, round(seconds, 2), printed)


def _run(arguments: list[str], folder: Path) -> tuple[int, int, float]:
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
    code = 0
    try:
        app(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    used = resource.getrusage(resource.RUSAGE_SELF)
    return code, used.ru_maxrss << 10, used.ru_utime + used.ru_stime


def _in_child(work: Callable[[], Any]) -> Any:
    """What `work` gives in a child of this process; None where it ends without a word."""
    answer, question = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            os.write(question, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(question)
    with os.fdopen(answer, "rb") as told:
        said = told.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None


def make(name: str, nbytes: int, folder: Path) -> Path:
    """A file of about so many bytes, made in a child to keep this process small."""
    path = folder / f"{name}.pte"
    _in_child(lambda: path.write_bytes(_content(BOMBS[name], nbytes)))
    return path


def _content(bomb: Make, nbytes: int) -> bytes:
    small = [len(bomb(n, True)[0]) for n in (20, 220)]
    each = max(1.0, (small[1] - small[0]) / 200)
    return bomb(int(nbytes / each), True)[0]


def files(options: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """The files to measure, one after another."""
    if options.files:
        yield from options.files
        return
    for name in options.only or BOMBS:
        for factor in (1, 2) if options.doubled else (1,):
            yield make(name, factor * options.bytes, folder)


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--doubled", action="store_true", help="a program of twice the size too")
    parser.add_argument("--only", nargs="*", choices=sorted(BOMBS))
    parser.add_argument("--files", type=Path, nargs="*", help="these files instead")
    parser.add_argument("--commands", nargs="*", choices=list(COMMANDS), default=list(COMMANDS))
    parser.add_argument("--log", type=Path, default=LOG)
    options = parser.parse_args()
    os.environ["PTE_LINT_NO_CACHE"] = "1"
    rulebook.every_rule(True)
    gc.freeze()
    options.log.parent.mkdir(parents=True, exist_ok=True)
    known = {(each.digest, each.command) for each in read(options.log)}
    is_over = False
    with tempfile.TemporaryDirectory() as temporary, options.log.open("a", encoding="utf-8") as log:
        for path in files(options, Path(temporary)):
            digest = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
            for command in options.commands:
                if (digest, command) in known:
                    continue
                one = cost(command, path)
                is_over = is_over or one.is_over
                log.write(json.dumps(asdict(one)) + "\n")
                log.flush()
                print(shown(one), flush=True)
    return 1 if is_over else 0


def shown(one: Cost) -> str:
    """A measurement as a line."""
    over = "TOO MUCH" if one.is_over else ""
    return (
        f"{one.program:30} {one.command:13} {one.size:10,} exit {one.code} "
        f"{one.peak / 2**20:5.0f} of {one.allowed / 2**20:4.0f} MiB {one.seconds:6.1f} s "
        f"{one.printed:11,} {over}"
    )


def read(log: Path) -> list[Cost]:
    """The measurements of a log."""
    with contextlib.suppress(FileNotFoundError):
        return [Cost(**json.loads(line)) for line in log.read_text("utf-8").splitlines()]
    return []


if __name__ == "__main__":
    sys.exit(main())
