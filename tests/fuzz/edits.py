"""Edits: small, deterministic changes that can be listed, combined and taken away again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tests.fuzz.subject import Document, Seed


class DoesNotApply(Exception):
    """The object of an edit is gone."""


class ModelEdit(Protocol):
    """Changes the model or the layout of one document."""

    @property
    def family(self) -> str:
        """What kind of edit it is, for counting."""
        ...

    @property
    def file(self) -> int:
        """0 for the program, 1 and up for its data files."""
        ...

    def changed(self, document: Document) -> Document:
        """The document after the edit."""
        ...


@dataclass(frozen=True)
class FieldEdit:
    """Sets fields of the model.

    Attributes:
        family: What kind of edit it is, for counting.
        changes: Paths, as findings write them, and new values, applied in order.
        why: What it is meant to do, in a few words.
        file: 0 for the program, 1 and up for its data files.
    """

    family: str
    changes: tuple[tuple[str, Any], ...]
    why: str
    file: int = 0

    def changed(self, document: Document) -> Document:
        """The document after the edit."""
        for path, value in self.changes:
            document = document.with_field(path, value)
        return document

    def __str__(self) -> str:
        return (
            f"{self.family}: {self.why} ({', '.join(p for p, _ in self.changes)}{_of(self.file)})"
        )


@dataclass(frozen=True)
class LayoutEdit:
    """Sets one field of the file's layout."""

    family: str
    field: str
    value: Any
    file: int = 0

    def changed(self, document: Document) -> Document:
        """The document after the edit."""
        return document.with_layout(**{self.field: self.value})

    def __str__(self) -> str:
        return f"{self.family}: {self.field} = {self.value!r}{_of(self.file)}"


@dataclass(frozen=True)
class ByteEdit:
    """Replaces a range of the written file by other bytes; positions beyond its end do nothing.

    Attributes:
        family: What kind of edit it is, for counting.
        at: First byte.
        length: Bytes taken away.
        content: Bytes put there.
        why: What it is meant to do, in a few words.
        file: 0 for the program, 1 and up for its data files.
    """

    family: str
    at: int
    length: int
    content: bytes
    why: str
    file: int = 0

    def applied(self, file: bytes) -> bytes:
        """The file after the edit."""
        return file[: self.at] + self.content + file[self.at + self.length :]

    def __str__(self) -> str:
        shown = self.content[:8].hex() + ("..." if len(self.content) > 8 else "")
        change = f"byte {self.at}, {self.length} -> {shown or 'nothing'}"
        return f"{self.family}: {self.why} ({change}{_of(self.file)})"


def _of(file: int) -> str:
    return f" of data file {file}" if file else ""


Edit = FieldEdit | LayoutEdit | ByteEdit


@dataclass(frozen=True)
class Mutant:
    """A seed and the edits that make something else of it.

    Attributes:
        seed: Where it comes from.
        edits: Applied in order; edits of bytes after all others.
        number: Its number in the stream it was drawn from.
    """

    seed: Seed
    edits: tuple[Edit, ...]
    number: int = 0

    @property
    def family(self) -> str:
        """The family of its edit, or `combined`."""
        return self.edits[0].family if len(self.edits) == 1 else "combined"

    def files(self) -> tuple[bytes, tuple[bytes, ...]]:
        """The program and its data files.

        An edit whose object an earlier one took away is left out.

        Raises:
            DoesNotApply: No edit is left.
        """
        originals = (self.seed.file, *self.seed.data)
        result: list[bytes] = []
        applied = 0
        for number, original in enumerate(originals):
            mine = [each for each in self.edits if each.file == number]
            file, count = _edited(self.seed, number, original, mine)
            applied += count
            result.append(file)
        if not applied:
            raise DoesNotApply
        return result[0], tuple(result[1:])

    def with_edits(self, edits: Sequence[Edit]) -> Mutant:
        """The same with other edits."""
        return replace(self, edits=tuple(edits))


def _edited(seed: Seed, number: int, original: bytes, edits: Sequence[Edit]) -> tuple[bytes, int]:
    """One file after its edits, and how many of them did something."""
    count = 0
    file = original
    model = [each for each in edits if not isinstance(each, ByteEdit)]
    if model:
        document = seed.program if number == 0 else seed.data_documents[number - 1]
        for each in model:
            try:
                document = each.changed(document)
            except (AttributeError, IndexError, TypeError, ValueError):
                continue
            count += 1
        if count:
            file = document.written()
    for edit in edits:
        if isinstance(edit, ByteEdit):
            changed = edit.applied(file)
            count += changed != file
            file = changed
    return file, count
