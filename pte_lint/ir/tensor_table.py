"""All tensors of a method at a glance: which are alike, and which need a closer look.

A long program has many tensors and few kinds of them. What only depends on a tensor's form, or on
its form and place, is judged once for all that are equal in it; and whatever concerns few tensors
(those without planned memory, with extra information, with data) is listed, so that nobody has to
look for it in the whole value table. One sweep, linear in the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from pte_lint.ir.tensor_size import tensor_nbytes
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import AllocationDetails, EValue, Tensor

Place = tuple[int, int, int]
"""Arena, offset and bytes of a planned tensor."""


class Form(NamedTuple):
    """Tensors of one size and layout.

    Attributes:
        tensor: One of them.
        values: The value indices of all of them, ascending.
        nbytes: Bytes of each at its largest sizes; 0 when that makes no sense.
    """

    tensor: Tensor
    values: list[int]
    nbytes: int


class Plot(NamedTuple):
    """Planned tensors of one form at one place.

    Attributes:
        tensor: One of them.
        info: The place of each, as stored.
        values: The value indices of all of them, ascending.
        nbytes: Bytes of each at its largest sizes; 0 when that makes no sense.
    """

    tensor: Tensor
    info: AllocationDetails
    values: list[int]
    nbytes: int

    @property
    def place(self) -> Place:
        """Arena, offset and bytes."""
        return self.info.memory_id, self.info.memory_offset, self.nbytes


_DECIDES = (
    "scalar_type",
    "sizes",
    "dim_order",
    "shape_dynamism",
    "storage_offset",
    "layout",
)
# A tensor is a tuple underneath, and all fields are taken out of it in one go.
_form_of: Callable[[Any], tuple[object, ...]] = itemgetter(
    *map(Tensor.__match_args__.index, _DECIDES)
)

_Known = dict[tuple[object, ...], tuple[Form, dict[tuple[int, int, int], Plot]]]


class TensorTable:
    """What one look at each tensor of a method tells.

    Attributes:
        indices: Value indices of all tensors, ascending.
        forms: Tensors grouped by all that decides about their size and layout: element type,
            sizes, dim order, dynamism, storage offset, layout.
        plots: Planned tensors grouped by form, arena and offset.
        unplanned: Indices of tensors without a place in an arena.
        extra: Indices of tensors with extra information: a device tag, a name, external data.
        filled: Indices of planned tensors that name data of the program.
        nbytes: By value, bytes of the tensor at its largest sizes; 0 when it is none.
        places: By value, arena, offset and bytes of a planned tensor, else None. Values at one
            place share one tuple.
    """

    def __init__(self, values: Sequence[EValue]) -> None:
        """Sweeps over `values`."""
        self.nbytes: list[int] = [0] * len(values)
        self.places: list[Place | None] = [None] * len(values)
        self.indices: list[int] = []
        self.unplanned: list[int] = []
        self.extra: list[int] = []
        self.filled: list[int] = []
        forms: _Known = {}
        self._sweep(values, forms)
        self.forms: tuple[Form, ...] = tuple(form for form, _ in forms.values())
        self.plots: tuple[Plot, ...] = tuple(
            plot for _, plots in forms.values() for plot in plots.values()
        )
        self._share_places()

    def _sweep(self, values: Sequence[EValue], forms: _Known) -> None:
        for v, value in enumerate(values):
            tensor = value.val
            if not isinstance(tensor, Tensor):
                continue
            self.indices.append(v)
            key = _form_of(tensor)
            entry = forms.get(key)
            if entry is None:
                entry = forms[key] = Form(tensor, [], tensor_nbytes(tensor)), {}
            form, plots = entry
            form.values.append(v)
            if tensor.extra_tensor_info is not None:
                self.extra.append(v)
            info = tensor.allocation_info
            if info is None:
                self.unplanned.append(v)
                self.nbytes[v] = form.nbytes
                continue
            if tensor.data_buffer_idx:
                self.filled.append(v)
            at = info.memory_id, info.memory_offset_low, info.memory_offset_high
            plot = plots.get(at)
            if plot is None:
                plot = plots[at] = Plot(tensor, info, [], form.nbytes)
            plot.values.append(v)

    def _share_places(self) -> None:
        nbytes, places = self.nbytes, self.places
        shared: dict[Place, Place] = {}
        for plot in self.plots:
            place = shared.setdefault(plot.place, plot.place)
            for v in plot.values:
                nbytes[v] = plot.nbytes
                places[v] = place


def kinds_of(values: Sequence[EValue]) -> bytes:
    """The kind of each value (`KernelTypes`), one byte a value."""
    return bytes([value.val_type for value in values])


LISTS: frozenset[int] = frozenset(
    (KernelTypes.INT_LIST, KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST)
)
"""Kinds of values that list other values."""
