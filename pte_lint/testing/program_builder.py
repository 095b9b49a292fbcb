"""Puts built methods, their constants, states, blobs and named data into one program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pte_lint.schema.enums import DataLocation
from pte_lint.schema.program import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Chain,
    CompileSpec,
    ContainerMetadata,
    EValue,
    ExecutionPlan,
    NamedData,
    Program,
    Span,
    SubsegmentOffsets,
    Tensor,
)
from pte_lint.testing.builder import DelegateEntry, MethodBuilder
from pte_lint.testing.containers import Layout, pack_segments, write_program
from pte_lint.testing.edit import replaced
from pte_lint.testing.planner import plan_memory


@dataclass(frozen=True)
class BuiltProgram:
    """A program and the bytes around it, ready to be edited and written.

    Attributes:
        program: The program.
        segment_data: The segment area.
        source: What the program's spans point into.
    """

    program: Program
    segment_data: bytes = b""
    source: bytes = b""

    def bytes(self, layout: Layout | None = None) -> bytes:
        """The .pte file."""
        return write_program(self.program, self.segment_data, source=self.source, layout=layout)

    def replaced(self, path: str, value: Any) -> BuiltProgram:
        """A copy with one field of the program changed; see `pte_lint.testing.edit.replaced`."""
        return replace(self, program=replaced(self.program, path, value))


class _Pool:
    """Byte strings that go into one segment, equal ones once; index 0 stands for no data."""

    def __init__(self, alignment: int) -> None:
        self.alignment = alignment
        self.offsets = [0]
        self.data = bytearray()
        self._seen: dict[bytes, int] = {}

    def add(self, content: bytes) -> int:
        """Adds a byte string; returns its index in ``offsets``."""
        if content not in self._seen:
            self.data += bytes(-len(self.data) % self.alignment)
            self._seen[content] = len(self.offsets)
            self.offsets.append(len(self.data))
            self.data += content
        return self._seen[content]


def build_program(
    *methods: MethodBuilder,
    named_data: Mapping[str, bytes] | None = None,
    segment_alignment: int = 128,
) -> BuiltProgram:
    """Builds a program as the exporter lays it out.

    Segments are, in this order: constants (always, possibly empty), initial states (when there are
    any), delegate blobs, named data.

    Args:
        methods: The methods, each built completely.
        named_data: Blobs by key.
        segment_alignment: Alignment of each segment, in bytes.
    """
    constants, states = _Pool(16), _Pool(1)
    plans = [_method(each, constants, states) for each in methods]
    blobs = [bytes(constants.data)]
    mutable = None
    if states.data:
        mutable = (SubsegmentOffsets(len(blobs), tuple(states.offsets)),)
        blobs.append(bytes(states.data))
    inline: list[Span] = []
    source = bytearray()
    for number, method in enumerate(methods):
        table = []
        for entry in method.delegates:
            if entry.inline:
                reference = BackendDelegateDataReference(DataLocation.INLINE, len(inline))
                inline.append(Span(len(source), len(entry.blob)))
                source += entry.blob
            else:
                reference = BackendDelegateDataReference(DataLocation.SEGMENT, len(blobs))
                blobs.append(entry.blob)
            table.append(_delegate(entry, reference))
        plans[number] = replace(plans[number], delegates=tuple(table))
    names = []
    for key, content in (named_data or {}).items():
        names.append(NamedData(key, len(blobs)))
        blobs.append(content)
    segments, area = pack_segments(blobs, segment_alignment)
    program = Program(
        execution_plan=tuple(plans),
        constant_buffer=(),
        backend_delegate_data=tuple(BackendDelegateInlineData(span) for span in inline),
        segments=segments,
        constant_segment=SubsegmentOffsets(0, tuple(constants.offsets)),
        mutable_data_segments=mutable,
        named_data=tuple(names) if names else None,
    )
    return BuiltProgram(program, area, bytes(source))


def _method(method: MethodBuilder, constants: _Pool, states: _Pool) -> ExecutionPlan:
    plan = plan_memory(method.placements)
    values = list(method.values)
    for index, allocation in plan.ranges.items():
        values[index] = _with(values[index], allocation_info=allocation)
    for index, content in method.constants.items():
        values[index] = _with(values[index], data_buffer_idx=constants.add(content))
    for index, content in method.initial.items():
        values[index] = _with(values[index], data_buffer_idx=states.add(content))
    return ExecutionPlan(
        name=method.name,
        container_meta_type=ContainerMetadata("", ""),
        values=tuple(values),
        inputs=tuple(method.inputs),
        outputs=tuple(method.outputs),
        chains=(Chain(inputs=(), outputs=(), instructions=method.instructions),),
        operators=method.operators,
        delegates=(),
        non_const_buffer_sizes=plan.sizes,
        non_const_buffer_device=plan.devices,
    )


def _with(value: EValue, **fields: Any) -> EValue:
    assert isinstance(value.val, Tensor)
    return replace(value, val=replace(value.val, **fields))


def _delegate(entry: DelegateEntry, reference: BackendDelegateDataReference) -> BackendDelegate:
    specs = tuple(CompileSpec(key, value) for key, value in entry.specs.items())
    return BackendDelegate(entry.id, reference, specs)
