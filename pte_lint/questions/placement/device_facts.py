"""What a method has to do with devices: targets of delegates, boundary copies, who writes what."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.interpret.residency import residency_of
from pte_lint.ir.device import Device
from pte_lint.ir.method import Method
from pte_lint.questions.placement.copies import BoundaryCopy, boundary_copies, is_copy
from pte_lint.questions.placement.target_device import DelegateTarget, delegate_target
from pte_lint.questions.producers import Producers

if TYPE_CHECKING:
    from pte_lint.ir.steps import Step


class DeviceFacts:
    """What the file, and the producers of tensors, say about devices."""

    def __init__(self, method: Method) -> None:
        """Indexes the device facts of `method`; nothing is walked yet."""
        self._method = method

    @cached_property
    def targets(self) -> tuple[DelegateTarget, ...]:
        """The target of every delegate in the method's table, used or not."""
        delegates = self._method.plan.delegates or ()
        return tuple(delegate_target(n, d) for n, d in enumerate(delegates))

    def target(self, step: Step) -> DelegateTarget | None:
        """The target of a delegate call; None when its delegate index is out of range."""
        known = self.targets
        return known[step.target] if 0 <= step.target < len(known) else None

    @cached_property
    def copies(self) -> tuple[BoundaryCopy, ...]:
        """The well-formed boundary copies, in order."""
        return tuple(boundary_copies(self._method))

    @cached_property
    def hot(self) -> bytearray:
        """One flag a value: its tag or its memory is on a device, before the first step."""
        method = self._method
        flags = bytearray(len(method.values))
        for v in method.table.extra:
            flags[v] = not method.tag(v).is_host
        arenas = {a.memory_id for a in method.arenas.values() if not a.device.is_host}
        for plot in method.table.plots if arenas else ():
            if plot.info.memory_id in arenas:
                for v in plot.values:
                    flags[v] = 1
        return flags

    @cached_property
    def is_concerned(self) -> bool:
        """False when nothing in the method has to do with devices."""
        return (
            self._method.has_device_arena
            or any(self.hot)
            or any(t.is_device or t.spec is not None for t in self.targets)
            or self.has_copy_operators
        )

    @cached_property
    def has_copy_operators(self) -> bool:
        """True when the operator table names a boundary copy."""
        return any(is_copy(operator) for operator in self._method.operators)

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """Devices that delegates of this method are made for, in order of first use."""
        found: dict[Device, None] = {}
        for target in self.targets:
            if target.is_device and target.device is not None:
                found[target.device] = None
        return tuple(found)

    @cached_property
    def program_devices(self) -> frozenset[Device]:
        """Devices, index and all, that delegates of any method of the program are made for."""
        found: set[Device] = set()
        for plan in self._method.program.execution_plan or ():
            for index, delegate in enumerate(plan.delegates or ()):
                target = delegate_target(index, delegate)
                if target.device is not None and not target.any_index:
                    found.add(target.device)
        return frozenset(found)

    @cached_property
    def fed_from_devices(self) -> frozenset[int]:
        """Indices of delegates whose tensors, in all calls, are all tagged for and on a device."""
        method = self._method
        called: set[int] = set()
        fed_from_host: set[int] = set()
        for step in method.delegate_calls():
            called.add(step.target)
            for v in (*step.reads, *step.writes):
                places = residency_of(method).places(step, v)
                if method.nbytes(v) and any(p.home.device.is_host or p.tag.is_host for p in places):
                    fed_from_host.add(step.target)
        return frozenset(called - fed_from_host)

    @cached_property
    def producers(self) -> Producers:
        """Whether tensors are written before they are read."""
        return Producers(self._method)

    # -- reads ------------------------------------------------------------------------------------

    @cached_property
    def _copied(self) -> frozenset[int]:
        return frozenset(c.target for c in self.copies)

    def is_device_read(self, step: Step, v: int) -> bool:
        """True for reads that are a matter of devices: of what is on one, is copied, or was."""
        if not self.is_concerned:
            return False
        return bool(self.hot[v]) or v in self._copied or is_copy(step.operator)
