"""Finds what to check: files, folders, globs, addresses, and the standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from pte_lint.cli.errors import Trouble
from pte_lint.files.archives import Member, members, read_member
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.regular import read_stream, require_regular
from pte_lint.files.remote.address import is_address, scheme, shown
from pte_lint.files.remote.listing import is_listing
from pte_lint.files.sieve import SUFFIXES, Sieve
from pte_lint.files.walking import Names, TooManyNames, files_below, has_magic, matching
from pte_lint.schema.frozen import dataclass

STDIN: Final = "-"

ALL: Final = Sieve()

_LOOKED_AT: Final = 10_000
"""Names that are looked at to name one file of a folder."""


@dataclass(frozen=True, slots=True)
class Input:
    """One artifact to check: a path, an address, or the bytes of the standard input."""

    name: str
    """What reports call it."""
    content: bytes | None = None
    address: str | None = None
    """With its secrets, which `name` does not have."""
    revision: str | None = None
    """What a listing calls this very content."""
    member: Member | None = None
    """Where it is in an archive."""
    failure: str | None = None
    """Why there is nothing to open: an archive that cannot be looked into."""

    @property
    def source(self) -> Path | str | bytes:
        """What the library opens.

        Raises:
            ArtifactError: it is in an archive, and cannot be read there.
        """
        if self.failure is not None:
            raise ArtifactError(0, self.failure)
        if self.member is not None:
            return read_member(self.member)
        if self.address is not None:
            return self.address
        return Path(self.name) if self.content is None else self.content


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the command line's paths stand for."""

    inputs: tuple[Input, ...]
    remarks: tuple[str, ...] = ()
    """About arguments that gave nothing."""
    unread: tuple[str, ...] = ()
    """One line for each path that is missing, is no file or folder, cannot be listed, or has more
    names than are looked at."""

    def all_read(self) -> Gathered:
        """Itself, for commands that do nothing by halves.

        Raises:
            Trouble: something could not be read.
        """
        if self.unread:
            raise Trouble(*self.unread)
        return self


def single(argument: str) -> Input:
    """One artifact: a file's path, an address, or the standard input for `-`.

    Raises:
        Trouble: it is a folder, or the standard input cannot be read.
    """
    if argument == STDIN:
        return _stdin()
    if is_address(argument):
        return Input(shown(argument), address=argument)
    if os.path.isdir(argument):  # noqa: PTH112 - never raises
        raise Trouble(_takes_one_file(argument))
    return Input(argument)


def _takes_one_file(folder: str) -> str:
    """What to do instead of giving a folder to a command that is about one file."""
    context = click.get_current_context(silent=True)
    command = "this" if context is None else f"`{context.command_path}`"
    try:
        first = next(below(folder, names=Names(_LOOKED_AT)), None)
    except (OSError, TooManyNames):
        first = None
    which = f"give a file of it, such as {first}" if first else "give a file"
    return f"{folder} is a folder, and {command} is about one file: {which}"


def gather(
    arguments: Iterable[str], sieve: Sieve = ALL, names: Names | None = None, timeout: float = 30.0
) -> Gathered:
    """Expands the command line's paths, in the order given; folders in name order.

    A file reached twice is checked once. What cannot be read keeps nothing else from being read.

    Args:
        arguments: files, folders, globs, addresses, `-`.
        sieve: what to look at in folders and listings.
        names: counts what is looked at there.
        timeout: seconds to wait for each page of a listing.
    """
    inputs: dict[str, Input] = {}
    remarks: list[str] = []
    unread: list[str] = []
    for argument in arguments:
        found = False
        try:
            for key, each in expanded(argument, sieve, names or Names(), timeout):
                found = True
                inputs.setdefault(key, each)
        except Trouble as exc:
            unread += exc.lines
            continue
        except TooManyNames:
            many = "more names than are looked at: allow more with --limit names=N"
            unread.append(f"{shown_argument(argument)}: {many}")
            continue
        if not found:
            remarks.append(f"nothing to check in {shown_argument(argument)}")
    return Gathered(tuple(inputs.values()), tuple(remarks), tuple(unread))


def expanded(
    argument: str, sieve: Sieve, names: Names, timeout: float
) -> Iterator[tuple[str, Input]]:
    """What one argument stands for, each with what it is known by; see `gather`.

    Raises:
        Trouble: it is missing, is no file or folder, or cannot be listed.
        TooManyNames: more than `names` allows.
    """
    if argument == STDIN:
        yield STDIN, _stdin()
        return
    if is_listing(argument):
        yield from _listed(argument, sieve, names, timeout)
        return
    if is_address(argument):
        yield argument, single(argument)
        return
    try:
        for name in _expand(argument, sieve, names):
            place = os.path.abspath(name)  # noqa: PTH100 - keeps links
            if sieve.opens(name.replace(os.sep, "/")):
                yield from _inside(name, place, sieve, names)
            else:
                yield place, Input(name)
    except TooManyNames:
        raise
    except OSError as exc:
        raise Trouble(f"cannot read {exc.filename or argument}: {exc.strerror or exc}") from exc


def _inside(archive: str, place: str, sieve: Sieve, names: Names) -> Iterator[tuple[str, Input]]:
    """What is in an archive. One that cannot be looked into is an artifact that cannot be read."""
    try:
        for each in members(archive):
            names.count()
            if sieve.takes(each.inside):
                yield f"{place}!{each.index}", Input(each.name, member=each)
    except ArtifactError as exc:
        yield place, Input(archive, failure=exc.strerror or str(exc))


def shown_argument(argument: str) -> str:
    """An argument as messages name it: an address without its secrets."""
    return shown(argument) if is_address(argument) else argument


def _listed(
    address: str, sieve: Sieve, names: Names, timeout: float
) -> Iterator[tuple[str, Input]]:
    from pte_lint.files.remote.listing import listed
    from pte_lint.files.remote.origin import FetchError

    base, is_web = shown(address).rstrip("/"), scheme(address) in ("http", "https")
    try:
        for each in listed(address, names, timeout):
            if sieve.takes(each.inside):
                # Keys of a store may hold what ends an address: ?, # and line breaks.
                name = shown(each.name) if is_web else f"{base}/{each.inside}"
                yield each.address, Input(name, address=each.source, revision=each.revision)
    except FetchError as exc:
        raise Trouble(f"cannot list {shown(address)}: {exc}") from exc


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


def _expand(argument: str, sieve: Sieve, names: Names) -> Iterator[str]:
    try:
        mode = os.stat(argument).st_mode  # noqa: PTH116 - the text may be a glob
    except (FileNotFoundError, NotADirectoryError, ValueError) as exc:
        if has_magic(argument):
            yield from _matching(argument, sieve, names)
            return
        if isinstance(exc, ValueError):
            raise OSError(0, str(exc), argument) from exc
        raise
    if stat.S_ISDIR(mode):
        yield from below(argument, sieve, names)
    else:
        # So that all of what cannot be checked is told at once; opening it looks again.
        require_regular(mode, argument)
        yield argument


def _matching(pattern: str, sieve: Sieve, names: Names) -> Iterator[str]:
    """The files that a glob matches; folders that it matches are searched."""
    is_open = pattern.endswith(("*", "/"))
    for name in matching(pattern, names):
        if os.path.isdir(name):  # noqa: PTH112 - never raises
            if not pattern.endswith("**"):
                yield from below(name, sieve, names)
        elif not is_open or name.lower().endswith(SUFFIXES):
            yield name


def below(folder: str, sieve: Sieve = ALL, names: Names | None = None) -> Iterator[str]:
    """The artifacts in a folder and below it, in name order."""
    start = len(os.path.join(folder, ""))  # noqa: PTH118 - keeps the spelling
    for name in files_below(folder, names):
        inside = name[start:].replace(os.sep, "/")
        if sieve.takes(inside) or sieve.opens(inside):
            yield name
