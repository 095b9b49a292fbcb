"""A method as rules see it: typed values, instructions with operands, arenas.

Built once per method in time linear in it. Everything here is read off the file; what depends on
control flow is in `flow`, where tensors live at run time in `residency`, and the networkx graph in
`graph`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Location
from pte_lint.claims.ledger import Ledger
from pte_lint.clock import timed_property
from pte_lint.ir.arenas import Arena
from pte_lint.ir.call_table import CallTable
from pte_lint.ir.conditions import tested
from pte_lint.ir.delegate_split import Arity
from pte_lint.ir.method_tensors import MethodTensors
from pte_lint.ir.steps import Entangled, Step, StepBuilder, StepKind
from pte_lint.schema.program import Program
from pte_lint.text.c_strings import c_string, operator_name

if TYPE_CHECKING:
    import networkx as nx

    from pte_lint.interpret.flow import ControlFlow
    from pte_lint.interpret.kinds import Kinds
    from pte_lint.interpret.residency import Residency
    from pte_lint.interpret.runs import Rehearsal
    from pte_lint.ir.chain_map import ChainMap
    from pte_lint.questions.liveness import Liveness
    from pte_lint.questions.missing_writer import MissingWriter
    from pte_lint.questions.placement.placement import Placement
    from pte_lint.schema.xnnpack_graph import Graph as XnnpackGraph


class Method(MethodTensors):
    """One execution plan, indexed."""

    def __init__(
        self,
        program: Program,
        index: int,
        base: int = 0,
        arity: Mapping[int, Arity] | None = None,
        constant_bytes: Callable[[int, int], bytes | None] | None = None,
        *,
        graphs: Mapping[int, XnnpackGraph] | None = None,
    ) -> None:
        """Indexes plan `index` of `program`.

        Args:
            program: the decoded program.
            index: which execution plan.
            base: the byte offset in the file where the program starts (0 but for bundles).
            arity: inputs and outputs by delegate index, where the delegate's blob tells them.
            constant_bytes: the content of a short constant, by entry and bytes; asked for tensors
                that jumps test, here and not later.
            graphs: the graphs of XNNPACK delegates, by delegate index.
        """
        super().__init__((program.execution_plan or ())[index])
        self.program = program
        self.index = index
        self.base = base
        self.name: str = self.plan.name or ""
        self.ledger = Ledger()
        """What was given up on in this method."""
        self.path = f"execution_plan[{index}]"
        self.operators: tuple[str, ...] = tuple(
            operator_name(op.name, op.overload) for op in self.plan.operators or ()
        )
        self.graphs = graphs or {}
        builder = StepBuilder(self, arity or {})
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
        self.tested_constants = {} if constant_bytes is None else tested(self, constant_bytes)
        """The content of constants that jumps test, by value."""

    # -- delegates ------------------------------------------------------------------------------

    def delegate_id(self, index: int) -> str | None:
        """The backend id of delegate `index`; None when out of range or absent."""
        delegates = self.plan.delegates or ()
        name = delegates[index].id if 0 <= index < len(delegates) else None
        return c_string(name) if name is not None else None

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
    def calls(self) -> CallTable:
        """All kernel calls at a glance."""
        return CallTable(self)

    @cached_property
    def kinds(self) -> Kinds:
        """Kinds of all values, those that steps give them included."""
        from pte_lint.interpret.kinds import Kinds

        return Kinds(self)

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
    def missing_writers(self) -> tuple[MissingWriter, ...]:
        """Values that pass for views although what should have written them is likely missing."""
        from pte_lint.questions.missing_writer import missing_writers

        return tuple(missing_writers(self))

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

    # -- analyses, each built once when first asked for -------------------------------------------

    @cached_property
    def chain_map(self) -> ChainMap:
        """Where chains start and jumps lead."""
        from pte_lint.ir.chain_map import ChainMap

        return ChainMap(self)

    @timed_property
    def flow(self) -> ControlFlow:
        """Control flow over the steps."""
        from pte_lint.interpret.flow import ControlFlow

        return ControlFlow(self)

    @timed_property
    def residency(self) -> Residency:
        """Tag and home of every tensor argument at every step."""
        from pte_lint.interpret.residency import Residency

        return Residency(self)

    @timed_property
    def placement(self) -> Placement:
        """Device placement: targets of delegates, boundary copies, faults."""
        from pte_lint.questions.placement.placement import Placement

        return Placement(self)

    @timed_property
    def liveness(self) -> Liveness:
        """Live ranges of storage."""
        from pte_lint.questions.liveness import Liveness

        return Liveness(self)

    @timed_property
    def rehearsal(self) -> Rehearsal:
        """Control flow, kinds and numbers, played through twice."""
        from pte_lint.interpret.runs import Rehearsal

        return Rehearsal(self)

    @timed_property
    def graph(self) -> nx.MultiDiGraph[object]:
        """The networkx graph of the method."""
        from pte_lint.questions.graph import build_graph

        return build_graph(self)

    @cached_property
    def _input_of(self) -> dict[int, int]:
        return _first_positions(self.inputs)

    @cached_property
    def _output_of(self) -> dict[int, int]:
        return _first_positions(self.outputs)

    def location(
        self,
        *,
        step: Step | None = None,
        value: int | None = None,
        argument: int | None = None,
        suffix: str = "",
    ) -> Location:
        """Builds a finding's location; `suffix` extends the logical path (`.allocation_info`)."""
        path, at, operator = self.path, self.plan.at, None
        if value is not None:
            path = f"{self.path}.values[{value}]"
            evalue = self.value(value)
            if evalue is not None:
                at = evalue.val.at if evalue.val is not None else evalue.at
        if step is not None:
            operator = step.operator
            if value is None:
                path = f"{self.path}.chains[{step.chain}].instructions[{step.position}]"
                at = step.at - self.base
        return Location(
            path=path + suffix,
            instruction=step.index if step is not None else None,
            value=value,
            argument=argument,
            byte_offset=self.base + at,
            operator=operator,
        )

    def describe(self, v: int) -> str:
        """A short name for readers: `input 0`, `output 1`, `constant 3`, else `value 7`."""
        for role, positions in (("input", self._input_of), ("output", self._output_of)):
            if 0 <= v < len(self.values) and v in positions:
                return f"{role} {positions[v]}"
        if self.is_constant(v) or (self.is_external(v) and not self.is_planned(v)):
            return f"constant (value {v})"
        return f"value {v}"


def _first_positions(table: Sequence[int]) -> dict[int, int]:
    return {v: position for position, v in reversed(list(enumerate(table)))}


__all__ = ["Arena", "Method", "Step", "StepKind"]
