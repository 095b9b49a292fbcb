"""Inputs of a large run in batches, each known by what it is about.

A batch ends at a name that says so itself, so what is added or removed in one place leaves the
batches before and behind as they are.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pte_lint.cli.paths import Input
from pte_lint.schema.frozen import dataclass

BATCH: Final = 128
"""Inputs of a batch as a rule; never more than four times as many."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs whose results appear together."""

    key: str
    inputs: tuple[Input, ...]


def batches(inputs: Iterable[Input], judged_by: bytes, *, beside: bool) -> Iterator[Batch]:
    """Cuts inputs into batches.

    Args:
        inputs: in the order of the run.
        judged_by: identifies everything that results depend on besides the inputs.
        beside: whether results depend on the data files in an input's folder.
    """
    held: list[Input] = []
    for each in inputs:
        held.append(each)
        if _is_last(each) or len(held) >= 4 * BATCH:
            yield _batch(held, judged_by, beside)
            held = []
    if held:
        yield _batch(held, judged_by, beside)


def _is_last(each: Input) -> bool:
    told = hashlib.blake2b(os.fsencode(each.name), digest_size=4).digest()
    return int.from_bytes(told, "little") % BATCH == 0


def _batch(inputs: list[Input], judged_by: bytes, beside: bool) -> Batch:
    told = hashlib.sha256(judged_by)
    folders: dict[Path, bytes] = {}
    for each in inputs:
        state = state_of(each)
        if beside and state is not None:
            folder = Path(each.name).parent
            if folder not in folders:
                folders[folder] = _data_in(folder) if each.address is None else os.urandom(16)
            state += folders[folder]
        # What nobody can tell from what it was is another one each time.
        for part in (os.fsencode(each.name), state if state is not None else os.urandom(16)):
            told.update(len(part).to_bytes(8, "little") + part)
    return Batch(told.hexdigest(), tuple(inputs))


def state_of(each: Input) -> bytes | None:
    """What changes when the content of an input does; None where that cannot be told."""
    if each.content is not None:
        return hashlib.sha256(each.content).digest()
    if each.address is not None:
        return None if each.revision is None else each.revision.encode("utf-8", "surrogatepass")
    if each.member is not None:
        archive = _stat(Path(each.member.archive))
        return None if archive is None else archive + str(each.member.index).encode()
    return _stat(Path(each.name))


def _stat(path: Path) -> bytes | None:
    try:
        told = path.stat()
    except (OSError, ValueError):
        return None
    return repr(
        (told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns)
    ).encode()


def _data_in(folder: Path) -> bytes:
    """The states of the data files in a folder."""
    told = hashlib.sha256()
    try:
        names = sorted(each.name for each in os.scandir(folder))
    except OSError:
        return os.urandom(16)
    for name in names:
        if name.lower().endswith(".ptd"):
            told.update(os.fsencode(name) + b"\0" + (_stat(folder / name) or os.urandom(16)))
    return told.digest()
