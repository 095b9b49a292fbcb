"""What the steps share: values given, the work folder, and words that are safe in a log.

The runner takes every line of a step's output that begins with `::`, and `##[` anywhere in one, for
a command. A name may hold either, so that all output goes through here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pte_lint.text import sanitise

WORK: Final = Path(os.environ["RUNNER_TEMP"]) / "pte-lint"
"""Where steps leave things for each other; nobody else writes there."""

LIST: Final = WORK / "artifacts"
"""The artifacts to check: each name ended by a NUL, for names may hold anything else."""

PROGRAMS: Final = (".pte", ".bpte")
SUFFIXES: Final = (*PROGRAMS, ".ptd")

_ENDS: Final = re.compile(rb"\r\n|\n|\r")
_ANNOTATION: Final = re.compile(r"::(error|warning|notice) (file|title)=")


class StepError(Exception):
    """The step cannot go on; the job fails with the message."""


def value(name: str) -> str:
    """A value that the workflow gave, or the empty text."""
    return os.environ.get(name, "").strip()


def lines(name: str) -> list[str]:
    """The lines of a value that hold anything."""
    return [line for line in os.environ.get(name, "").splitlines() if line.strip()]


def nothing_selected() -> bool:
    """True when the step before found nothing to check.

    Raises:
        StepError: it did not say.
    """
    count = value("COUNT")
    if not count.isdecimal():
        raise StepError("how many artifacts there are was not said")
    return int(count) == 0


def output(name: str, text: str | int | Path) -> None:
    """Sets an output of the step; one line, as nothing that a name is part of ever is one."""
    text = str(text)
    if not text.isprintable():
        raise StepError(f"the output {name} is not one line")
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f"{name}={text}\n")


def shown(name: str) -> str:
    """A name as a reader may be shown it, on one line."""
    return sanitise.name(name, sanitise.EXACT_LIMIT)


def say(text: str) -> None:
    """Prints a line of ours to the log."""
    print(_no_command(sanitise.prose(text)), flush=True)


def complain(text: str) -> None:
    """Prints what went wrong, a line each, to the error output."""
    for line in text.splitlines():
        print(f"error: {_no_command(sanitise.prose(line))}", file=sys.stderr, flush=True)


def annotate(name: str, text: str) -> None:
    """Prints an error that the forge shows beside a file."""
    file, told = (_data(sanitise.prose(each)) for each in (name, text))
    file = file.replace(":", "%3A").replace(",", "%2C")
    print(f"::error file={file},line=1,title=pte-lint::{told}", flush=True)


def relay(text: bytes, to_errors: bool = False) -> None:
    """Prints another program's output; of its commands only annotations remain commands."""
    stream = sys.stderr if to_errors else sys.stdout
    for line in _ENDS.split(text.rstrip(b"\r\n")) if text else ():
        plain = line.decode("utf-8", "backslashreplace")
        stream.write((plain if _ANNOTATION.match(plain) else _no_command(plain)) + "\n")
    stream.flush()


def pte_lint(arguments: Sequence[str], out: Path | None = None) -> int:
    """Runs `pte-lint` in the working folder, isolated; relays what it prints.

    Args:
        arguments: of any number and length: they are handed over in a file.
        out: where its standard output goes instead.

    Returns:
        The exit code; never 0 when it was ended by a signal.
    """
    given, printed, errors = (WORK / f"cli.{each}" for each in ("arguments", "out", "errors"))
    given.write_bytes(b"".join(os.fsencode(each) + b"\0" for each in arguments))
    python = Path(os.environ["BIN"]) / "python"
    command = [
        str(each) for each in (python, "-I", "-B", Path(__file__).with_name("cli.py"), given)
    ]
    with (out or printed).open("wb") as stdout, errors.open("wb") as stderr:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, check=False
        )
    if out is None:
        relay(printed.read_bytes())
    relay(errors.read_bytes(), to_errors=True)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def selected() -> list[str]:
    """The artifacts to check."""
    return [os.fsdecode(name) for name in LIST.read_bytes().split(b"\0") if name]


def _no_command(line: str) -> str:
    """A line that the runner takes for text."""
    line = line.replace("##[", "#\\#[")
    return "\\" + line if line.lstrip().startswith("::") else line


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
