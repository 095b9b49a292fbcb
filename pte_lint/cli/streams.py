"""The standard streams: closed ones, full ones, and readers that have gone."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

from pte_lint.cli import exit_codes
from pte_lint.text import sanitise


class _Closed(io.TextIOBase):
    """A standard output that is closed: writing to it fails, as it should."""

    encoding = "utf-8"

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "it is closed")


def hold_closed_ones() -> None:
    """Gives closed descriptors 0, 1 and 2 to the null device, and stands in for their streams.

    Else the next file that is opened gets such a number, and what somebody writes to the standard
    error goes into it. Python sets the stream itself to None, and what is printed is lost silently.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    with suppress(OSError):
        handle = os.open(os.devnull, os.O_RDWR)
        while handle <= 2:
            handle = os.open(os.devnull, os.O_RDWR)
        os.close(handle)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until exit


def complain(*lines: str) -> None:
    """Prints `error: ...` to the standard error, if that is possible."""
    with suppress(OSError, ValueError):
        for line in lines:
            sys.stderr.write(f"error: {_encodable(sanitise.prose(line))}\n")
        sys.stderr.flush()


def say(text: str) -> None:
    """Prints `note: ...` to the standard error, if that is possible."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"note: {_encodable(sanitise.prose(text))}\n")
        sys.stderr.flush()


def finish(code: int) -> int:
    """Sends what is left in the standard streams.

    Args:
        code: how the run ends.

    Returns:
        How it ends indeed: what could not be written is no success.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as exc:
            return explain(exc) if isinstance(exc, OSError) else exit_codes.TROUBLE
    return code


def explain(error: OSError) -> int:
    """Says what the system refused, in a line; returns the exit code.

    Of a reader that has gone (`| head`) nothing is said: nobody is left to tell.
    """
    if error.errno == errno.EPIPE:
        drop()
        return exit_codes.BROKEN_PIPE
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error.filename, str | bytes):
        complain(f"{os.fsdecode(error.filename)}: {reason}")
    elif error.errno == errno.ENOENT:
        complain("the working folder is gone")
    else:
        complain(f"cannot write the standard output: {reason}")
    drop()
    return exit_codes.TROUBLE


def drop() -> None:
    """Leaves what could not be written, so that nothing tries again when the process ends."""
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _encodable(text: str) -> str:
    encoding = sys.stderr.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
