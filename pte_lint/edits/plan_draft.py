"""One method that is being changed.

Everything is named by where it was in the file, whatever was changed before: values and
instructions keep their numbers until the draft is finished. Jumps lead to instructions, not to
positions, so that one put in or left out moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from pte_lint.schema.enums import InstructionKind, KernelTypes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    Chain,
    DelegateCall,
    EValue,
    ExecutionPlan,
    FrameList,
    FreeCall,
    Instruction,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Operator,
    OptionalTensorList,
    Tensor,
    TensorList,
)

T = TypeVar("T")
Remap = Callable[[int], int]


class EditError(Exception):
    """An edit does not fit the program; the text says what is in its way."""


@dataclass(slots=True, eq=False)
class Line:
    """An instruction of the file, with what was put around it.

    Attributes:
        instruction: What it does, with the numbers of the file.
        frames: Its stack trace.
        goal: For a jump, the line it leads to; None for the end of the chain.
        before: New instructions that run first, also for what jumps here.
        after: New instructions that run next, but for what jumps past this line.
        is_dropped: Whether it is left out; what jumps here goes on with what follows.
    """

    instruction: Instruction
    frames: FrameList | None = None
    goal: Line | None = None
    before: tuple[Instruction, ...] = ()
    after: tuple[Instruction, ...] = ()
    is_dropped: bool = False
    beyond: int = 0
    """For a jump, how far behind the end of its chain it leads."""


class PlanDraft:
    """The parts of one method, to be changed in place."""

    def __init__(self, plan: ExecutionPlan) -> None:
        """Takes a plan apart.

        Raises:
            EditError: A jump leads out of its chain.
        """
        self.plan = plan
        self.values: list[EValue] = list(plan.values or ())
        self.operators: list[Operator] = list(plan.operators or ())
        self.delegates = list(plan.delegates or ())
        self.sizes: list[int] = list(plan.non_const_buffer_sizes or ())
        self.devices = list(plan.non_const_buffer_device or ())
        self.dropped_values: set[int] = set()
        self.dropped_operators: set[int] = set()
        self.dropped_delegates: set[int] = set()
        self.lines: list[Line] = []
        """All instructions of the file, by their index over all chains."""
        self._chains = [self._taken_apart(chain) for chain in plan.chains or ()]

    # -- looking ----------------------------------------------------------------------------------

    def tensor(self, v: int) -> Tensor:
        """The tensor at a value.

        Raises:
            EditError: There is none.
        """
        content = self.values[v].val if 0 <= v < len(self.values) else None
        if not isinstance(content, Tensor):
            raise EditError(f"value {v} is no tensor")
        return content

    def line(self, number: int) -> Line:
        """The instruction with a number of the file.

        Raises:
            EditError: There is none, or it was dropped.
        """
        line = self.lines[number] if 0 <= number < len(self.lines) else None
        if line is None or line.is_dropped:
            raise EditError(f"there is no instruction {number}")
        return line

    # -- values and operators ---------------------------------------------------------------------

    def change_tensor(self, v: int, **fields: Any) -> None:
        """Sets fields of the tensor at a value."""
        tensor = self.tensor(v)
        self.values[v] = replace(self.values[v], val=replace(tensor, **fields))

    def add_value(self, value: EValue) -> int:
        """Puts in a value; returns its number."""
        self.values.append(value)
        return len(self.values) - 1

    def add_tensor(self, tensor: Tensor) -> int:
        """Puts in a tensor; returns its number."""
        return self.add_value(EValue(KernelTypes.TENSOR, tensor))

    def operator(self, name: str, overload: str) -> int:
        """The index of an operator, put into the table where it is not there yet."""
        for index, known in enumerate(self.operators):
            if (known.name, known.overload) == (name, overload):
                return index
        self.operators.append(Operator(name, overload))
        return len(self.operators) - 1

    # -- instructions -----------------------------------------------------------------------------

    def insert_before(self, number: int, instruction: Instruction) -> None:
        """Puts an instruction before another; what jumped to that one meets the new one first."""
        line = self.line(number)
        line.before = (*line.before, instruction)

    def insert_after(self, number: int, instruction: Instruction) -> None:
        """Puts an instruction behind another; what jumps past that one jumps past both."""
        line = self.line(number)
        line.after = (*line.after, instruction)

    def drop(self, number: int) -> None:
        """Leaves an instruction out; what jumped to it goes on with the next one."""
        self.line(number).is_dropped = True

    def change_call(self, number: int, change: Callable[[list[int]], None]) -> None:
        """Changes the arguments of a kernel or delegate call.

        Raises:
            EditError: The instruction is no call.
        """
        line = self.line(number)
        call = line.instruction.instr_args
        if not isinstance(call, KernelCall | DelegateCall):
            raise EditError(f"instruction {number} is no call")
        args = list(call.args or ())
        change(args)
        line.instruction = replace(line.instruction, instr_args=replace(call, args=tuple(args)))

    # -- the end ----------------------------------------------------------------------------------

    def finish(self) -> ExecutionPlan:
        """The changed plan.

        Raises:
            EditError: Something that was dropped is still named.
        """
        value_at = _compacted(len(self.values), self.dropped_values, "value")
        operator_at = _compacted(len(self.operators), self.dropped_operators, "operator")
        plan = self.plan
        delegate_at = _compacted(len(self.delegates), self.dropped_delegates, "delegate")
        chains = [
            _chain(old, lines, Places(value_at, operator_at, delegate_at))
            for old, lines in zip(plan.chains or (), self._chains, strict=True)
        ]
        values = _kept(self.values, self.dropped_values)
        return replace(
            plan,
            values=_like(plan.values, [_renumbered(value, value_at) for value in values]),
            inputs=_mapped(plan.inputs, value_at),
            outputs=_mapped(plan.outputs, value_at),
            chains=_like(plan.chains, chains),
            operators=_like(plan.operators, _kept(self.operators, self.dropped_operators)),
            delegates=_like(plan.delegates, _kept(self.delegates, self.dropped_delegates)),
            non_const_buffer_sizes=_like(plan.non_const_buffer_sizes, self.sizes),
            non_const_buffer_device=_like(plan.non_const_buffer_device, self.devices),
        )

    def _taken_apart(self, chain: Chain) -> list[Line]:
        instructions, frames = chain.instructions or (), chain.stacktrace
        fits = frames is not None and len(frames) == len(instructions)
        lines = [
            Line(instruction, frames[n] if frames is not None and fits else None)
            for n, instruction in enumerate(instructions)
        ]
        for n, line in enumerate(lines):
            call = line.instruction.instr_args
            if isinstance(call, JumpFalseCall):
                to = call.destination_instruction
                if to < 0:
                    number = len(self.lines) + n
                    raise EditError(f"the jump at instruction {number} leads out of its chain")
                line.goal = lines[to] if to < len(lines) else None
                line.beyond = max(to - len(lines), 0)
        self.lines += lines
        return lines


class Places(NamedTuple):
    """Where values, operators and delegates are once some were left out."""

    value: Remap
    operator: Remap
    delegate: Remap

    @property
    def keep_all(self) -> bool:
        """Whether none was: what names them stays the record it is, which the file may share."""
        return self.value is _same and self.operator is _same and self.delegate is _same


def _chain(old: Chain, lines: list[Line], at: Places) -> Chain:
    starts: dict[int, int] = {}
    flat: list[tuple[Instruction, Line | None]] = []
    for line in lines:
        starts[id(line)] = len(flat)
        flat += [(instruction, None) for instruction in line.before]
        if not line.is_dropped:
            flat.append((line.instruction, line))
        flat += [(instruction, None) for instruction in line.after]
    instructions = []
    for instruction, origin in flat:
        goal = origin.goal if origin is not None else None
        past = len(flat) + (origin.beyond if origin is not None else 0)
        to = past if goal is None else starts[id(goal)]
        instructions.append(_readdressed(instruction, at, to))
    old_frames = old.stacktrace
    frames: tuple[FrameList, ...] | None = None
    if old_frames is not None and len(old_frames) == len(lines):
        frames = tuple((origin.frames if origin else None) or FrameList(()) for _, origin in flat)
    elif [origin for _, origin in flat] == lines:
        # Stack traces that fit no instructions stay as they are until one comes or goes.
        frames = old_frames
    return replace(
        old,
        inputs=_mapped(old.inputs, at.value),
        outputs=_mapped(old.outputs, at.value),
        instructions=_like(old.instructions, instructions),
        stacktrace=frames,
    )


def kernel_call(operator: int, args: Iterable[int]) -> Instruction:
    """A call of the operator at an index."""
    return Instruction(InstructionKind.KERNEL_CALL, KernelCall(operator, tuple(args)))


def _like(old: tuple[T, ...] | None, new: Iterable[T]) -> tuple[T, ...] | None:
    """What was absent and has got nothing stays absent: the runtime tells that from empty."""
    items = tuple(new)
    return None if old is None and not items else items


def _kept(items: list[T], dropped: set[int]) -> list[T]:
    return [item for n, item in enumerate(items) if n not in dropped]


def _same(index: int) -> int:
    return index


def _compacted(count: int, dropped: set[int], what: str) -> Remap:
    if not dropped:
        return _same
    places: dict[int, int] = {}
    for index in range(count):
        if index not in dropped:
            places[index] = len(places)

    def place(index: int) -> int:
        if index in dropped:
            raise EditError(f"{what} {index} is left out and still used")
        return places.get(index, index)

    return place


def _mapped(indices: tuple[int, ...] | None, at: Remap) -> tuple[int, ...] | None:
    return indices if indices is None or at is _same else tuple(map(at, indices))


def _renumbered(value: EValue, at: Remap) -> EValue:
    content = value.val
    if at is _same:
        return value
    if isinstance(content, IntList | TensorList | OptionalTensorList) and content.items:
        # -1 is an absent element of a list of optional tensors.
        items = tuple(item if item < 0 else at(item) for item in content.items)
        return replace(value, val=replace(content, items=items))
    return value


def _readdressed(instruction: Instruction, at: Places, goal: int) -> Instruction:
    call = instruction.instr_args
    if at.keep_all and not (
        isinstance(call, JumpFalseCall) and call.destination_instruction != goal
    ):
        return instruction
    changed: Any = call
    match call:
        case KernelCall():
            changed = replace(
                call, op_index=at.operator(call.op_index), args=_mapped(call.args, at.value)
            )
        case DelegateCall():
            changed = replace(
                call,
                delegate_index=at.delegate(call.delegate_index),
                args=_mapped(call.args, at.value),
            )
        case MoveCall():
            changed = replace(
                call, move_from=at.value(call.move_from), move_to=at.value(call.move_to)
            )
        case JumpFalseCall():
            condition = at.value(call.cond_value_index)
            changed = replace(call, cond_value_index=condition, destination_instruction=goal)
        case FreeCall():
            changed = replace(call, value_index=at.value(call.value_index))
    return replace(instruction, instr_args=changed)
