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

from functools import cached_property
from typing import TYPE_CHECKING, Final

from pte_lint.ir.calling import list_items
from pte_lint.schema.enums import ShapeDynamism

if TYPE_CHECKING:
    from pte_lint.ir.method_tensors import MethodTensors

_NOBODY: Final = -1


class Elision:
    """Answers from the tables of one method alone; whether a base was written in time is open."""

    def __init__(self, method: MethodTensors) -> None:
        """Prepares for `method`; looks at nothing yet."""
        self._method = method

    def may_be_view(self, v: int) -> bool:
        """True when the exporter can have elided the view that makes `v`, and some base is there.

        Whether anything writes `v` is not looked at.
        """
        kin, sizes = self._kin
        return self.is_viewlike(v) and sizes[kin[v]] > 1

    def is_viewlike(self, v: int) -> bool:
        """True when `v` could be an elided view of something: its own facts allow it."""
        method = self._method
        if self._kin[0][v] == _NOBODY or method.is_input[v] or v in self._returned:
            return False
        place = method.place(v)
        return place is not None and place[0] not in self._device_arenas

    def may_show(self, v: int, base: int) -> bool:
        """True when `base` has the bytes, the element type and the device of the view `v`."""
        kin = self._kin[0]
        return v != base and kin[v] == kin[base] != _NOBODY

    def kin(self, v: int) -> int:
        """A number for what a view has in common with its base: place, element type and device.

        Negative for tensors without memory in an arena and for those whose sizes change.
        """
        return self._kin[0][v]

    @cached_property
    def _kin(self) -> tuple[list[int], list[int]]:
        """The answers of `kin` by value, and how many values have each."""
        method = self._method
        kin, sizes = [_NOBODY] * len(method.values), list[int]()
        tags = {v: method.tag(v) for v in method.table.extra}
        numbers: dict[object, int] = {}
        for plot in method.table.plots:
            if plot.nbytes <= 0 or plot.tensor.shape_dynamism != ShapeDynamism.STATIC:
                continue
            for v in plot.values:
                tag = tags.get(v)
                key = plot.place, plot.tensor.scalar_type, tag if tag and not tag.is_host else None
                number = kin[v] = numbers.setdefault(key, len(numbers))
                if number == len(sizes):
                    sizes.append(0)
                sizes[number] += 1
        return kin, sizes

    @cached_property
    def _device_arenas(self) -> frozenset[int]:
        arenas = self._method.arenas.values()
        return frozenset(arena.memory_id for arena in arenas if not arena.device.is_host)

    @cached_property
    def _returned(self) -> frozenset[int]:
        method = self._method
        return frozenset(each for v in method.outputs for each in (v, *list_items(method.value(v))))
