"""Writes reports: to the standard output, and to files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pte_lint.cli.errors import Trouble, plugin_trouble
from pte_lint.cli.writing import write_below, write_file
from pte_lint.config.confined import Below
from pte_lint.files.sieve import SUFFIXES

if TYPE_CHECKING:
    from pte_lint.claims.result import Report
    from pte_lint.report.options import RenderOptions


def print_text(text: str | Iterable[str]) -> None:
    """Prints for people, all at once or in pieces: in the terminal's encoding, what it lacks as
    escapes."""
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    for part in _parts(text):
        stream.write(part.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def print_bytes(text: str | Iterable[str]) -> None:
    """Prints for programs, all at once or in pieces: UTF-8, whatever the locale."""
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.writelines(_parts(text))
        return
    sys.stdout.flush()
    for part in _parts(text):  # not writelines, which streams of test runners do not all hand on
        binary.write(part.encode("utf-8"))
    binary.flush()


def _parts(text: str | Iterable[str]) -> Iterator[str]:
    if isinstance(text, str):  # whose own pieces are characters
        yield text
    else:
        yield from text


def check_writable(target: Path | Below) -> None:
    """Says early what would fail late.

    Raises:
        Trouble: the folder does not exist, or the path is a folder.
    """
    path = target.path if isinstance(target, Below) else target
    # os.path: what may not be looked at is not there, instead of an exception.
    if not os.path.isdir(path.parent):  # noqa: PTH112
        raise Trouble(f"cannot write {path}: there is no folder {path.parent}")
    if os.path.isdir(path):  # noqa: PTH112
        raise Trouble(f"cannot write {path}: it is a folder")
    if path.suffix.lower() in SUFFIXES:
        raise Trouble(f"will not write a report to {path}: that is the name of an artifact")


def write(target: Path | Below, text: str | Iterable[str]) -> None:
    """Writes UTF-8 through a temporary file beside the target.

    Args:
        target: a file that the user names; or one that a configuration names, and that is written
            only below its folder.
        text: the content, or its pieces.

    Raises:
        Trouble: the file cannot be written.
    """
    data = (part.encode("utf-8") for part in _parts(text))
    path = target.path if isinstance(target, Below) else target
    try:
        if isinstance(target, Below):
            write_below(target.root, target.parts, data)
        else:
            write_file(target, data)
    except ValueError as exc:  # no file can have this name
        raise Trouble(f"cannot write {path}: {exc}") from exc
    except OSError as exc:
        raise Trouble(f"cannot write {path}: {exc.strerror or exc}") from exc


def rendered(report: Report, name: str, options: RenderOptions) -> str:
    """A report in one format.

    Raises:
        Trouble: a format of a plugin failed.
    """
    from pte_lint.report import formats

    if name in formats.FORMATS:
        return formats.render(report, name, options)
    from pte_lint.rulebook.formats_of_others import FormatError

    try:
        return formats.render(report, name, options)
    except FormatError as exc:
        raise plugin_trouble([str(exc)], [exc.trace]) from exc
