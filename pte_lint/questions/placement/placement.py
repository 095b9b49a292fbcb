"""Device placement of one method: targets of delegates, boundary copies, and every fault.

Built once per method when a rule first asks; a method without any device fact costs one look at
its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.questions.placement.device_facts import DeviceFacts
from pte_lint.questions.placement.fault_finder import find_faults
from pte_lint.questions.placement.faults import Fault, FaultCause
from pte_lint.questions.placement.wasted_copies import WastedCopy, wasted_copies

if TYPE_CHECKING:
    pass


class Placement(DeviceFacts):
    """Named questions about where a method's data lives, and every fault."""

    @cached_property
    def wasted(self) -> tuple[WastedCopy, ...]:
        """Boundary copies that need not be made."""
        return tuple(wasted_copies(self._method, self)) if self.has_copy_operators else ()

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault of the method, in the order of its steps."""
        return tuple(find_faults(self._method, self)) if self.is_concerned else ()

    def caused_by(self, cause: FaultCause) -> tuple[Fault, ...]:
        """The faults that go back to one kind of fact."""
        return tuple(f for f in self.faults if f.cause is cause)

    def by_tensor(self, cause: FaultCause) -> Iterator[tuple[int, list[Fault]]]:
        """Faults of one cause grouped by tensor object, in the order of the value table."""
        groups: dict[int, list[Fault]] = {}
        for fault in self.caused_by(cause):
            groups.setdefault(fault.place.value, []).append(fault)
        yield from sorted(groups.items())

    def by_argument(self, cause: FaultCause) -> Iterator[tuple[tuple[int, int, int], list[Fault]]]:
        """Faults of one cause grouped by (step index, argument position, value)."""
        groups: dict[tuple[int, int, int], list[Fault]] = {}
        for fault in self.caused_by(cause):
            step = fault.step.index if fault.step is not None else -1
            argument = fault.argument if fault.argument is not None else -1
            groups.setdefault((step, argument, fault.value), []).append(fault)
        yield from sorted(groups.items())


@question
def placement_of(method: Method) -> Placement:
    """Device placement: targets of delegates, boundary copies, faults."""
    return Placement(method)
