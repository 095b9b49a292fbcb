"""Instructions with their operands: what each one reads and writes.

Derived from the calling convention (`calling`) and, for delegates, from `delegate_split`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain as chained
from typing import TYPE_CHECKING, Final, NamedTuple

from pte_lint.ir.calling import has_usual_outputs, kernel_outputs, list_items
from pte_lint.ir.delegate_split import Arity, delegate_splits
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    DelegateCall,
    FreeCall,
    Instruction,
    JumpFalseCall,
    KernelCall,
    MoveCall,
)
from pte_lint.schema.str_enum import StrEnum

if TYPE_CHECKING:
    from pte_lint.ir.plan import MethodPlan


class StepKind(StrEnum):
    """What an instruction does."""

    KERNEL = "kernel call"
    DELEGATE = "delegate call"
    MOVE = "move"
    JUMP = "jump"
    FREE = "free"
    UNKNOWN = "unknown"


class Step(NamedTuple):
    """One instruction with its operands.

    `index` counts over all chains of the method, `position` inside its chain. `reads` and
    `writes` are value indices with TensorLists spread out; a value that is updated in place is in
    both. `args` are as stored; out-of-range ones are in neither.
    """

    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    chain: int
    position: int
    kind: StepKind
    operator: str
    """Full operator name, delegate id, or the kind's name."""
    args: tuple[int, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    first_output: int
    """`args[:first_output]` are inputs (an in-place operator's written argument among them). Of a
    delegate call it is the likelier boundary where `MethodPlan.open_arguments` leaves a choice."""
    target: int
    """Operator index, delegate index, or jump destination as stored (position in the chain)."""
    at: int
    """Byte offset of the instruction in the file."""


_LISTS = frozenset(
    (KernelTypes.INT_LIST, KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST)
)
_IS_LIST = bytes(code in _LISTS for code in range(256))


_LIST_SHARE: Final = 8
_ITEMS_A_STEP: Final = 16
_LIST_ALLOWANCE: Final = 1 << 17
"""Items of lists that calls may mention: each eight times on average, and so many for each step and
for the method, since short lists are shared by many calls."""


class Entangled(Exception):  # noqa: N818 - a property of the method
    """Calls mention long lists so often that spreading them out would not be linear any more."""


# Calling the class itself takes twice as long.
_new: Callable[[type[Step], Iterable[object]], Step] = tuple.__new__


class StepBuilder:
    """Builds the steps of one method, in one pass."""

    def __init__(self, method: MethodPlan, arity: Mapping[int, Arity]) -> None:
        """`arity` gives inputs and outputs by delegate index, where the blob tells them."""
        self._method = method
        self._lists = bytearray(method.val_types.translate(_IS_LIST))
        self._moved: dict[int, int] = {}
        """By value, the list that an earlier move has put there."""
        self._has_lists = 1 in self._lists
        self._spare = self._affordable_items() if self._has_lists else 0
        """List items that may still be spread out: linear in the method, whatever it repeats."""
        self.args_exist = self._args_are_values()
        self._usual = [self.args_exist and has_usual_outputs(name) for name in method.operators]
        """By operator, whether a call that ends in one tensor twice writes that and nothing else;
        false for all where some argument is no value."""
        self.splits = delegate_splits(method, arity)
        """By step index of delegate calls, where their outputs begin."""

    def build(self) -> Iterator[Step]:
        """Yields all steps, chain after chain."""
        base, usual, lists = self._method.base, self._usual, self._lists
        index, kernel, operators = 0, StepKind.KERNEL, self._method.operators
        for chain_index, chain in enumerate(self._method.plan.chains or ()):
            for position, instruction in enumerate(chain.instructions or ()):
                call = instruction.instr_args
                if (
                    call.__class__ is KernelCall
                    and 0 <= (target := call.op_index) < len(usual)
                    and usual[target]
                    and len(args := call.args or ()) > 1
                    and args[-1] == args[-2]
                    and not lists[args[-1]]
                ):
                    # Nearly all instructions of nearly all programs: the rest of `_decode` is for
                    # the others.
                    kind, operator, first = kernel, operators[target], len(args) - 2
                    reads, writes = args[:first], args[-1:]
                    if self._has_lists:
                        reads = self._spread(reads)
                else:
                    kind, operator, target, args, first, written = self._decode(instruction, index)
                    reads = self._spread(args[:first])
                    moves_list = kind is StepKind.MOVE and self._note_moved_list(*args)
                    writes = written if moves_list else self._spread(written)
                at = base + instruction.at
                yield _new(
                    Step,
                    (
                        index,
                        chain_index,
                        position,
                        kind,
                        operator,
                        args,
                        reads,
                        writes,
                        first,
                        target,
                        at,
                    ),
                )
                index += 1

    def _note_moved_list(self, source: int, target: int) -> bool:
        """Follows a list into another value, or over another list; True when one is concerned.

        The items themselves are not written. Moves count in the order in which they are written
        down: the exporter takes lists apart before it moves anything.
        """
        lists, n = self._lists, len(self._lists)
        if not (0 <= source < n and 0 <= target < n and (lists[source] or lists[target])):
            return False
        lists[target] = lists[source]
        self._moved[target] = self._moved.get(source, source)
        return True

    def _args_are_values(self) -> bool:
        """True when no call has an argument outside the value table."""
        calls = [
            args
            for chain in self._method.plan.chains or ()
            for instruction in chain.instructions or ()
            if (args := getattr(instruction.instr_args, "args", None))
        ]
        lowest = min(chained.from_iterable(calls), default=0)
        highest = max(chained.from_iterable(calls), default=-1)
        return lowest >= 0 and highest < len(self._method.values)

    def _decode(
        self, instruction: Instruction, index: int
    ) -> tuple[StepKind, str, int, tuple[int, ...], int, tuple[int, ...]]:
        """Returns kind, operator, target, arguments, first output position, written arguments."""
        method, call = self._method, instruction.instr_args
        if isinstance(call, KernelCall):
            target, args = call.op_index, call.args or ()
            known = 0 <= target < len(method.operators)
            operator = method.operators[target] if known else "?"
            first, positions = kernel_outputs(operator, args, method.values)
            written = tuple(args[p] for p in positions)
            return StepKind.KERNEL, operator, target, args, first, written
        if isinstance(call, DelegateCall):
            target, args = call.delegate_index, call.args or ()
            split = self.splits[index]
            operator = method.delegate_id(target) or "?"
            first, written = split.first, args[split.first : split.end]
            return StepKind.DELEGATE, operator, target, args, first, written
        if isinstance(call, MoveCall):
            args = (call.move_from, call.move_to)
            return StepKind.MOVE, StepKind.MOVE.value, -1, args, 1, args[1:]
        if isinstance(call, JumpFalseCall):
            args = (call.cond_value_index,)
            target = call.destination_instruction
            return StepKind.JUMP, StepKind.JUMP.value, target, args, 1, ()
        if isinstance(call, FreeCall):
            return StepKind.FREE, StepKind.FREE.value, -1, (call.value_index,), 0, ()
        return StepKind.UNKNOWN, StepKind.UNKNOWN.value, -1, (), 0, ()

    def _spread(self, args: tuple[int, ...]) -> tuple[int, ...]:
        """Replaces lists by their items and drops indices outside the value table."""
        lists = self._lists
        n = len(lists)
        for v in args:
            if not 0 <= v < n or lists[v]:
                break
        else:
            return args
        values = self._method.values
        out: list[int] = []
        for v in args:
            if 0 <= v < n and lists[v]:
                items = list_items(values[self._moved.get(v, v)])
                self._spare -= len(items)
                if self._spare < 0:
                    raise Entangled
                out.extend(i for i in items if i < n)
            elif 0 <= v < n:
                out.append(v)
        return tuple(out)

    def _affordable_items(self) -> int:
        """Items that may be spread out: linear in what the method holds."""
        values = self._method.values
        items = sum(len(list_items(values[v])) for v, is_list in enumerate(self._lists) if is_list)
        steps = sum(len(chain.instructions or ()) for chain in self._method.plan.chains or ())
        return _LIST_SHARE * items + _ITEMS_A_STEP * steps + _LIST_ALLOWANCE
