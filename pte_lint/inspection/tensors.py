"""Tensors as people read them: element type, sizes and bounds, and where the bytes are."""

from __future__ import annotations

from pte_lint.inspection.labels import label
from pte_lint.ir.device import HOST, HomeKind
from pte_lint.ir.tensor_size import tensor_nbytes
from pte_lint.questions.method import Method
from pte_lint.schema.enums import MAX_RANK, ShapeDynamism, dtype_name
from pte_lint.schema.flat_tensor import TensorLayout
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor
from pte_lint.schema.str_enum import StrEnum

_SHORT = {
    "bool": "bool",
    "bfloat16": "bf16",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex32": "c32",
    "complex64": "c64",
    "complex128": "c128",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
}
_DYNAMISM = {
    ShapeDynamism.STATIC: "static",
    ShapeDynamism.DYNAMIC_BOUND: "bounded",
    ShapeDynamism.DYNAMIC_UNBOUND: "unbounded",
}


class Memory(StrEnum):
    """Where the bytes of a tensor are before the first instruction."""

    PLANNED = "planned"
    CONSTANT = "constant"
    EXTERNAL = "external"
    CALLER = "caller-owned"
    NONE = "none"


_MEMORY = {
    HomeKind.ARENA: Memory.PLANNED,
    HomeKind.CONSTANT: Memory.CONSTANT,
    HomeKind.EXTERNAL: Memory.EXTERNAL,
    HomeKind.CALLER: Memory.CALLER,
    HomeKind.NONE: Memory.NONE,
    HomeKind.FREED: Memory.NONE,
}


@dataclass(frozen=True, slots=True)
class TensorType:
    """Element type and shape.

    `sizes` are the exact sizes of a `static` tensor and the largest ones of a `bounded` tensor
    (the file does not say which of them vary). `dim_order` is None for the contiguous order.
    `nbytes` is the bytes at `sizes`. Of a tensor of more dimensions than the runtime takes, only so
    many are kept; `rank` tells how many there are.
    """

    dtype: str
    sizes: tuple[int, ...]
    dynamism: str
    nbytes: int
    rank: int
    dim_order: tuple[int, ...] | None = None

    def __str__(self) -> str:
        """Renders as `f32[8,8]`, `f32[<=8,<=4]` or `f32[?,?]`."""
        if self.dynamism == "unbounded":
            shape = ",".join("?" for _ in self.sizes)
        else:
            bound = "<=" if self.dynamism == "bounded" else ""
            shape = ",".join(f"{bound}{size}" for size in self.sizes)
        if self.rank > len(self.sizes):
            shape += f",... {self.rank} sizes"
        order = "" if self.dim_order is None else f" order {_joined(self.dim_order)}"
        return f"{_SHORT.get(self.dtype, self.dtype)}[{shape}]{order}"


@dataclass(frozen=True, slots=True)
class Residence:
    """What a tensor's metadata claims and where its pointer will be."""

    device: str
    """The tag."""
    memory: Memory
    arena: int | None = None
    offset: int | None = None
    """Byte offset in the arena."""
    memory_device: str = str(HOST)
    """The device that the memory is on; for the caller's memory the one that the tag asks for."""
    key: str | None = None
    """The key of external data, or the name of a mutable buffer."""

    def __str__(self) -> str:
        """Renders as `cuda:0@arena2+0`, `cpu@constant`, or `cuda:0@arena1(cpu)+64`."""
        where = str(self.memory)
        if self.memory is Memory.PLANNED:
            where = f"arena{self.arena}"
        odd = "" if self.memory_device == self.device else f"({self.memory_device})"
        offset = "" if self.offset is None else f"+{self.offset}"
        return f"{self.device}@{where}{odd}{offset}"


def tensor_type(tensor: Tensor) -> TensorType:
    """Describes the type of a program's tensor."""
    dynamism = _DYNAMISM.get(
        tensor.shape_dynamism,  # type: ignore[call-overload]  # any byte; unknown ones fall through
        f"shape dynamism {tensor.shape_dynamism}",
    )
    return TensorType(
        dtype_name(tensor.scalar_type),
        (tensor.sizes or ())[:MAX_RANK],
        dynamism,
        tensor_nbytes(tensor),
        len(tensor.sizes or ()),
        _unusual(tensor.dim_order),
    )


def layout_type(layout: TensorLayout) -> TensorType:
    """Describes the type of a .ptd's tensor."""
    tensor = Tensor(layout.scalar_type, sizes=layout.sizes, dim_order=layout.dim_order)
    return tensor_type(tensor)


def residence(method: Method, v: int) -> Residence | None:
    """Says where the tensor at value `v` is before the first instruction; None for no tensor."""
    tensor = method.tensor(v)
    if tensor is None:
        return None
    home = method.home(v)
    info, extra = tensor.allocation_info, tensor.extra_tensor_info
    return Residence(
        device=str(method.tag(v)),
        memory=_MEMORY[home.kind],
        arena=info.memory_id if info else None,
        offset=info.memory_offset if info else None,
        memory_device=str(method.tag(v)) if home.is_null else str(home.device),
        key=label(extra.fully_qualified_name) or None if extra else None,
    )


def _unusual(dim_order: tuple[int, ...] | None) -> tuple[int, ...] | None:
    order = (dim_order or ())[:MAX_RANK]
    return None if order == tuple(range(len(order))) else order


def _joined(numbers: tuple[int, ...]) -> str:
    return ",".join(str(n) for n in numbers)
