"""Values that pass for elided views although what should have written them is likely missing.

A value that nothing writes and that lies where another one was written before may be a view that
the exporter elided, or a result whose instruction is gone and whose memory others use too. The file
tells them apart where it also holds a result that nobody reads: the exporter removes dead code, and
copies every result of a delegate for a device to the host (exir/passes/propagate_device_pass.py:
`PropagateDevicePass._insert_d2h_for_getitem`), right behind the call and therefore with the next
numbers among the values (exir/emit/_emitter.py: `_Emitter._emit_delegate`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.flow import flow_of
from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import is_pure
from pte_lint.schema.frozen import dataclass

_BUDGET: Final = 200_000
"""Values behind results that are looked at."""


@dataclass(frozen=True, slots=True)
class MissingWriter:
    """A value that is read, that nothing writes, and that is hardly a view.

    `result` is the value that nobody reads and that the missing instruction took, `made_by` the
    step that writes it. `is_certain` is true for a lost copy from a device: result and target are
    alike, nobody reads the result, and they have neighbouring numbers, or nobody writes or reads
    the target itself and only a view shows it.
    """

    value: int
    reader: Step
    result: int
    made_by: Step
    is_certain: bool


def missing_writers(method: Method) -> Iterator[MissingWriter]:
    """One for each unread result that has such a value, in the order of the results' steps."""
    unwritten = _unwritten(method)
    doubtful = [v for v in unwritten if method.is_read[v]]
    if not doubtful:
        return
    shown = {method.elision.kin(v) for v in doubtful}
    unexplained = _unexplained(method, doubtful)
    told: set[int] = set()
    why = "it has too many values that nothing writes"
    budget = Budget(method.ledger, "which copies of results are missing", why, _BUDGET)
    for step in method.steps:
        if not flow_of(method).reachable[step.index]:
            continue
        if step.kind is StepKind.DELEGATE:
            found = _behind_delegate(method, step, unwritten, doubtful, budget)
        elif step.kind is StepKind.KERNEL and len(step.writes) == 1:
            if method.elision.kin(step.writes[0]) in shown:
                continue  # its views are what is read of it
            found = _behind_kernel(method, step, unexplained, budget)
        else:
            continue
        for each in found:
            if each.value not in told:
                told.add(each.value)
                yield each


def unread_source(method: Method, step: Step, v: int) -> int | None:
    """A tensor of the host that a missing copy to `v`, before a step, may have taken.

    It is like `v`, holds something before the step, and nobody reads it or returns it. None where
    there is none: what else the copy may have taken has other readers.
    """
    for u in method.tensors:
        if method.is_read[u] or method.is_output[u] or not _are_alike(method, u, v):
            continue
        if not method.home(u).device.is_host:
            continue
        if method.is_input[u] or any(w < step.index for w in method.writers(u)):
            return u
    return None


def _unwritten(method: Method) -> list[int]:
    """Values that no step writes and that can be elided views; ascending."""
    written = method.is_written
    return [
        v
        for v in method.tensors
        if not written[v]
        and method.nbytes(v)
        and not method.has_initial_state(v)
        and not method.is_named(v)
        and method.elision.may_be_view(v)
    ]


def _unexplained(method: Method, doubtful: list[int]) -> list[int]:
    """Those that are not all that is read of some result: of that one they are surely views."""
    kin, shown = method.elision.kin, set[int]()
    for v in method.tensors:
        if method.is_written[v] and not method.is_read[v] and not method.is_output[v]:
            shown.add(kin(v))
    return [v for v in doubtful if kin(v) not in shown]


def _behind_delegate(
    method: Method, step: Step, unwritten: list[int], doubtful: list[int], budget: Budget
) -> Iterator[MissingWriter]:
    """The host's copies of results on a device, where those are missing."""
    results = [v for v in step.writes if not method.home(v).device.is_host]
    last = max(results, default=0)
    for result in results:
        if method.is_output[result] or _has_copy(method, result):
            continue
        unread = not method.readers(result)
        for v in _behind(unwritten, result, budget):
            near = last < v <= last + len(results)
            if not (near or unread):
                break
            if not _are_alike(method, v, result):
                continue
            seen = v if method.is_read[v] else _view_of(method, v, doubtful, budget)
            reader = _first_reader(method, seen, step.index)
            if seen is not None and reader is not None:
                certain = unread and (near or seen != v)
                yield MissingWriter(seen, reader, result, step, certain)
                break


def _behind(values: list[int], v: int, budget: Budget) -> Iterator[int]:
    """Those of some values that come after another, as far as they may be looked at."""
    for n in range(bisect_right(values, v), len(values)):
        if not budget.spend():
            return
        yield values[n]


def _view_of(method: Method, v: int, doubtful: list[int], budget: Budget) -> int | None:
    """The next value that can show `v`, which has no reader of its own."""
    shown = (u for u in _behind(doubtful, v, budget) if method.elision.may_show(u, v))
    return next(shown, None)


def _behind_kernel(
    method: Method, step: Step, doubtful: list[int], budget: Budget
) -> Iterator[MissingWriter]:
    """The next value behind a result of the host that nobody reads."""
    (result,) = step.writes
    if method.is_read[result] or method.is_output[result] or not is_pure(step.operator):
        return
    if method.tensor(result) is None or method.has_initial_state(result):
        return
    for v in _behind(doubtful, result, budget):
        reader = _first_reader(method, v, step.index)
        if reader is not None:
            yield MissingWriter(v, reader, result, step, False)
            return


def _has_copy(method: Method, result: int) -> bool:
    """True when a kernel takes the result: of device tensors only boundary copies do."""
    return any(method.steps[i].kind is StepKind.KERNEL for i in method.readers(result))


def _first_reader(method: Method, v: int | None, after: int) -> Step | None:
    """The first step that runs and reads `v`, if it stands behind step `after`."""
    for i in method.readers(v) if v is not None else ():
        if flow_of(method).reachable[i]:
            return method.steps[i] if i > after else None
    return None


def _are_alike(method: Method, v: int, result: int) -> bool:
    """True for two tensors of the same element type, sizes and dim order: the sides of a copy."""
    one, other = method.tensor(v), method.tensor(result)
    return (
        one is not None
        and other is not None
        and (one.scalar_type, one.sizes, one.dim_order)
        == (other.scalar_type, other.sizes, other.dim_order)
    )


@question
def missing_writers_of(method: Method) -> tuple[MissingWriter, ...]:
    """Values that pass for views although what should have written them is likely missing."""
    return tuple(missing_writers(method))
