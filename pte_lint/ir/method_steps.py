"""A method with its instructions: what each reads and writes, by step and by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from pte_lint.ir.delegate_split import Arity
from pte_lint.ir.plan import MethodPlan
from pte_lint.ir.steps import Entangled, Step, StepBuilder, StepKind
from pte_lint.schema.program import Program


class MethodSteps(MethodPlan):
    """The steps of a method, indexed."""

    def __init__(self, program: Program, index: int, base: int, arity: Mapping[int, Arity]) -> None:
        """See `Method`."""
        super().__init__(program, index, base)
        builder = StepBuilder(self, arity)
        self._splits = builder.splits
        self.is_followed = True
        """False when the method repeats long lists so often that its steps are not built."""
        self.steps: tuple[Step, ...] = ()
        try:
            self.steps = tuple(builder.build())
        except Entangled:
            self.is_followed = False
        self.args_exist = builder.args_exist
        """True when no call has an argument outside the value table."""

    def open_arguments(self, step: Step) -> Sequence[int]:
        """Positions of a delegate call's arguments that may be inputs or outputs.

        Neither the blob nor the plan nor data flow tells of these; see `delegate_split`.
        """
        split = self._splits.get(step.index)
        return split.open if split is not None else ()

    def is_open(self, step: Step, v: int) -> bool:
        """True when it is not known whether a delegate call reads or writes value `v`."""
        return any(step.args[position] == v for position in self.open_arguments(step))

    def kernel_calls(self) -> Iterator[Step]:
        """All kernel calls, in order."""
        return (s for s in self.steps if s.kind is StepKind.KERNEL)

    def delegate_calls(self) -> Sequence[Step]:
        """All delegate calls, in order."""
        return self.of_kind(StepKind.DELEGATE)

    # -- uses -----------------------------------------------------------------------------------

    @cached_property
    def is_written(self) -> bytearray:
        """One flag a value: some step writes it."""
        flags = bytearray(len(self.values))
        for v in chain.from_iterable([step.writes for step in self.steps]):
            flags[v] = 1
        return flags

    @cached_property
    def is_read(self) -> bytearray:
        """One flag a value: some step reads it."""
        flags = bytearray(len(self.values))
        for v in chain.from_iterable([step.reads for step in self.steps]):
            flags[v] = 1
        return flags

    @cached_property
    def others(self) -> Sequence[Step]:
        """All steps but kernel calls, in order."""
        return [step for step in self.steps if step.kind is not StepKind.KERNEL]

    @cached_property
    def _others_by_kind(self) -> dict[StepKind, list[Step]]:
        found: dict[StepKind, list[Step]] = {}
        for step in self.others:
            found.setdefault(step.kind, []).append(step)
        return found

    def of_kind(self, kind: StepKind) -> Sequence[Step]:
        """All steps of a kind other than kernel calls, in order."""
        return self._others_by_kind.get(kind, ())

    @cached_property
    def _uses(self) -> tuple[list[list[int] | None], list[list[int] | None]]:
        readers: list[list[int] | None] = [None] * len(self.values)
        writers: list[list[int] | None] = [None] * len(self.values)
        for step in self.steps:
            for table, used in ((readers, step.reads), (writers, step.writes)):
                for v in used:
                    entry = table[v]
                    if entry is None:
                        table[v] = [step.index]
                    elif entry[-1] != step.index:
                        entry.append(step.index)
        return readers, writers

    def readers(self, v: int) -> Sequence[int]:
        """Indices of the steps that read value `v`, ascending."""
        return self._uses[0][v] or () if 0 <= v < len(self.values) else ()

    def writers(self, v: int) -> Sequence[int]:
        """Indices of the steps that write value `v`, ascending."""
        return self._uses[1][v] or () if 0 <= v < len(self.values) else ()
