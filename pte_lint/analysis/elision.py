"""Which values can be views that the exporter elided.

`ReplaceViewCopyWithViewPass` turns a view_copy into a view of its base's storage unless the graph
returns it, and the emitter writes no instruction for a view whose sizes are static and whose memory
is planned (exir/passes/replace_view_copy_with_view_pass.py; exir/emit/_emitter.py:
`_Emitter._emit_view`). Such a value has the base's arena, offset, bytes, element type and device
(`_ViewSpec`). On a device there are none: `PropagateDevicePass` runs before and puts a copy between
each delegate for a device and everything else, so nothing but delegates and boundary copies ever
uses a device tensor (exir/passes/propagate_device_pass.py).
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.analysis.calling import list_items
from pte_lint.schema.enums import ShapeDynamism

if TYPE_CHECKING:
    from pte_lint.analysis.device import Device
    from pte_lint.analysis.method_tensors import MethodTensors

Kin = tuple["tuple[int, int, int] | None", "int | None", "Device"]


class Elision:
    """Answers from the tables of one method alone; whether a base was written in time is open."""

    def __init__(self, method: MethodTensors) -> None:
        """Prepares for `method`; looks at nothing yet."""
        self._method = method

    def may_be_view(self, v: int) -> bool:
        """True when the exporter can have elided the view that makes `v`, and some base is there.

        Whether anything writes `v` is not looked at.
        """
        return self.is_viewlike(v) and self._tenants[self.kin(v)] > 1

    def is_viewlike(self, v: int) -> bool:
        """True when `v` could be an elided view of something: its own facts allow it."""
        method = self._method
        tensor = method.tensor(v)
        return (
            tensor is not None
            and tensor.allocation_info is not None
            and tensor.shape_dynamism == ShapeDynamism.STATIC
            and v not in self._returned
            and not method.is_input[v]
            and method.home(v).device.is_host
        )

    def may_show(self, v: int, base: int) -> bool:
        """True when `base` has the bytes, the element type and the device of the view `v`."""
        other = self._method.tensor(base)
        return (
            v != base
            and other is not None
            and other.shape_dynamism == ShapeDynamism.STATIC
            and self.kin(v) == self.kin(base)
        )

    def kin(self, v: int) -> Kin:
        """What a view has in common with its base: place, element type and device."""
        tensor = self._method.tensor(v)
        code = tensor.scalar_type if tensor is not None else None
        return self._method.place(v), code, self._method.tag(v)

    @cached_property
    def _returned(self) -> frozenset[int]:
        method = self._method
        return frozenset(each for v in method.outputs for each in (v, *list_items(method.value(v))))

    @cached_property
    def _tenants(self) -> Counter[Kin]:
        """How many tensors of static sizes share a place, an element type and a device."""
        return Counter(
            self.kin(v)
            for plot in self._method.table.plots
            if plot.nbytes > 0 and plot.tensor.shape_dynamism == ShapeDynamism.STATIC
            for v in plot.values
        )
