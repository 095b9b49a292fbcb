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

from pte_lint.analysis.arenas import Arena, arenas_of
from pte_lint.analysis.call_table import CallTable
from pte_lint.analysis.conditions import tested
from pte_lint.analysis.device import HOST, Device, Home, HomeKind, device
from pte_lint.analysis.steps import Entangled, Step, StepBuilder, StepKind
from pte_lint.analysis.tensor_table import Place, TensorTable
from pte_lint.c_strings import c_string, operator_name
from pte_lint.clock import timed_property
from pte_lint.finding import Location
from pte_lint.schema.enums import TensorDataLocation
from pte_lint.schema.program import EValue, ExecutionPlan, Program, Tensor

if TYPE_CHECKING:
    import networkx as nx

    from pte_lint.analysis.chain_map import ChainMap
    from pte_lint.analysis.flow import ControlFlow
    from pte_lint.analysis.kinds import Kinds
    from pte_lint.analysis.liveness import Liveness
    from pte_lint.analysis.rehearsal import Rehearsal
    from pte_lint.analysis.residency import Residency
    from pte_lint.placement.placement import Placement


class Method:
    """One execution plan, indexed."""

    def __init__(
        self,
        program: Program,
        index: int,
        base: int = 0,
        arity: Mapping[int, tuple[int, int]] | None = None,
        constant_bytes: Callable[[int, int], bytes | None] | None = None,
    ) -> None:
        """Indexes plan `index` of `program`.

        Args:
            program: the decoded program.
            index: which execution plan.
            base: the byte offset in the file where the program starts (0 but for bundles).
            arity: inputs and outputs by delegate index, where the delegate's blob tells them.
            constant_bytes: the content of a short constant, by entry and bytes; asked for tensors
                that jumps test, here and not later.
        """
        plans = program.execution_plan or ()
        self.program = program
        self.index = index
        self.base = base
        self.plan: ExecutionPlan = plans[index]
        self.name: str = self.plan.name or ""
        self.values: tuple[EValue, ...] = self.plan.values or ()
        self.inputs: tuple[int, ...] = self.plan.inputs or ()
        self.outputs: tuple[int, ...] = self.plan.outputs or ()
        self.path = f"execution_plan[{index}]"
        self.val_types = bytes([value.val_type for value in self.values])
        """The kind code (`KernelTypes`) of every value."""
        n = len(self.values)
        self.is_input = bytearray(n)
        for v in self.inputs:
            if 0 <= v < n:
                self.is_input[v] = 1
        self.is_output = bytearray(n)
        for v in self.outputs:
            if 0 <= v < n:
                self.is_output[v] = 1
        self.operators: tuple[str, ...] = tuple(
            operator_name(op.name, op.overload) for op in self.plan.operators or ()
        )
        self._arity = arity or {}
        builder = StepBuilder(self, self._arity)
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

    # -- values ---------------------------------------------------------------------------------

    def value(self, v: int) -> EValue | None:
        """The value, or None when the index is outside the value table."""
        return self.values[v] if 0 <= v < len(self.values) else None

    def tensor(self, v: int) -> Tensor | None:
        """The tensor at value `v`, or None when it is something else or out of range."""
        if 0 <= v < len(self.values):
            val = self.values[v].val
            if isinstance(val, Tensor):
                return val
        return None

    def values_of(self, *kinds: int) -> list[int]:
        """Indices of all values of some kinds, ascending."""
        found: list[int] = []
        for kind in kinds:
            at = self.val_types.find(kind)
            while at >= 0:
                found.append(at)
                at = self.val_types.find(kind, at + 1)
        return sorted(found)

    @cached_property
    def table(self) -> TensorTable:
        """All tensors at a glance."""
        return TensorTable(self.values)

    @property
    def tensors(self) -> Sequence[int]:
        """Indices of all Tensor values, ascending."""
        return self.table.indices

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """Indices of the tensors whose bytes are in the program; see `is_constant`."""
        return tuple(v for v in self.table.unplanned if self.is_constant(v))

    @cached_property
    def externals(self) -> tuple[int, ...]:
        """Indices of the tensors whose bytes come from a .ptd; see `is_external`."""
        return tuple(v for v in self.table.extra if self.is_external(v))

    @cached_property
    def initial_states(self) -> tuple[int, ...]:
        """Indices of the planned tensors that the loader fills; see `has_initial_state`."""
        either = sorted({*self.table.filled, *self.externals})
        return tuple(v for v in either if self.has_initial_state(v))

    def tag(self, v: int) -> Device:
        """The device that the tensor's metadata claims; the host for anything untagged."""
        tensor = self.tensor(v)
        extra = tensor.extra_tensor_info if tensor else None
        return device(extra.device_type, extra.device_index) if extra else HOST

    def nbytes(self, v: int) -> int:
        """Bytes of the tensor at its serialised (largest) sizes; 0 when that makes no sense."""
        return self.table.nbytes[v] if 0 <= v < len(self.values) else 0

    def is_planned(self, v: int) -> bool:
        """True when the tensor has a place in an arena."""
        tensor = self.tensor(v)
        return tensor is not None and tensor.allocation_info is not None

    def is_constant(self, v: int) -> bool:
        """True for a tensor whose bytes are in the program (`getTensorDataPtr`)."""
        tensor = self.tensor(v)
        return (
            tensor is not None
            and tensor.allocation_info is None
            and tensor.data_buffer_idx > 0
            and not _is_external(tensor)
        )

    def is_external(self, v: int) -> bool:
        """True for a tensor whose bytes come from a .ptd (constant, or mutable when planned)."""
        tensor = self.tensor(v)
        return tensor is not None and _is_external(tensor)

    def has_initial_state(self, v: int) -> bool:
        """True for a planned tensor that the loader fills: mutable state or external mutable."""
        tensor = self.tensor(v)
        return (
            tensor is not None
            and tensor.allocation_info is not None
            and (tensor.data_buffer_idx > 0 or _is_external(tensor))
        )

    def home(self, v: int) -> Home:
        """Where the tensor's pointer is before the first instruction, as 1.4 and later place it.

        Follows `getTensorDataPtr` (runtime/executor/tensor_parser_exec_aten.cpp): external, then
        initial state, constant, planned, else null; an unplanned method input or output gets the
        caller's memory, which the contract wants on the tagged device.
        """
        tensor = self.tensor(v)
        if tensor is None:
            return Home(HomeKind.NONE)
        if tensor.allocation_info is not None:
            memory_id = tensor.allocation_info.memory_id
            arena = self.arenas.get(memory_id)
            return Home(HomeKind.ARENA, arena.device if arena else HOST, memory_id)
        if _is_external(tensor):
            return Home(HomeKind.EXTERNAL)
        if tensor.data_buffer_idx > 0:
            return Home(HomeKind.CONSTANT)
        if self.is_input[v] or self.is_output[v]:
            return Home(HomeKind.CALLER, self.tag(v))
        return Home(HomeKind.NONE)

    def place(self, v: int) -> Place | None:
        """Arena, offset and bytes of a planned tensor: equal for views that share storage."""
        return self.table.places[v] if 0 <= v < len(self.values) else None

    # -- arenas ---------------------------------------------------------------------------------

    @cached_property
    def arenas(self) -> dict[int, Arena]:
        """Arenas by memory_id. Index 0 of the file's list is reserved and never an arena.

        The device is that of the first entry with this buffer_idx
        (`MethodMeta::memory_planned_buffer_device`, runtime/executor/method_meta.cpp).
        """
        return arenas_of(self.plan)

    @property
    def has_device_arena(self) -> bool:
        """True when any arena is not on the host: the runtime then allocates device memory."""
        return any(not a.device.is_host for a in self.arenas.values())

    def planned_bytes(self) -> dict[str, int]:
        """Planned bytes by device name, negative sizes left out."""
        totals: dict[str, int] = {}
        for arena in self.arenas.values():
            if arena.size > 0:
                totals[str(arena.device)] = totals.get(str(arena.device), 0) + arena.size
        return totals

    # -- delegates ------------------------------------------------------------------------------

    def delegate_id(self, index: int) -> str | None:
        """The backend id of delegate `index`; None when out of range or absent."""
        delegates = self.plan.delegates or ()
        name = delegates[index].id if 0 <= index < len(delegates) else None
        return c_string(name) if name is not None else None

    def knows_arity(self, step: Step) -> bool:
        """True when a delegate call's outputs are known from the blob, not guessed by data flow."""
        known = self._arity.get(step.target)
        return known is not None and sum(known) <= len(step.args)

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
        from pte_lint.analysis.kinds import Kinds

        return Kinds(self)

    @cached_property
    def is_written(self) -> bytearray:
        """One flag a value: some step writes it."""
        flags = bytearray(len(self.values))
        for v in chain.from_iterable([step.writes for step in self.steps]):
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

    # -- analyses, each built once when first asked for -------------------------------------------

    @cached_property
    def chain_map(self) -> ChainMap:
        """Where chains start and jumps lead."""
        from pte_lint.analysis.chain_map import ChainMap

        return ChainMap(self)

    @timed_property
    def flow(self) -> ControlFlow:
        """Control flow over the steps."""
        from pte_lint.analysis.flow import ControlFlow

        return ControlFlow(self)

    @timed_property
    def residency(self) -> Residency:
        """Tag and home of every tensor argument at every step."""
        from pte_lint.analysis.residency import Residency

        return Residency(self)

    @timed_property
    def placement(self) -> Placement:
        """Device placement: targets of delegates, boundary copies, faults."""
        from pte_lint.placement.placement import Placement

        return Placement(self)

    @timed_property
    def liveness(self) -> Liveness:
        """Live ranges of storage."""
        from pte_lint.analysis.liveness import Liveness

        return Liveness(self)

    @timed_property
    def rehearsal(self) -> Rehearsal:
        """Control flow, kinds and numbers, played through twice."""
        from pte_lint.analysis.rehearsal import Rehearsal

        return Rehearsal(self)

    @timed_property
    def graph(self) -> nx.MultiDiGraph[object]:
        """The networkx graph of the method."""
        from pte_lint.analysis.graph import build_graph

        return build_graph(self)

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
        for role, table in (("input", self.inputs), ("output", self.outputs)):
            flags = self.is_input if role == "input" else self.is_output
            if 0 <= v < len(flags) and flags[v]:
                return f"{role} {table.index(v)}"
        if self.is_constant(v) or (self.is_external(v) and not self.is_planned(v)):
            return f"constant (value {v})"
        return f"value {v}"


def _is_external(tensor: Tensor) -> bool:
    extra = tensor.extra_tensor_info
    return extra is not None and extra.location == TensorDataLocation.EXTERNAL


__all__ = ["Arena", "Method", "Step", "StepKind"]
