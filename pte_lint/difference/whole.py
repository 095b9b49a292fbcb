"""The kinds of change that belong to the artifact as a whole."""

from __future__ import annotations

from typing import ClassVar

from pte_lint.difference.changes import Change
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSizeChanged(Change):
    """The file has another size."""

    kind: ClassVar[str] = "file-size"
    old: int
    new: int

    def subject(self) -> str:
        """The file."""
        return "the file"

    def amounts(self) -> tuple[int, int] | None:
        """Bytes."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesChanged(Change):
    """The bytes that go to one purpose (constants, named data, ...) are more or fewer."""

    kind: ClassVar[str] = "bytes"
    purpose: str
    old: int
    new: int

    def subject(self) -> str:
        """The purpose."""
        return self.purpose

    def amounts(self) -> tuple[int, int] | None:
        """Bytes."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantsChanged(Change):
    """Constants of one type are more or fewer, or, where content was compared, hold other bytes.

    Constants have no names in a program, so those of one element type and shape are compared as a
    set.
    """

    kind: ClassVar[str] = "constants"
    type: str
    old: int
    new: int
    content_differs: int = 0
    """How many of the new ones hold bytes that no old one holds; 0 where that was not asked."""

    def subject(self) -> str:
        """The type."""
        return self.type

    def amounts(self) -> tuple[int, int] | None:
        """How many."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDataChanged(Change):
    """A key of named data came, went, or has other bytes. Sizes in bytes; None where there is no
    such key."""

    kind: ClassVar[str] = "named-data"
    key: str
    old: int | None
    new: int | None
    old_type: str | None = None
    new_type: str | None = None
    content_differs: bool = False

    def subject(self) -> str:
        """The key."""
        return self.key

    def amounts(self) -> tuple[int, int] | None:
        """Bytes."""
        return self.old or 0, self.new or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementChanged(Change):
    """The runner must provide something that it did not have to, or no longer.

    `what` is `backend`, `kernel`, `device` or `external data`.
    """

    kind: ClassVar[str] = "requirements"
    what: str
    name: str
    old: bool
    new: bool

    def subject(self) -> str:
        """What is needed."""
        return f"{self.what} {self.name}"

    def amounts(self) -> tuple[int, int] | None:
        """0 for not needed, 1 for needed."""
        return int(self.old), int(self.new)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimesChanged(Change):
    """Other runtime versions run the program: oldest first."""

    kind: ClassVar[str] = "runtimes"
    old: tuple[str, ...]
    new: tuple[str, ...]

    def subject(self) -> str:
        """The runtimes."""
        return "known versions"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChanged(Change):
    """The target runtime does something else with a method (or with the file as a whole).

    `old_rank` and `new_rank` rise with badness: 0 ok, 1 error, 2 undefined, 3 crash.
    """

    kind: ClassVar[str] = "verdict"
    old: str
    new: str
    old_rank: int
    new_rank: int

    def subject(self) -> str:
        """The runtime, which the verdict is about."""
        return "the runtime"

    def amounts(self) -> tuple[int, int] | None:
        """Badness."""
        return self.old_rank, self.new_rank


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingChange(Change):
    """A finding, known by its fingerprint, that only one of the two has."""

    rule: str
    name: str
    severity: str
    message: str
    about: str
    fingerprint: str

    def subject(self) -> str:
        """The rule and what it speaks about."""
        return f"{self.rule} {self.about}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFinding(FindingChange):
    """A finding that the old artifact does not have."""

    kind: ClassVar[str] = "new-findings"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedFinding(FindingChange):
    """A finding that the new artifact no longer has."""

    kind: ClassVar[str] = "fixed-findings"
