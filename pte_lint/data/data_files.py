"""Data files (.ptd) as the runtime's maps see them: keys, layouts, ranges.

Follows `FlatTensorDataMap` (extension/flat_tensor/flat_tensor_data_map.cpp), `MergedDataMap`
(extension/named_data_map/merged_data_map.cpp) and `TensorLayout::create`
(runtime/core/tensor_layout.cpp). Nothing here reads a segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.claims.forecast import Prediction, Stage, crash, error, undefined
from pte_lint.data.context import Context
from pte_lint.data.file_damage import damaged_entries, damaged_segments, part_of
from pte_lint.data.refusal import Role, role
from pte_lint.data.segments import U64
from pte_lint.schema.container import Container, HeaderState, Kind
from pte_lint.schema.enums import element_size
from pte_lint.schema.flat_tensor import NamedTensorData, TensorLayout
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.program import DataSegment, Span, Tensor
from pte_lint.schema.violations import is_exhausted
from pte_lint.text.c_strings import c_string

_BAD_DATA = error(Stage.LOAD_METHOD, "InvalidExternalData")
_BAD_LAYOUT = error(Stage.LOAD_METHOD, "InvalidArgument")
_NULL = crash(Stage.LOAD_METHOD, "SIGSEGV")
_ABORT = crash(Stage.LOAD_METHOD, "SIGABRT")
_GARBAGE = undefined(Stage.LOAD_METHOD)


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a data file: the file, the position in its table, the stored entry.

    `damaged` names the parts that lie outside the file, which is not the same as being absent:
    `key`, `tensor_layout`, `sizes`, `dim_order`, `segment`, `segments`. `dim_order length` and
    `segments length` are lengths that nothing reads; `terminator` is a key without a zero byte.
    """

    file: LoadedFlatTensor
    index: int
    named: NamedTensorData
    damaged: frozenset[str] = frozenset()

    @property
    def segment(self) -> DataSegment | None:
        """The segment it names, if there is one."""
        table = self.file.flat_tensor
        segments = table.segments or () if table is not None else ()
        index = self.named.segment_index
        return segments[index] if 0 <= index < len(segments) else None

    @property
    def span(self) -> Span | None:
        """Its bytes in the file; None where they are not all there."""
        segment = self.segment
        if self.damaged or segment is None or segment_fault(self) is not None:
            return None
        container = self.file.container
        if not is_in_file(container, segment, segment.size):
            return None
        return Span(container.segment_base_offset + segment.offset, segment.size)

    @property
    def text(self) -> str | None:
        """The key as it is compared when files are merged: up to a zero byte, wherever that is."""
        if self.index in self.file.endless_keys:
            return self.file.endless_keys[self.index]
        return c_string(self.named.key) if self.named.key is not None else None

    @property
    def path(self) -> str:
        """Where it is in the tables: `weights.ptd: named_data[3]`."""
        return f"{self.file.name}: named_data[{self.index}]"

    @property
    def words(self) -> str:
        """Where it is, for readers: `entry 3 of weights.ptd`."""
        return f"entry {self.index} of {self.file.name}"


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
    """Keys of several files in the order in which they are merged; the first of equals.

    A key is looked up twice, by its text up to a zero byte and by its stored length: one that does
    not end in a zero byte is found in neither way.
    """
    found: dict[str, Entry] = {}
    for entry in all_entries(files):
        if entry.named.key is not None and "terminator" not in entry.damaged:
            found.setdefault(entry.named.key, entry)
    return found


def all_entries(files: Sequence[LoadedFlatTensor]) -> Iterator[Entry]:
    """Every entry of several files, those without a key too.

    Without a header nothing says where the segments of a file are: such files have no entries.
    """
    for file in files:
        table = file.flat_tensor
        if table is None or file.container.header is None:
            continue
        damaged = damaged_entries(file)
        segments = damaged_segments(file)
        table_parts = {part_of("segments", v) for v in file.violations if v.path == "segments"}
        for index, named in enumerate(table.named_data or ()):
            parts = damaged.get(index, set())
            if named.segment_index in segments:
                parts = parts | {"segment"}
            parts = parts | table_parts
            yield Entry(file, index, named, frozenset(parts))


def is_usable(file: LoadedFlatTensor) -> bool:
    """True when the file loads as far as its header and its tables' presence are concerned.

    Nothing looks into the segment table before a key is asked for: it may lie outside the file.
    """
    container = file.container
    if is_exhausted(file.violations):
        return False
    is_damaged = any(violation.path == "segments" for violation in file.violations)
    return (
        container.kind is Kind.FLAT_TENSOR
        and container.header_state is HeaderState.PRESENT
        and file.flat_tensor is not None
        and file.flat_tensor.named_data is not None
        and (file.flat_tensor.segments is not None or is_damaged)
    )


def segment_fault(entry: Entry) -> Fault | None:
    """What `get_named_data` says to the segment of an entry."""
    segment = entry.segment
    beyond = segment is None and "segments length" in entry.damaged
    if beyond or entry.damaged & {"segment", "segments", "segment_index"}:
        return Fault("names a segment whose table entry leaves the file", _GARBAGE)
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


def layout_fault(entry: Entry) -> Fault | None:
    """What `create_tensor_layout` says to an entry's layout; None for a usable one."""
    layout, damaged = entry.named.tensor_layout, entry.damaged
    if damaged & {"entry", "tensor_layout", "scalar_type", "sizes", "dim_order"}:
        return Fault("has a layout that leaves the file", _GARBAGE)
    if layout is None:
        return Fault("is no tensor: it has no tensor_layout", _NULL)
    if layout.sizes is None:
        return Fault("has no sizes", _NULL)
    if any(size < 0 for size in layout.sizes):
        return Fault("has a negative size", _BAD_LAYOUT)
    count = layout_numel(layout)
    if count >= U64:
        return Fault("has sizes whose product passes 2^64", _BAD_LAYOUT)
    size = element_size(layout.scalar_type)
    if size is None:
        return Fault(f"has the unknown element type {layout.scalar_type}", _ABORT)
    if count * size >= U64:
        return Fault("has sizes whose product passes 2^64", _BAD_LAYOUT)
    rank = len(layout.sizes)
    # The length of dim_order is never read: one value is taken for each size.
    if rank == 0:
        return None
    if layout.dim_order is None:
        return Fault("has no dim_order", _NULL)
    if any(d >= rank for d in layout.dim_order[:rank]):
        return Fault(f"has a dim_order {list(layout.dim_order)} for {rank} sizes", _BAD_LAYOUT)
    return None


def is_order_short(entry: Entry) -> bool:
    """True where dim_order has fewer values than there are sizes: more are read all the same."""
    layout = entry.named.tensor_layout
    if layout is None or layout.sizes is None or layout.dim_order is None:
        return False
    return len(layout.dim_order) < len(layout.sizes)


def mismatch(tensor: Tensor, layout: TensorLayout) -> str | None:
    """How a program's tensor differs from a usable layout (`validateTensorLayout`).

    Of a dim_order that is too short only the values that are there are compared: the runtime reads
    what follows them.
    """
    sizes, stored = tensor.sizes or (), layout.sizes or ()
    if tensor.scalar_type != layout.scalar_type:
        return "element type"
    if len(sizes) != len(stored):
        return "rank"
    if tensor.sizes is None or tensor.dim_order is None or len(tensor.dim_order) != len(sizes):
        return "dim order"
    if tuple(sizes) != tuple(stored):
        return "sizes"
    order = (layout.dim_order or ())[: len(sizes)]
    return None if tuple(tensor.dim_order[: len(order)]) == tuple(order) else "dim order"


def layout_numel(layout: TensorLayout) -> int:
    """Elements of a layout; negative sizes count as 0."""
    count = 1
    for size in layout.sizes or ():
        count *= max(size, 0)
    return count


def layout_nbytes(layout: TensorLayout) -> int:
    """Bytes that a layout asks for; 0 when its element type is unknown."""
    return layout_numel(layout) * (element_size(layout.scalar_type) or 0)


def missing_bytes(entry: Entry, wanted: int) -> int:
    """How many of `wanted` bytes from the segment's start lie beyond the segment's end."""
    segment = entry.segment
    return max(0, wanted - segment.size) if segment is not None else wanted


def is_in_file(container: Container, segment: DataSegment, size: int) -> bool:
    """True when `size` bytes from a segment's start are in the file."""
    start = (container.segment_base_offset + segment.offset) % U64
    return start + size <= container.size
