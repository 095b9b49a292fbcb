"""What can be wrong with a flatbuffer, in the terms of the runtime's verifier."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum


class ViolationKind(StrEnum):
    """The check that failed; each but the last is one of flatbuffers::Verifier's own."""

    TOO_SMALL = "too-small"
    IDENTIFIER = "identifier"
    MISALIGNED = "misaligned"
    OUT_OF_BOUNDS = "out-of-bounds"
    BAD_OFFSET = "bad-offset"
    BAD_VTABLE = "bad-vtable"
    NO_TERMINATOR = "no-terminator"
    TOO_LONG = "too-long"
    TOO_DEEP = "too-deep"
    TOO_MANY_TABLES = "too-many-tables"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing wrong with a flatbuffer.

    Attributes:
        kind: The check that failed.
        at: Byte offset in the file.
        path: Where in the document, such as `execution_plan[0].values[17].val.sizes`; empty for
            the document as a whole.
        message: What is wrong, in one sentence without a full stop.
        hard: True where that part could not be decoded: an accessor that trusts the file reads
            outside it. False where decoding went on as an unverified load would.
    """

    kind: ViolationKind
    at: int
    path: str
    message: str
    hard: bool

    @property
    def rejected(self) -> bool:
        """Whether the runtime's full verification refuses the document for it.

        BUDGET is a limit of this reader alone: what lies beyond was not judged.
        """
        return self.kind is not ViolationKind.BUDGET


def is_exhausted(violations: Iterable[Violation]) -> bool:
    """Whether reading stopped before the end: what was not read only looks absent."""
    return any(violation.kind is ViolationKind.BUDGET for violation in violations)
