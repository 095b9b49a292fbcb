"""Edits of what a file carries besides what runs: entries nobody uses, text, duplicates."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from pte_lint.edits.draft import Draft
from pte_lint.edits.plan_draft import EditError
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import FrameList, Span
from pte_lint.schema.writer.pieces import Piece, padding

ALIGNMENT = 16
"""The exporter's alignment of constants in bytes (exir/_serialize/_program.py: `ALIGNMENT`)."""


@dataclass(frozen=True, slots=True)
class DropValues:
    """Leaves values out that nothing uses; later ones move up."""

    plan: int
    values: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.plan(self.plan).dropped_values.update(self.values)


@dataclass(frozen=True, slots=True)
class DropOperators:
    """Leaves operators out that nothing calls; later ones move up."""

    plan: int
    operators: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.plan(self.plan).dropped_operators.update(self.operators)


@dataclass(frozen=True, slots=True)
class DropSegments:
    """Leaves segments out that nothing names; later ones move up."""

    segments: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        for index in self.segments:
            if not 0 <= index < len(draft.program.segments or ()):
                raise EditError(f"there is no segment {index}")
        draft.dropped_segments.update(self.segments)


@dataclass(frozen=True, slots=True)
class DropStackTraces:
    """Leaves the stack traces of a method out: no runtime reads them."""

    plan: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        plan.plan = replace(
            plan.plan,
            chains=tuple(replace(chain, stacktrace=None) for chain in plan.plan.chains or ()),
        )
        for line in plan.lines:
            line.frames = None


@dataclass(frozen=True, slots=True)
class ShortenPaths:
    """Keeps only the file names of the stack traces of a method."""

    plan: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        for line in draft.plan(self.plan).lines:
            if line.frames is not None and line.frames.items is not None:
                line.frames = FrameList(
                    tuple(
                        replace(frame, filename=frame.filename and _last_part(frame.filename))
                        for frame in line.frames.items
                    )
                )


def _last_part(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class ShareConstant:
    """Lets one constant entry use the bytes of an equal one; the bytes left over stay unused."""

    entry: int
    same_as: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        table = draft.constant_segment
        if (
            table is None
            or table.offsets is None
            or not min(self.entry, self.same_as) >= 0
            or max(self.entry, self.same_as) >= len(table.offsets)
        ):
            raise EditError(f"there is no constant {self.entry}")
        offsets = list(table.offsets)
        offsets[self.entry] = offsets[self.same_as]
        draft.constant_segment = replace(table, offsets=tuple(offsets))


@dataclass(frozen=True, slots=True)
class ShareNamedData:
    """Lets one key name the segment of another; the segment left over can be dropped."""

    entry: int
    same_as: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        table = draft.named_data
        if not 0 <= min(self.entry, self.same_as) <= max(self.entry, self.same_as) < len(table):
            raise EditError(f"there is no named data entry {self.entry}")
        index = table[self.same_as].segment_index
        table[self.entry] = replace(table[self.entry], segment_index=index)


@dataclass(frozen=True, slots=True)
class AlignSegment:
    """Raises the alignment of a segment in bytes; what follows moves."""

    segment: int
    alignment: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        segments = draft.segments
        if not 0 <= self.segment < len(segments):
            raise EditError(f"there is no segment {self.segment}")
        old = segments[self.segment]
        segments[self.segment] = replace(old, alignment=max(old.alignment, self.alignment))


@dataclass(frozen=True, slots=True)
class LaySegmentsAnew:
    """Lays all segments out one behind the other, each with bytes of its own and clean padding."""

    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        _ = draft.segments  # asking for them is what lays them out


@dataclass(frozen=True, slots=True)
class DropTrailingBytes:
    """Leaves out what stands behind the end of the program."""

    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.keeps_trailing_bytes = False


@dataclass(frozen=True, slots=True)
class DropDelegates:
    """Leaves delegates out that nothing calls; later ones move up. Their blobs stay."""

    plan: int
    delegates: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.plan(self.plan).dropped_delegates.update(self.delegates)


@dataclass(frozen=True, slots=True)
class AlignConstants:
    """Gives every constant of the program an aligned place in a segment laid out anew, in bytes."""

    alignment: int = ALIGNMENT
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        table = draft.constant_segment
        offsets = (table.offsets if table is not None else None) or ()
        if table is None or len(offsets) < 2 or not table.segment_index < len(draft.segments):
            raise EditError("the program has no constants of its own")
        old = draft.segments[table.segment_index]
        whole = old.content[0] if len(old.content) == 1 else None
        if not isinstance(whole, Span) or max(offsets) > whole.size:
            raise EditError("the constants lie outside their segment")
        # A constant ends where the next one in memory begins, wherever that is in the table.
        starts = sorted({*offsets[1:], whole.size})
        moved: dict[int, int] = {}
        content: list[Piece] = []
        end = 0
        for start, stop in pairwise(starts):
            gap = padding(end, self.alignment)
            content += [bytes(gap), Span(whole.start + start, stop - start)]
            moved[start] = end + gap
            end += gap + stop - start
        moved.setdefault(whole.size, end)
        draft.segments[table.segment_index] = replace(old, content=content)
        draft.constant_segment = replace(
            table, offsets=(offsets[0], *(moved[offset] for offset in offsets[1:]))
        )
