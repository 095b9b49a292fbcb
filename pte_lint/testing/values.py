"""The value table of a built method: tensors, constants, state, numbers and lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict

from pte_lint.schema.enums import KernelTypes, TensorDataLocation
from pte_lint.schema.program import (
    Bool,
    BoolList,
    Double,
    DoubleList,
    EValue,
    ExtraTensorInfo,
    Int,
    IntList,
    Null,
    OptionalTensorList,
    Payload,
    String,
    Tensor,
    TensorList,
)
from pte_lint.testing.device import HOST, Device, device_pair
from pte_lint.testing.elements import Numbers, encoded, scalar_type, tensor_bytes
from pte_lint.testing.planner import Placement

if TYPE_CHECKING:
    from typing_extensions import Unpack

CODES: dict[type, KernelTypes] = {
    Null: KernelTypes.NULL,
    Int: KernelTypes.INT,
    Bool: KernelTypes.BOOL,
    Double: KernelTypes.DOUBLE,
    Tensor: KernelTypes.TENSOR,
    String: KernelTypes.STRING,
    IntList: KernelTypes.INT_LIST,
    DoubleList: KernelTypes.DOUBLE_LIST,
    BoolList: KernelTypes.BOOL_LIST,
    TensorList: KernelTypes.TENSOR_LIST,
    OptionalTensorList: KernelTypes.OPTIONAL_TENSOR_LIST,
}


def evalue(payload: Payload) -> EValue:
    """The value with the union code of its payload."""
    return EValue(val_type=CODES[type(payload)], val=payload)


class TensorOptions(TypedDict, total=False):
    """What may be said about a tensor besides its sizes and element type.

    Attributes:
        device: The tensor's tag; the host when left out.
        home: The device its memory is planned on; the tag when left out.
        planned: Whether it gets memory; it does when left out.
        memory_id: Its arena, chosen by hand.
        offset: Its offset in the arena in bytes, chosen by hand.
        dim_order: Dimensions from outer to inner; contiguous when left out.
        dynamism: Shape dynamism code; other than 0 the sizes are upper bounds.
        name: Its fully qualified name.
    """

    device: Device
    home: Device
    planned: bool
    memory_id: int
    offset: int
    dim_order: Sequence[int]
    dynamism: int
    name: str


class ValueTable:
    """Adds values; every method returns the new value's index.

    Attributes:
        values: The values so far; tensors still without data index and allocation.
        placements: The planned tensors.
        constants: Bytes of constant tensors, by value index.
        initial: Bytes of initial states, by value index.
    """

    def __init__(self) -> None:
        self.values: list[EValue] = []
        self.placements: list[Placement] = []
        self.constants: dict[int, bytes] = {}
        self.initial: dict[int, bytes] = {}

    def value(self, payload: Payload) -> int:
        """Any payload as it is."""
        self.values.append(evalue(payload))
        return len(self.values) - 1

    def null(self) -> int:
        """A None."""
        return self.value(Null())

    def int_value(self, number: int) -> int:
        """An Int."""
        return self.value(Int(number))

    def bool_value(self, flag: bool) -> int:
        """A Bool."""
        return self.value(Bool(flag))

    def double_value(self, number: float) -> int:
        """A Double."""
        return self.value(Double(number))

    def string_value(self, text: str) -> int:
        """A String."""
        return self.value(String(text))

    def ints(self, numbers: Iterable[int]) -> int:
        """An IntList with an Int value for each number, as the exporter writes it."""
        return self.value(IntList(tuple([self.int_value(number) for number in numbers])))

    def int_list(self, indices: Iterable[int]) -> int:
        """An IntList of existing Int values."""
        return self.value(IntList(tuple(indices)))

    def doubles(self, numbers: Iterable[float]) -> int:
        """A DoubleList."""
        return self.value(DoubleList(tuple(numbers)))

    def bools(self, flags: Iterable[bool]) -> int:
        """A BoolList."""
        return self.value(BoolList(tuple(int(flag) for flag in flags)))

    def tensor_list(self, indices: Iterable[int]) -> int:
        """A TensorList of existing tensors."""
        return self.value(TensorList(tuple(indices)))

    def optional_list(self, indices: Iterable[int | None]) -> int:
        """An OptionalTensorList; None is an absent element."""
        return self.value(OptionalTensorList(tuple(-1 if i is None else i for i in indices)))

    def tensor(
        self,
        sizes: Sequence[int],
        dtype: str | int = "float32",
        **options: Unpack[TensorOptions],
    ) -> int:
        """A tensor that instructions write.

        Args:
            sizes: Size of each dimension, in elements.
            dtype: Element type by name, or its code.
            options: See `TensorOptions`.
        """
        device = options.get("device", "cpu")
        dim_order = options.get("dim_order")
        dynamism = options.get("dynamism", 0)
        name = options.get("name")
        tensor = self._tensor(sizes, dtype, device, dim_order, dynamism=dynamism, name=name)
        index = self.value(tensor)
        if options.get("planned", True):
            home = device_pair(options.get("home", device))
            chosen = options.get("memory_id"), options.get("offset")
            self.placements.append(Placement(index, tensor_bytes(sizes, dtype), home, *chosen))
        return index

    def constant(
        self,
        data: bytes | Numbers,
        sizes: Sequence[int],
        dtype: str | int = "float32",
        *,
        device: Device = "cpu",
        dim_order: Sequence[int] | None = None,
    ) -> int:
        """A constant tensor with its bytes in the constant segment."""
        index = self.value(self._tensor(sizes, dtype, device, dim_order))
        self.constants[index] = encoded(data, dtype)
        return index

    def state(
        self,
        sizes: Sequence[int],
        dtype: str | int = "float32",
        *,
        initial: bytes | Numbers | None = None,
        **options: Unpack[TensorOptions],
    ) -> int:
        """A mutable buffer: a planned tensor, with an initial state when ``initial`` is given.

        Args:
            sizes: Size of each dimension, in elements.
            dtype: Element type by name, or its code.
            initial: Its state when the method is loaded; else it starts at zero.
            options: See `TensorOptions`.
        """
        index = self.tensor(sizes, dtype, **options)
        if initial is not None:
            self.initial[index] = encoded(initial, dtype)
        return index

    def external(
        self,
        name: str | None,
        sizes: Sequence[int],
        dtype: str | int = "float32",
        *,
        device: Device = "cpu",
        mutable: bool = False,
        dim_order: Sequence[int] | None = None,
    ) -> int:
        """A tensor whose bytes are in a .ptd under ``name``; a mutable one is also planned."""
        external = TensorDataLocation.EXTERNAL
        tensor = self._tensor(sizes, dtype, device, dim_order, name=name, location=external)
        index = self.value(tensor)
        if mutable:
            place = Placement(index, tensor_bytes(sizes, dtype), device_pair(device))
            self.placements.append(place)
        return index

    def sizes_of(self, index: int) -> tuple[int, ...]:
        """The sizes of a tensor value."""
        return self._tensor_at(index).sizes or ()

    def dtype_of(self, index: int) -> int:
        """The element type code of a tensor value."""
        return self._tensor_at(index).scalar_type

    def _tensor_at(self, index: int) -> Tensor:
        tensor = self.values[index].val
        if not isinstance(tensor, Tensor):
            raise TypeError(f"value {index} is no tensor but {tensor}")
        return tensor

    @staticmethod
    def _tensor(
        sizes: Sequence[int],
        dtype: str | int,
        device: Device,
        dim_order: Sequence[int] | None,
        *,
        dynamism: int = 0,
        name: str | None = None,
        location: int = TensorDataLocation.SEGMENT,
    ) -> Tensor:
        tag = device_pair(device)
        extra = None
        if tag != HOST or name is not None or location != TensorDataLocation.SEGMENT:
            extra = ExtraTensorInfo(0, name, location, *tag)
        return Tensor(
            scalar_type=scalar_type(dtype),
            sizes=tuple(sizes),
            dim_order=tuple(range(len(sizes)) if dim_order is None else dim_order),
            shape_dynamism=dynamism,
            extra_tensor_info=extra,
        )
