"""A program that is being changed, and the file it is written to.

Edits change a draft; `finish` makes a program of it, and `pieces` the file. Weights are never
copied on the way: segments are ranges of the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from pte_lint.edits.plan_draft import EditError, PlanDraft
from pte_lint.schema.enums import DataLocation
from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.program import (
    BackendDelegateDataReference,
    ExecutionPlan,
    NamedData,
    Program,
    SubsegmentOffsets,
)
from pte_lint.schema.writer.pieces import Piece
from pte_lint.schema.writer.program_file import Segment, Source, kept_segments, write_program

T = TypeVar("T")


class Edit(Protocol):
    """A change of a program."""

    @property
    def is_safe(self) -> bool:
        """Whether results and the contract with the caller stay the same for every input."""
        ...

    def apply(self, draft: Draft) -> None:
        """Changes the draft.

        Raises:
            EditError: The change does not fit the program.
        """
        ...


class Draft:
    """The parts of one program, to be changed in place."""

    def __init__(self, source: Source) -> None:
        """Takes a program apart.

        Raises:
            EditError: It holds no program, or one that cannot be taken apart.
        """
        program = source.loaded.program
        if program is None:
            raise EditError("there is no program to change")
        self.source = source
        self.program = program
        self._source_plans = _each_once(program.execution_plan or ())
        self._plans: dict[int, PlanDraft] = {}
        """Methods that were asked for: the others stay the records they are, so that what the file
        says once for many of them is written once."""
        self.constant_segment = program.constant_segment
        self.mutable_segments = list(program.mutable_data_segments or ())
        self.named_data = list(program.named_data or ())
        self.dropped_segments: set[int] = set()
        self.keeps_trailing_bytes = True
        self._segments: list[Segment] | None = None

    @property
    def segments(self) -> list[Segment]:
        """The segments, to be changed; asking for them lays them out anew.

        Raises:
            EditError: A loader refuses a segment's range.
        """
        if self._segments is None:
            try:
                self._segments = kept_segments(self.source)
            except UnwritableError as exc:
                raise EditError(str(exc)) from exc
        return self._segments

    def plan(self, index: int) -> PlanDraft:
        """The method at an index.

        Raises:
            EditError: There is none, or a jump leads out of its chain.
        """
        if not 0 <= index < len(self._source_plans):
            raise EditError(f"there is no method {index}")
        if index not in self._plans:
            self._plans[index] = PlanDraft(self._source_plans[index])
        return self._plans[index]

    def change_plan(self, index: int, plan: PlanDraft) -> None:
        """Puts another one in the place of the method at an index."""
        self._plans[index] = plan

    def apply(self, edits: Sequence[Edit]) -> None:
        """Applies edits, one after the other.

        Raises:
            EditError: One of them does not fit the program.
        """
        for edit in edits:
            edit.apply(self)

    def finish(self) -> Program:
        """The changed program; its segment table is made by `pieces`.

        Raises:
            EditError: Something that was dropped is still named.
        """
        program = self.program
        changed = replace(
            program,
            execution_plan=_or_absent(
                program.execution_plan,
                [
                    self._plans[index].finish() if index in self._plans else plan
                    for index, plan in enumerate(self._source_plans)
                ],
            ),
            constant_segment=self.constant_segment,
            mutable_data_segments=_or_absent(program.mutable_data_segments, self.mutable_segments),
            named_data=_or_absent(program.named_data, self.named_data),
        )
        return (
            _without_segments(changed, self.dropped_segments) if self.dropped_segments else changed
        )

    def pieces(self) -> list[Piece]:
        """The changed file.

        Raises:
            EditError: Something that was dropped is still named, or the file cannot be written.
        """
        try:
            kept = self._segments
            if self.dropped_segments:
                kept = [s for n, s in enumerate(self.segments) if n not in self.dropped_segments]
            return write_program(
                self.finish(), self.source, kept, trailing=self.keeps_trailing_bytes
            )
        except UnwritableError as exc:
            raise EditError(str(exc)) from exc


def _each_once(plans: Sequence[ExecutionPlan]) -> list[ExecutionPlan]:
    """Methods that are one table of the file as one record: readers may have made several."""
    known: dict[int, ExecutionPlan] = {}
    return [known.setdefault(plan.at, plan) if plan.at else plan for plan in plans]


def _or_absent(old: Sequence[T] | None, new: Sequence[T]) -> tuple[T, ...] | None:
    return None if old is None and not new else tuple(new)


def _without_segments(program: Program, dropped: set[int]) -> Program:
    """Renumbers all that names a segment."""
    count = len(program.segments or ())
    place = {old: new for new, old in enumerate(n for n in range(count) if n not in dropped)}

    def at(index: int, what: str) -> int:
        if index in dropped:
            raise EditError(f"segment {index} is left out and still used by {what}")
        return place.get(index, index)

    def subsegments(entry: SubsegmentOffsets, what: str) -> SubsegmentOffsets:
        return replace(entry, segment_index=at(entry.segment_index, what))

    def processed(
        where: BackendDelegateDataReference | None,
    ) -> BackendDelegateDataReference | None:
        if where is None or where.location != DataLocation.SEGMENT:
            return where
        return replace(where, index=at(where.index, "a delegate"))

    def named(entry: NamedData) -> NamedData:
        return replace(entry, segment_index=at(entry.segment_index, "named data"))

    known: dict[int, ExecutionPlan] = {}

    def renumbered(plan: ExecutionPlan) -> ExecutionPlan:
        if not plan.delegates:
            return plan
        if id(plan) not in known:
            delegates = tuple(replace(d, processed=processed(d.processed)) for d in plan.delegates)
            known[id(plan)] = replace(plan, delegates=delegates)
        return known[id(plan)]

    plans = tuple(map(renumbered, program.execution_plan or ()))
    constants = program.constant_segment
    if constants is not None:
        # The exporter names segment 0 even where there are no constants: the loader looks at none.
        if len(constants.offsets or ()) > 1:
            constants = subsegments(constants, "the constants")
        else:
            constants = replace(constants, segment_index=place.get(constants.segment_index, 0))
    mutable = program.mutable_data_segments
    return replace(
        program,
        execution_plan=None if program.execution_plan is None else plans,
        constant_segment=constants,
        mutable_data_segments=mutable
        and tuple(subsegments(entry, "initial state") for entry in mutable),
        named_data=program.named_data and tuple(map(named, program.named_data)),
    )
