"""Where the inputs of a delegate call end and its outputs begin.

The file stores one list of arguments and no count. The exporter lists the inputs in the order of
the lowered module's arguments, then the outputs, each of them a value of its own that no other
instruction produces (exir/emit/_emitter.py: `_Emitter._emit_delegate`). So one position divides a
call, and the boundary lies behind the last argument that is surely an input and not behind the
first that is surely an output. What neither the blob, nor data flow, nor another call of the same
blob settles between these two stays open: it may be read or written, and nothing may be claimed
about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pte_lint.ir.calling import kernel_outputs, list_items
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import DelegateCall, JumpFalseCall, KernelCall, MoveCall

if TYPE_CHECKING:
    from pte_lint.ir.plan import MethodPlan

Arity = tuple[int | None, int]
"""Inputs, where they are known, and outputs of a delegate, as its blob tells them."""

_NUMBERS: Final = (KernelTypes.INT, KernelTypes.DOUBLE, KernelTypes.BOOL)
"""Kinds that a delegate may give as well as take, beside tensors."""


@dataclass(frozen=True, slots=True)
class Split:
    """The parts of one delegate call's arguments, by position.

    `args[:first]` count as inputs and `args[first:end]` as outputs; what follows the blob leaves
    alone. Those in `open` may be either, and `first` is then the likelier of the boundaries.
    """

    first: int
    end: int
    open: range = range(0)


def delegate_splits(method: MethodPlan, arity: Mapping[int, Arity]) -> dict[int, Split]:
    """Splits every delegate call.

    Args:
        method: The method, of which only the tables are read.
        arity: Inputs and outputs by delegate index, where blobs tell them.

    Returns:
        By the position of the instruction among all instructions of the method.
    """
    calls = list(_delegate_calls(method))
    if not calls:
        return {}
    facts = _Uses(method, calls)
    splits = {i: facts.split(i, call, arity.get(call.delegate_index)) for i, call in calls}
    _agree(method, calls, splits)
    return splits


def _delegate_calls(method: MethodPlan) -> Iterator[tuple[int, DelegateCall]]:
    index = 0
    for chain in method.plan.chains or ():
        for instruction in chain.instructions or ():
            if isinstance(instruction.instr_args, DelegateCall):
                yield index, instruction.instr_args
            index += 1


def _agree(
    method: MethodPlan, calls: Sequence[tuple[int, DelegateCall]], splits: dict[int, Split]
) -> None:
    """Calls of one blob have one signature: what settles one of them settles all."""
    known: dict[tuple[object, int], int] = {}
    for index, call in calls:
        if not splits[index].open:
            known.setdefault((_blob(method, call), len(call.args or ())), splits[index].first)
    for index, call in calls:
        split = splits[index]
        first = known.get((_blob(method, call), len(call.args or ())))
        if split.open and first is not None and split.open.start <= first <= split.open.stop:
            splits[index] = replace(split, first=first, open=range(0))


def _blob(method: MethodPlan, call: DelegateCall) -> object:
    """What two delegates share that are the same compiled graph."""
    delegates = method.plan.delegates or ()
    if 0 <= call.delegate_index < len(delegates):
        delegate = delegates[call.delegate_index]
        if delegate.processed is not None:
            return delegate.id, delegate.processed.location, delegate.processed.index
    return call.delegate_index


class _Uses:
    """What the other instructions do with the arguments of delegates."""

    def __init__(self, method: MethodPlan, calls: Sequence[tuple[int, DelegateCall]]) -> None:
        """Looks at every instruction that names an argument of a delegate."""
        self._method = method
        self._asked = frozenset(v for _, call in calls for v in call.args or ())
        self._made: set[int] = set()
        """Values that some kernel produces, earlier or later; an in-place update produces nothing.

        Programs have one producer a value, so a copy that a tool moved behind the delegate that
        reads its target does not turn that target into an output."""
        self._moved: dict[int, int] = {}
        """By value, the first instruction that moves something into it."""
        self._given: dict[int, int] = {}
        """By value, the delegate that gives it in an earlier call."""
        self._used: set[int] = set(method.outputs)
        """Values that some other instruction or the caller reads."""
        self._updated: set[int] = set()
        """Values that some instruction updates in place: state, or a result that is changed."""
        self._callers: dict[int, int] = {}
        """By value, how many delegate calls name it."""
        for v in method.outputs:
            self._used.update(list_items(method.value(v)))
        for _, call in calls:
            for v in set(call.args or ()):
                self._callers[v] = self._callers.get(v, 0) + 1
        self._scan()

    def split(self, index: int, call: DelegateCall, known: Arity | None) -> Split:
        """Splits the call at an instruction; calls must be asked for in order."""
        args, delegate = call.args or (), call.delegate_index
        n = len(args)
        if known is not None:
            inputs, outputs = known
            inputs = n - outputs if inputs is None else inputs
            if inputs >= 0 and inputs + outputs <= n:
                self._give(delegate, args[inputs : inputs + outputs])
                return Split(inputs, inputs + outputs)
        low, high = self._bounds(index, delegate, args)
        first = high
        while first > low and self._is_likely_output(args, first - 1):
            first -= 1
        self._give(delegate, args[first:])
        return Split(first, n, range(low, high))

    def _give(self, delegate: int, results: Sequence[int]) -> None:
        for v in results:
            self._given.setdefault(v, delegate)

    def _bounds(self, index: int, delegate: int, args: Sequence[int]) -> tuple[int, int]:
        """The lowest and the highest position at which outputs may begin."""
        low, n = 0, len(args)
        last_at = {v: position for position, v in enumerate(args)}
        for position, v in enumerate(args):
            # No two outputs are one tensor: of two mentions the earlier is an input.
            moved = self._moved.get(v, index) < index and position < n - 1
            given = self._given.get(v, delegate) != delegate
            if self._is_input(v) or moved or given or last_at[v] != position:
                low = position + 1
        if low == n and n > 1 and self._may_be_result(args[-1]):
            low = n - 1
        for position in range(low, n):
            if self._is_output(args, position):
                return low, position
        return low, n

    def _is_input(self, v: int) -> bool:
        """True for what holds something that this call has not made."""
        method = self._method
        value = method.value(v)
        if value is None or v in self._made:
            return True
        if method.tensor(v) is None:
            return value.val_type not in _NUMBERS
        return (
            bool(method.is_input[v])
            or method.is_constant(v)
            or method.is_external(v)
            or method.has_initial_state(v)
            or method.is_named(v)
        )

    def _is_output(self, args: Sequence[int], position: int) -> bool:
        """True for a tensor that only this call can have made.

        On a device it has to be used: else the copy that fills it may be missing. On the host there
        are no copies, but an argument may be a view.
        """
        method, v = self._method, args[position]
        if method.tensor(v) is None or v in self._updated:
            return False
        is_last = position == len(args) - 1
        if not method.home(v).device.is_host or not is_last:
            used = self._is_used(v) or v in args[:position]
            return used and (is_last or not self._method.elision.may_be_view(v))
        return True

    def _is_likely_output(self, args: Sequence[int], position: int) -> bool:
        """The guess for an open argument: results are used, inputs of the host may be views."""
        v = args[position]
        if self._method.tensor(v) is None:
            return False
        if position == len(args) - 1:
            return True
        if v not in self._updated and not self._method.elision.may_be_view(v):
            return True
        # The exporter numbers the results of a call in a row.
        return self._is_used(v) and args[position + 1] == v + 1

    def _is_used(self, v: int) -> bool:
        return v in self._used or self._callers[v] > 1

    def _may_be_result(self, last: int) -> bool:
        """Whether a call that else gives nothing gives this, over what it held: no exporter keeps
        a call that gives nothing."""
        method = self._method
        return (
            method.tensor(last) is not None
            and self._is_used(last)
            and not (method.is_input[last] or method.is_constant(last) or method.is_external(last))
        )

    # -- other instructions -----------------------------------------------------------------------

    def _scan(self) -> None:
        asked, lists, index = self._asked, self._lists(), -1
        for chain in self._method.plan.chains or ():
            for instruction in chain.instructions or ():
                call = instruction.instr_args
                index += 1
                if isinstance(call, KernelCall):
                    args = call.args or ()
                    if not asked.isdisjoint(args) or not lists.isdisjoint(args):
                        self._kernel(call.op_index, args)
                elif isinstance(call, MoveCall):
                    self._used.update(self._spread((call.move_from,)))
                    for v in self._spread((call.move_to,)):
                        self._moved.setdefault(v, index)
                elif isinstance(call, JumpFalseCall):
                    self._used.add(call.cond_value_index)

    def _kernel(self, op_index: int, args: tuple[int, ...]) -> None:
        method = self._method
        operator = method.operators[op_index] if 0 <= op_index < len(method.operators) else "?"
        first, written = kernel_outputs(operator, args, method.values)
        read = set(self._spread(args[:first]))
        self._used |= read
        changed = set(self._spread([args[p] for p in written]))
        self._made |= changed - read
        self._updated |= changed & read

    def _lists(self) -> frozenset[int]:
        """Lists that hold an argument of a delegate."""
        method, asked = self._method, self._asked
        kinds = (KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST, KernelTypes.INT_LIST)
        return frozenset(
            v
            for v in method.values_of(*kinds)
            if not asked.isdisjoint(list_items(method.values[v]))
        )

    def _spread(self, args: Iterable[int]) -> Iterator[int]:
        for v in args:
            yield v
            yield from list_items(self._method.value(v))
