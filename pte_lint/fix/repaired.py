"""What became of a program that was repaired."""

from __future__ import annotations

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.writer.pieces import Piece


@dataclass(frozen=True, slots=True)
class Applied:
    """A finding that was undone, and what was done."""

    finding: Finding
    what: str
    is_safe: bool


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that stays, and why."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Planned bytes of an arena: before, after, and the least that any plan needs."""

    method: str
    memory_id: int
    device: str
    before: int
    after: int
    bound: int | None


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of one program.

    Attributes:
        before: The report on the file.
        after: The report on the repaired program.
        applied: What was undone, in order.
        left: What stays, in the order of the report.
        memory: Arenas whose size changed.
        pieces: The repaired file; None where nothing was changed.
    """

    before: ArtifactReport
    after: ArtifactReport
    applied: tuple[Applied, ...]
    left: tuple[Left, ...]
    memory: tuple[Memory, ...]
    pieces: tuple[Piece, ...] | None
