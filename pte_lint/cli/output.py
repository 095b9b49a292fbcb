"""Writes reports: to the standard output, and to files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import SUFFIXES


def print_text(text: str) -> None:
    """Prints for people: in the terminal's encoding, what it lacks as escapes."""
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def print_bytes(text: str) -> None:
    """Prints for programs: UTF-8, whatever the locale."""
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    binary.write(text.encode("utf-8"))
    binary.flush()


def check_writable(path: Path) -> None:
    """Says early what would fail late.

    Raises:
        Trouble: the folder does not exist, or the path is a folder.
    """
    if not path.parent.is_dir():
        raise Trouble(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise Trouble(f"cannot write {path}: it is a folder")
    if path.suffix in SUFFIXES:
        raise Trouble(f"will not write a report to {path}: that is the name of an artifact")


def write(path: Path, text: str) -> None:
    """Writes UTF-8 through a temporary file beside the target.

    Raises:
        Trouble: the file cannot be written.
    """
    data = text.encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a device or a pipe, such as /dev/stderr
            return
        import tempfile

        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as exc:
        raise Trouble(f"cannot write {path}: {exc.strerror or exc}") from exc
