"""The command as people run it: in a process of its own, in a folder, with its own streams."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tests.support.processes import environment

GUARD = 120
"""Seconds after which a child hangs, on the slowest machine."""


def command(
    folder: Path,
    *words: str | bytes | Path,
    stdin: int | IO[bytes] | None = subprocess.DEVNULL,
    content: bytes | None = None,
    extra: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `pte-lint WORDS` in a folder.

    Args:
        folder: the working folder.
        words: the command line.
        stdin: what the standard input is, unless there is `content`.
        content: what is piped into the standard input.
        extra: environment variables.

    Raises:
        subprocess.TimeoutExpired: it hangs.
    """
    return _run(folder, [*_python(), *words], stdin, content, extra)


def in_a_shell(
    folder: Path, line: str, *words: str, become: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a line of bash in which `pte-lint` is the command and `$1`, ... are words.

    `become` is a line of bash that runs the line, which is its `$0`, as somebody else.
    """
    start = " ".join(_python())
    script = f'pte-lint() {{ {start} "$@"; }}\n{line}'
    called = ["bash", "-c", script, "bash", *words]
    if become is not None:
        called = ["bash", "-c", become, script]
    return _run(folder, called, subprocess.DEVNULL, None, None)


def _python() -> list[str]:
    return [sys.executable, "-P", "-m", "pte_lint"]


def _run(
    folder: Path,
    words: Sequence[str | bytes | Path],
    stdin: int | IO[bytes] | None,
    content: bytes | None,
    extra: Mapping[str, str] | None,
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        words,
        cwd=folder,
        stdin=stdin if content is None else None,
        input=content,
        env=environment(**{"CI": "1", **(extra or {})}),
        capture_output=True,
        timeout=GUARD,
        check=False,
    )
    # As bytes until here: an escape or a broken character must not be lost on the way.
    out, err = (b.decode("utf-8", "surrogateescape") for b in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def require_one_line(done: subprocess.CompletedProcess[str], words: str, code: int = 2) -> None:
    """Asserts that a run ended with a code and one clear line on the standard error."""
    assert done.returncode == code, (done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: "), line
    assert words in line
    assert line.isprintable()
    assert "internal error" not in done.stdout
