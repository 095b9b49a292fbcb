"""The decoded program: one record per table of `program.fbs`, field for field.

Conventions that hold for every class here:

* `at` is the table's byte offset in the program's flatbuffer (file byte 0 = 0); for
  diagnostics only, and left out of comparisons.
* A field that is absent from the file holds the format's default; an absent vector, string or
  table is `None`, which is different from an empty one (the runtime tells them apart).
* Vectors are tuples. Enum fields are plain `int`s, because a file can hold any value; the named
  values are in `pte_lint.schema.enums`.
* Strings are decoded as UTF-8 with `surrogateescape`: lossless, and still hostile. Everything
  that prints goes through a sanitiser (`pte_lint.report.text`).
* Bulk bytes (constant storage, inline delegate data) are `Span`s into the file, never copies.

Source of the field layout: schema/program.fbs.
"""

from __future__ import annotations

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.record import record


@dataclass(frozen=True, slots=True)
class Span:
    """A byte range of the file, not read."""

    start: int
    size: int


@record
class AllocationDetails:
    """Where a planned tensor lives: arena `memory_id`, byte offset split in two 32-bit words."""

    memory_id: int = 0
    memory_offset_low: int = 0
    memory_offset_high: int = 0
    at: int = 0

    @property
    def memory_offset(self) -> int:
        """The byte offset in the arena as a 64-bit runtime computes it."""
        return (self.memory_offset_high << 32) | self.memory_offset_low


@record
class ExtraTensorInfo:
    """Rare tensor facts: name and location of external data, and the device tag."""

    mutable_data_segments_idx: int = 0
    fully_qualified_name: str | None = None
    location: int = 0
    device_type: int = 0
    device_index: int = 0
    at: int = 0


@record
class Tensor:
    """A tensor's metadata; its bytes are planned, constant, external or the caller's."""

    scalar_type: int = 0
    storage_offset: int = 0
    sizes: tuple[int, ...] | None = None
    dim_order: tuple[int, ...] | None = None
    requires_grad: bool = False
    data_buffer_idx: int = 0
    allocation_info: AllocationDetails | None = None
    layout: int = 0
    shape_dynamism: int = 0
    extra_tensor_info: ExtraTensorInfo | None = None
    at: int = 0


@record
class Null:
    """The None value."""

    at: int = 0


@record
class Int:
    """A 64-bit integer value, constant or written at run time."""

    int_val: int = 0
    at: int = 0


@record
class Bool:
    """A boolean value."""

    bool_val: bool = False
    at: int = 0


@record
class Double:
    """A double value."""

    double_val: float = 0.0
    at: int = 0


@record
class String:
    """A string value."""

    string_val: str | None = None
    at: int = 0


@record
class IntList:
    """A list of value indices of Int values (not of integers)."""

    items: tuple[int, ...] | None = None
    at: int = 0


@record
class DoubleList:
    """A list of doubles."""

    items: tuple[float, ...] | None = None
    at: int = 0


@record
class BoolList:
    """A list of booleans; kept as the bytes in the file (0..255)."""

    items: tuple[int, ...] | None = None
    at: int = 0


@record
class TensorList:
    """A list of value indices of Tensor values."""

    items: tuple[int, ...] | None = None
    at: int = 0


@record
class OptionalTensorList:
    """A list of value indices of Tensor or Null values; -1 is an absent element."""

    items: tuple[int, ...] | None = None
    at: int = 0


Payload = (
    Null
    | Int
    | Bool
    | Double
    | Tensor
    | String
    | IntList
    | DoubleList
    | BoolList
    | TensorList
    | OptionalTensorList
)


@record
class EValue:
    """One value. `val_type` is the union code as stored (see `enums.KernelTypes`).

    `val` is None when the file has no content for it, or when `val_type` is no known code.
    """

    val_type: int = 0
    val: Payload | None = None
    at: int = 0


@record
class Operator:
    """An entry of the operator table; full name is `name` or `name.overload`."""

    name: str | None = None
    overload: str | None = None
    at: int = 0


@record
class KernelCall:
    """Calls operator `op_index` with the values `args`."""

    op_index: int = 0
    args: tuple[int, ...] | None = None
    at: int = 0


@record
class DelegateCall:
    """Calls delegate `delegate_index` with the values `args`: inputs, then outputs."""

    delegate_index: int = 0
    args: tuple[int, ...] | None = None
    at: int = 0


@record
class MoveCall:
    """Copies one value's handle over another value."""

    move_from: int = 0
    move_to: int = 0
    at: int = 0


@record
class JumpFalseCall:
    """Jumps to an instruction of the chain when the condition is false."""

    cond_value_index: int = 0
    destination_instruction: int = 0
    at: int = 0


@record
class FreeCall:
    """Sets a tensor's data pointer to null."""

    value_index: int = 0
    at: int = 0


InstructionArguments = KernelCall | DelegateCall | MoveCall | JumpFalseCall | FreeCall


@record
class Instruction:
    """One instruction. `instr_args_type` is the union code as stored.

    `instr_args` is None when the file has no content for it or the code is unknown.
    """

    instr_args_type: int = 0
    instr_args: InstructionArguments | None = None
    at: int = 0


@record
class Frame:
    """One frame of a stack trace kept from the model's Python source."""

    filename: str | None = None
    lineno: int = 0
    name: str | None = None
    context: str | None = None
    at: int = 0


@record
class FrameList:
    """The stack trace of one instruction."""

    items: tuple[Frame, ...] | None = None
    at: int = 0


@record
class BackendDelegateDataReference:
    """Where a delegate's blob is: `location` INLINE or SEGMENT, and the index there."""

    location: int = 0
    index: int = 0
    at: int = 0


@record
class CompileSpec:
    """A key with bytes, given to the backend at load."""

    key: str | None = None
    value: bytes | None = None
    at: int = 0


@record
class BackendDelegate:
    """One lowered subgraph and the backend that runs it."""

    id: str | None = None
    processed: BackendDelegateDataReference | None = None
    compile_specs: tuple[CompileSpec, ...] | None = None
    at: int = 0


@record
class Chain:
    """A list of instructions; the exporter writes one per method."""

    inputs: tuple[int, ...] | None = None
    outputs: tuple[int, ...] | None = None
    instructions: tuple[Instruction, ...] | None = None
    stacktrace: tuple[FrameList, ...] | None = None
    at: int = 0


@record
class ContainerMetadata:
    """Encoded pytree specs of a method's inputs and outputs."""

    encoded_inp_str: str | None = None
    encoded_out_str: str | None = None
    at: int = 0


@record
class NonConstBufferDevice:
    """Says that the arena `buffer_idx` lies on a device. Looked up by value, first entry wins."""

    buffer_idx: int = 0
    device_type: int = 0
    device_index: int = 0
    at: int = 0


@record
class ExecutionPlan:
    """One method."""

    name: str | None = None
    container_meta_type: ContainerMetadata | None = None
    values: tuple[EValue, ...] | None = None
    inputs: tuple[int, ...] | None = None
    outputs: tuple[int, ...] | None = None
    chains: tuple[Chain, ...] | None = None
    operators: tuple[Operator, ...] | None = None
    delegates: tuple[BackendDelegate, ...] | None = None
    non_const_buffer_sizes: tuple[int, ...] | None = None
    non_const_buffer_device: tuple[NonConstBufferDevice, ...] | None = None
    at: int = 0


@record
class Buffer:
    """An inline constant of the deprecated constant_buffer."""

    storage: Span | None = None
    at: int = 0


@record
class BackendDelegateInlineData:
    """A delegate blob kept inside the flatbuffer."""

    data: Span | None = None
    at: int = 0


@record
class DataSegment:
    """A byte range after the program, relative to the header's segment_base_offset."""

    offset: int = 0
    size: int = 0
    at: int = 0


@record
class SubsegmentOffsets:
    """Start offsets of the pieces of one segment."""

    segment_index: int = 0
    offsets: tuple[int, ...] | None = None
    at: int = 0


@record
class NamedData:
    """A key that names a segment."""

    key: str | None = None
    segment_index: int = 0
    at: int = 0


@record
class Program:
    """The root table."""

    version: int = 0
    execution_plan: tuple[ExecutionPlan, ...] | None = None
    constant_buffer: tuple[Buffer, ...] | None = None
    backend_delegate_data: tuple[BackendDelegateInlineData, ...] | None = None
    segments: tuple[DataSegment, ...] | None = None
    constant_segment: SubsegmentOffsets | None = None
    mutable_data_segments: tuple[SubsegmentOffsets, ...] | None = None
    named_data: tuple[NamedData, ...] | None = None
    at: int = 0
