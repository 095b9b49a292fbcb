"""Data files (.ptd) as the runtime's maps see them: keys, layouts, ranges.

Follows `FlatTensorDataMap` (extension/flat_tensor/flat_tensor_data_map.cpp), `MergedDataMap`
(extension/named_data_map/merged_data_map.cpp) and `TensorLayout::create`
(runtime/core/tensor_layout.cpp). Nothing here reads a segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pte_lint.context import Context
from pte_lint.forecast import Prediction, Stage, crash, error
from pte_lint.method import Method
from pte_lint.refusal import Role, role
from pte_lint.schema.container import Container, HeaderState, Kind
from pte_lint.schema.enums import element_size
from pte_lint.schema.flat_tensor import NamedTensorData, TensorLayout
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.program import DataSegment, Tensor
from pte_lint.segments import U64

_BAD_DATA = error(Stage.LOAD_METHOD, "InvalidExternalData")
_BAD_LAYOUT = error(Stage.LOAD_METHOD, "InvalidArgument")
_NULL = crash(Stage.LOAD_METHOD, "SIGSEGV")


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a data file: the file, the position in its table, the stored entry."""

    file: LoadedFlatTensor
    index: int
    named: NamedTensorData

    @property
    def segment(self) -> DataSegment | None:
        """The segment it names, if there is one."""
        table = self.file.flat_tensor
        segments = table.segments or () if table is not None else ()
        index = self.named.segment_index
        return segments[index] if 0 <= index < len(segments) else None

    @property
    def path(self) -> str:
        """Where it is, for readers: `weights.ptd: named_data[3]`."""
        return f"{self.file.name}: named_data[{self.index}]"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an entry cannot be used, and what happens to who asks for it."""

    message: str
    prediction: Prediction


def own_data(ctx: Context) -> LoadedFlatTensor | None:
    """The artifact itself, if it is a data file and is meant to be one."""
    return ctx.flat_tensor if role(ctx) is Role.DATA else None


def data_files(ctx: Context) -> tuple[LoadedFlatTensor, ...]:
    """The artifact itself if it is a .ptd, then those given beside it."""
    own = own_data(ctx)
    return ctx.data if own is None else (own, *ctx.data)


def entries(files: Sequence[LoadedFlatTensor]) -> dict[str, Entry]:
    """Keys of several files in the order in which they are merged; the first of equals."""
    found: dict[str, Entry] = {}
    for entry in all_entries(files):
        if entry.named.key is not None:
            found.setdefault(entry.named.key, entry)
    return found


def all_entries(files: Sequence[LoadedFlatTensor]) -> Iterator[Entry]:
    """Every entry of several files, those without a key too."""
    for file in files:
        table = file.flat_tensor
        for index, named in enumerate((table.named_data or ()) if table is not None else ()):
            yield Entry(file, index, named)


def is_usable(file: LoadedFlatTensor) -> bool:
    """True when the file loads as far as its header and its tables' presence are concerned."""
    container = file.container
    return (
        container.kind is Kind.FLAT_TENSOR
        and container.header_state is HeaderState.PRESENT
        and file.flat_tensor is not None
        and file.flat_tensor.named_data is not None
        and file.flat_tensor.segments is not None
    )


def segment_fault(entry: Entry) -> Fault | None:
    """What `get_named_data` says to the segment of an entry."""
    segment = entry.segment
    if segment is None:
        table = entry.file.flat_tensor
        count = len(table.segments or ()) if table is not None else 0
        return Fault(
            f"is in segment {entry.named.segment_index}, but the file has {count} segments",
            _BAD_DATA,
        )
    end = segment.offset + segment.size
    # The bound adds the base although offsets count from it; the runtime's own slip.
    container = entry.file.container
    bound = container.segment_base_offset + container.segment_data_size
    if end >= U64 or bound >= U64 or end > bound:
        return Fault(
            f"ends at byte {end} of the segments, beyond what the header allows", _BAD_DATA
        )
    return None


def layout_fault(layout: TensorLayout | None) -> Fault | None:
    """What `create_tensor_layout` says to a layout; None for a usable one."""
    if layout is None:
        return Fault("is no tensor: it has no tensor_layout", _NULL)
    if layout.sizes is None:
        return Fault("has no sizes", _NULL)
    if layout.dim_order is None:
        return Fault("has no dim_order", _NULL) if layout.sizes else None
    if any(size < 0 for size in layout.sizes):
        return Fault("has a negative size", _BAD_LAYOUT)
    if layout_nbytes(layout) >= U64:
        return Fault("has sizes whose product passes 2^64", _BAD_LAYOUT)
    rank = len(layout.sizes)
    if any(d >= rank for d in layout.dim_order[:rank]):
        return Fault(f"has a dim_order {list(layout.dim_order)} for {rank} sizes", _BAD_LAYOUT)
    return None


def mismatch(tensor: Tensor, layout: TensorLayout) -> str | None:
    """How a program's tensor differs from a usable layout (`validateTensorLayout`)."""
    sizes, stored = tensor.sizes or (), layout.sizes or ()
    if tensor.scalar_type != layout.scalar_type:
        return "element type"
    if len(sizes) != len(stored):
        return "rank"
    if tensor.sizes is None or tensor.dim_order is None or len(tensor.dim_order) != len(sizes):
        return "dim order"
    if tuple(sizes) != tuple(stored):
        return "sizes"
    # A dim_order that is too short is read beyond its end: what is there decides.
    order = layout.dim_order or ()
    if tuple(tensor.dim_order) != tuple(order[: len(sizes)]):
        return "dim order"
    return None


def layout_nbytes(layout: TensorLayout) -> int:
    """Bytes that a layout asks for; 0 when its element type is unknown."""
    count = 1
    for size in layout.sizes or ():
        count *= max(size, 0)
    return count * (element_size(layout.scalar_type) or 0)


def missing_bytes(entry: Entry, wanted: int) -> int:
    """How many of `wanted` bytes from the segment's start lie beyond the segment's end."""
    segment = entry.segment
    return max(0, wanted - segment.size) if segment is not None else wanted


def is_in_file(container: Container, segment: DataSegment, size: int) -> bool:
    """True when `size` bytes from a segment's start are in the file."""
    start = (container.segment_base_offset + segment.offset) % U64
    return start + size <= container.size


@dataclass(frozen=True, slots=True)
class External:
    """An external tensor of a method: value index, key (None when it has no name), its tensor."""

    value: int
    key: str | None
    tensor: Tensor
    is_mutable: bool
    nbytes: int


def externals(method: Method) -> Iterator[External]:
    """The external tensors of a method, constants and mutable ones, in order."""
    for v in method.tensors:
        if not method.is_external(v):
            continue
        tensor = method.tensor(v)
        assert tensor is not None
        assert tensor.extra_tensor_info is not None
        name = tensor.extra_tensor_info.fully_qualified_name
        # Keys are C strings in the runtime.
        key = name.split("\0", 1)[0] if name is not None else None
        yield External(v, key, tensor, method.is_planned(v), method.nbytes(v))
