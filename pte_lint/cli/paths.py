"""Finds what to check: files, folders, globs, addresses, and the standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pte_lint.cli.errors import Trouble
from pte_lint.files.regular import read_stream, require_regular
from pte_lint.files.remote.address import is_address, shown
from pte_lint.files.walking import files_below, has_magic, matching
from pte_lint.schema.frozen import dataclass

SUFFIXES: Final = (".pte", ".ptd", ".bpte")
"""What is looked for in folders. A file that is named is checked whatever its name."""

STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class Input:
    """One artifact to check: a path, an address, or the bytes of the standard input."""

    name: str
    """What reports call it."""
    content: bytes | None = None
    address: str | None = None
    """With its secrets, which `name` does not have."""

    @property
    def source(self) -> Path | str | bytes:
        """What the library opens."""
        if self.address is not None:
            return self.address
        return Path(self.name) if self.content is None else self.content


def single(argument: str) -> Input:
    """One artifact: a file's path, an address, or the standard input for `-`."""
    if argument == STDIN:
        return _stdin()
    if is_address(argument):
        return Input(shown(argument), address=argument)
    return Input(argument)


def gather(arguments: Iterable[str]) -> tuple[list[Input], list[str]]:
    """Expands the command line's paths, in the order given; folders in name order.

    A file reached twice is checked once.

    Returns:
        The inputs, and remarks about arguments that gave none.

    Raises:
        Trouble: a path is missing, is no file or folder, or cannot be listed; one line for each.
    """
    inputs: dict[str, Input] = {}
    remarks: list[str] = []
    problems: list[str] = []
    for argument in arguments:
        if argument == STDIN:
            if STDIN not in inputs:
                inputs[STDIN] = _stdin()
            continue
        if is_address(argument):
            inputs.setdefault(argument, single(argument))
            continue
        try:
            found = [(name, os.path.abspath(name)) for name in _expand(argument)]  # noqa: PTH100 - keeps links
        except OSError as exc:
            problems.append(f"cannot read {exc.filename or argument}: {exc.strerror or exc}")
            continue
        if not found:
            remarks.append(f"nothing to check in {argument}")
        for name, absolute in found:
            inputs.setdefault(absolute, Input(name))
    if problems:
        raise Trouble(*problems)
    return list(inputs.values()), remarks


def _stdin() -> Input:
    """All of the standard input, which is a stream: it may never end.

    Raises:
        Trouble: it is closed, cannot be read, or has more than may be kept.
    """
    if sys.stdin is None:
        raise Trouble("cannot read <stdin>: it is closed")
    try:
        return Input("<stdin>", read_stream(sys.stdin.buffer))
    except OSError as exc:
        raise Trouble(f"cannot read <stdin>: {exc.strerror or exc}") from exc


def _expand(argument: str) -> Iterator[str]:
    try:
        mode = os.stat(argument).st_mode  # noqa: PTH116 - the text may be a glob
    except (FileNotFoundError, NotADirectoryError, ValueError) as exc:
        if has_magic(argument):
            yield from _matching(argument)
            return
        if isinstance(exc, ValueError):
            raise OSError(0, str(exc), argument) from exc
        raise
    if stat.S_ISDIR(mode):
        yield from below(argument)
    else:
        # So that all of what cannot be checked is told at once; opening it looks again.
        require_regular(mode, argument)
        yield argument


def _matching(pattern: str) -> Iterator[str]:
    """The files that a glob matches; folders that it matches are searched."""
    is_open = pattern.endswith(("*", "/"))
    for name in matching(pattern):
        if os.path.isdir(name):  # noqa: PTH112 - never raises
            if not pattern.endswith("**"):
                yield from below(name)
        elif not is_open or name.lower().endswith(SUFFIXES):
            yield name


def below(folder: str) -> Iterator[str]:
    """The artifacts in a folder and below it, in name order."""
    return (name for name in files_below(folder) if name.lower().endswith(SUFFIXES))
