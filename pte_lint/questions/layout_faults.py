"""Kernel calls whose kernels take a tensor for something else than it is, by version."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pte_lint.claims.forecast import RUNTIME_VERSIONS
from pte_lint.interpret.flow import flow_of
from pte_lint.ir.calling import list_items
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.layouts.call import Misread, PlacedCall, Unknown
from pte_lint.ops.layouts.table import PATTERNS
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.placed_call import FilePlacedCall
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor


@dataclass(frozen=True, slots=True)
class LayoutFault:
    """What is wrong with one call: one entry a version in `RUNTIME_VERSIONS`, None for nothing."""

    step: Step
    by_version: tuple[Misread | None, ...]

    @property
    def newest(self) -> Misread:
        """What the newest of the versions that go wrong do."""
        return next(each for each in reversed(self.by_version) if each is not None)


def layout_faults(method: Method, is_uniform: Callable[[int], bool]) -> Iterator[LayoutFault]:
    """The calls that can be reached and that go wrong for how tensors lie in memory.

    Calls all of whose tensors are in the default order cost one look at each kind of them; a
    method without any other tensor costs one look at its values.
    """
    unusual = unusual_tensors(method)
    if not unusual:
        return
    lists = {
        v
        for v, value in enumerate(method.values)
        if not isinstance(value.val, Tensor) and not unusual.isdisjoint(list_items(value))
    }
    reachable = flow_of(method).reachable
    for alike in method.calls.groups:
        if alike.operator not in PATTERNS:
            continue
        for step in alike.calls:
            if not (unusual.isdisjoint(step.args) and lists.isdisjoint(step.args)):
                fault = judge_call(method, step, is_uniform) if reachable[step.index] else None
                if fault is not None:
                    yield fault


def unusual_tensors(method: Method) -> set[int]:
    """Values that are tensors in another order than the default, as far as that shows."""
    found: set[int] = set()
    for form in method.table.forms:
        order = form.tensor.dim_order or ()
        if list(order) != sorted(order):
            found.update(form.values)
    return found


def judge_call(method: Method, step: Step, is_uniform: Callable[[int], bool]) -> LayoutFault | None:
    """What is wrong with one call; None where nothing is, or that cannot be said."""
    schema = operator_schema(step.operator)
    if schema is None or len(step.args) != schema.call_size:
        return None
    if any(not 0 <= v < len(method.values) for v in step.args):
        return None
    newest = FilePlacedCall(method, step, schema, is_uniform)
    reason = _outcome(newest)
    found: tuple[Misread | None, ...] = (reason,) * len(RUNTIME_VERSIONS)
    if newest.has_looked_at_version:
        older = [
            _outcome(FilePlacedCall(method, step, schema, is_uniform, version))
            for version in RUNTIME_VERSIONS[:-1]
        ]
        found = (*older, reason)
    return LayoutFault(step, found) if any(found) else None


def _outcome(call: PlacedCall) -> Misread | None:
    try:
        PATTERNS[call.operator](call)
    except Misread as fault:
        return fault
    except Unknown:
        return None
    return None
