"""The values, tensors and arenas of a method, as the file describes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pte_lint.ir.arenas import Arena, arenas_of
from pte_lint.ir.device import HOST, Device, Home, HomeKind, device
from pte_lint.ir.tensor_table import Place, TensorTable
from pte_lint.schema.enums import TensorDataLocation
from pte_lint.schema.program import EValue, ExecutionPlan, Tensor


class MethodTensors:
    """What can be asked about the values of a method without looking at its instructions."""

    def __init__(self, plan: ExecutionPlan) -> None:
        """Indexes the value table of a plan."""
        self.plan = plan
        self.values: tuple[EValue, ...] = plan.values or ()
        self.inputs: tuple[int, ...] = plan.inputs or ()
        self.outputs: tuple[int, ...] = plan.outputs or ()
        self.val_types = bytes([value.val_type for value in self.values])
        """The kind code (`KernelTypes`) of every value."""
        self.is_input = self._flags(self.inputs)
        self.is_output = self._flags(self.outputs)

    def _flags(self, members: Sequence[int]) -> bytearray:
        """One flag a value: it is among `members`."""
        flags = bytearray(len(self.values))
        for v in members:
            if 0 <= v < len(flags):
                flags[v] = 1
        return flags

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

    def is_named(self, v: int) -> bool:
        """True for a tensor that carries a name: state, or external data (`InitMutablePass`)."""
        tensor = self.tensor(v)
        extra = tensor.extra_tensor_info if tensor is not None else None
        return extra is not None and bool(extra.fully_qualified_name)

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


def _is_external(tensor: Tensor) -> bool:
    extra = tensor.extra_tensor_info
    return extra is not None and extra.location == TensorDataLocation.EXTERNAL
