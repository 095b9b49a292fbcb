"""The rows of a placement picture: method inputs, instructions, method outputs.

A row is a box in the lane where its work is done, or a crossing from one lane to another. What an
instruction needs from another lane although nothing copies it there is a reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pte_lint.inspection.literals import kind_name
from pte_lint.inspection.tensors import tensor_type
from pte_lint.interpret.residency import Place
from pte_lint.ir.device import Home, HomeKind
from pte_lint.ir.steps import Step, StepKind
from pte_lint.picture import anchors
from pte_lint.picture.lanes import Lanes
from pte_lint.picture.marks import Mark, MethodMarks
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import COPY_ARGUMENTS, SOURCE, TARGET, is_copy
from pte_lint.report.phrases import human_bytes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum
from pte_lint.text.printable import printable
from pte_lint.text.sanitise import name

_MOST_OPERANDS = 6
"""Tensors of a row that are named; further ones are counted."""


class RowKind(StrEnum):
    """What a row is about."""

    INPUT = "input"
    KERNEL = "kernel"
    DELEGATE = "delegate"
    COPY = "copy"
    MOVE = "move"
    JUMP = "jump"
    FREE = "free"
    UNKNOWN = "unknown"
    OUTPUT = "output"


_KINDS = {
    StepKind.KERNEL: RowKind.KERNEL,
    StepKind.DELEGATE: RowKind.DELEGATE,
    StepKind.MOVE: RowKind.MOVE,
    StepKind.JUMP: RowKind.JUMP,
    StepKind.FREE: RowKind.FREE,
    StepKind.UNKNOWN: RowKind.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor in a row: `%3`, its type, its lane, and where it lies (`arena 1 + 512`).

    `place` is empty where the row itself changes it.
    """

    value: int
    type: str
    lane: int
    place: str

    @property
    def label(self) -> str:
        """The value's name."""
        return f"%{self.value}"


@dataclass(frozen=True, slots=True)
class Crossing:
    """Bytes that move between lanes: a boundary copy, or what set_input would have to do."""

    source: int
    target: int
    label: str


@dataclass(frozen=True, slots=True)
class Reach:
    """An operand that lies in another lane than the work, with nothing that copies it."""

    operand: Operand
    is_output: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One row."""

    anchor: str
    kind: RowKind
    number: str
    """What stands in the margin: `in 0`, `12`, `out 0`."""
    lane: int
    title: str
    reads: tuple[Operand, ...] = ()
    writes: tuple[Operand, ...] = ()
    more: int = 0
    """Operands that are not named."""
    note: str = ""
    crossing: Crossing | None = None
    reaches: tuple[Reach, ...] = ()
    marks: Sequence[Mark] = ()
    target: str | None = None
    """The anchor that a jump goes to."""
    borrowed: bool = False
    """The tensor is in the caller's memory."""

    @property
    def lanes(self) -> tuple[int, int]:
        """The first and the last lane that the row touches."""
        touched = {self.lane, *(r.operand.lane for r in self.reaches)}
        if self.crossing is not None:
            touched = {self.crossing.source, self.crossing.target}
        return min(touched), max(touched)

    @property
    def ending(self) -> str:
        """How the run ends because of the worst mark, without the stage of a row that tells it."""
        ending = self.marks[0].ending if self.marks else ""
        return ending.removeprefix("set_input ") if self.kind is RowKind.INPUT else ending

    @property
    def severity(self) -> str:
        """The worst mark's severity; empty without one."""
        return str(self.marks[0].severity) if self.marks else ""


class RowBuilder:
    """Makes rows of one method."""

    def __init__(self, method: Method, lanes: Lanes, marks: MethodMarks) -> None:
        """Takes what rows refer to."""
        self._method, self._lanes, self._marks = method, lanes, marks

    # -- method inputs and outputs ----------------------------------------------------------------

    def input_row(self, position: int) -> Row:
        """How method input `position` comes in."""
        method, v = self._method, self._method.inputs[position]
        anchor = anchors.input_port(method.index, position)
        title, marks = f"input {position}", self._marks.inputs.get(position, ())
        number = f"in {position}"
        if method.tensor(v) is None:
            kind = name(kind_name(method.value(v)))
            return Row(anchor, RowKind.INPUT, number, 0, title, note=kind, marks=marks)
        home, operand = method.home(v), self._operand(v)
        size, crossing = human_bytes(method.nbytes(v)), None
        if home.kind is HomeKind.ARENA:
            note = f"set_input copies {size}"
            if operand.lane:
                would = "would copy" if any(m.ending for m in marks) else "copies"
                crossing = Crossing(0, operand.lane, f"{title}: set_input {would} {size}")
        else:
            note = "set_input binds it" if home.kind is HomeKind.CALLER else "set_input"
        return Row(
            anchor,
            RowKind.INPUT,
            number,
            operand.lane,
            title,
            writes=(operand,),
            note=note,
            crossing=crossing,
            marks=marks,
            borrowed=home.kind is HomeKind.CALLER,
        )

    def output_row(self, position: int) -> Row:
        """How method output `position` is handed over."""
        method, v = self._method, self._method.outputs[position]
        anchor = anchors.output_port(method.index, position)
        title, marks = f"output {position}", self._marks.outputs.get(position, ())
        number = f"out {position}"
        if method.tensor(v) is None:
            kind = name(kind_name(method.value(v)))
            return Row(anchor, RowKind.OUTPUT, number, 0, title, note=kind, marks=marks)
        ends = method.residency.at_end(v)
        operand = self._operand(v, ends[0] if ends else None)
        home = ends[0].home if ends else method.home(v)
        return Row(
            anchor,
            RowKind.OUTPUT,
            number,
            operand.lane,
            title,
            reads=(operand,),
            note=human_bytes(method.nbytes(v)),
            marks=marks,
            borrowed=home.kind is HomeKind.CALLER,
        )

    # -- instructions -----------------------------------------------------------------------------

    def step_row(self, step: Step) -> Row:
        """What instruction `step` does, and where."""
        anchor = anchors.step(self._method.index, step.index)
        marks = self._marks.steps.get(step.index, ())
        if is_copy(step.operator) and len(step.args) == COPY_ARGUMENTS:
            row = self._copy(step, anchor, marks)
            if row is not None:
                return row
        kind = _KINDS[step.kind]
        if kind is RowKind.JUMP:
            return self._jump(step, anchor, marks)
        lane, note = self._work(step)
        reads, writes = self._operands(step, step.reads), self._operands(step, step.writes)
        works = kind in (RowKind.KERNEL, RowKind.DELEGATE)
        if kind is RowKind.MOVE:  # it changes where its target lies
            writes = tuple(replace(operand, place="") for operand in writes)
        reaches = tuple(
            Reach(operand, is_output)
            for operands, is_output in ((reads, False), (writes, True))
            for operand in operands
            if works and operand.lane != lane and operand.place != NOWHERE
        )
        more = max(len(reads) - _MOST_OPERANDS, 0) + max(len(writes) - _MOST_OPERANDS, 0)
        return Row(
            anchor,
            kind,
            str(step.index),
            lane,
            name(printable(step.operator)),
            reads[:_MOST_OPERANDS],
            writes[:_MOST_OPERANDS],
            more,
            note,
            reaches=reaches[:_MOST_OPERANDS],
            marks=marks,
        )

    def _work(self, step: Step) -> tuple[int, str]:
        """The lane where the work of an instruction is done, and what to say about it."""
        if step.kind is not StepKind.DELEGATE:
            return 0, ""
        target = self._method.placement.target(step)
        if target is None or target.device is None:
            return 0, f"delegate {step.target}, its device is not known"
        return self._lanes.of(target.device), f"delegate {step.target}"

    def _copy(self, step: Step, anchor: str, marks: Sequence[Mark]) -> Row | None:
        sides = [self._operands(step, (step.args[side],)) for side in (SOURCE, TARGET)]
        if not all(sides):
            return None
        (source,), (target,) = sides
        direction = "h2d" if "h2d" in step.operator else "d2h"
        size = human_bytes(self._method.nbytes(step.args[SOURCE]))
        crossing = None
        if source.lane != target.lane:
            crossing = Crossing(source.lane, target.lane, f"{direction} copy, {size}")
        return Row(
            anchor,
            RowKind.COPY,
            str(step.index),
            target.lane,
            f"{direction} copy",
            (source,),
            (target,),
            note=size,
            crossing=crossing,
            marks=marks,
        )

    def _jump(self, step: Step, anchor: str, marks: Sequence[Mark]) -> Row:
        method = self._method
        goal = method.flow.destination(step)
        ends = goal >= len(method.steps)
        where = "the end" if ends else str(goal)
        constant = method.flow.outcome(step.index)
        title = f"if %{step.args[0]} is false, go to {where}"
        if constant is False:
            title = f"go to {where}"
        elif constant is True:
            title = f"never go to {where}"
        target = anchors.end(method.index) if ends else anchors.step(method.index, goal)
        return Row(anchor, RowKind.JUMP, str(step.index), 0, title, marks=marks, target=target)

    # -- operands ---------------------------------------------------------------------------------

    def _operands(self, step: Step, values: Sequence[int]) -> tuple[Operand, ...]:
        """The tensors among some operands of a step, each once, where they lie before it."""
        found = []
        for v in dict.fromkeys(values):
            if self._method.tensor(v) is not None:
                places = self._method.residency.places(step, v)
                found.append(self._operand(v, places[0] if places else None))
        return tuple(found)

    def _operand(self, v: int, place: Place | None = None) -> Operand:
        method = self._method
        tensor = method.tensor(v)
        home = place.home if place is not None else method.home(v)
        storage = v if place is None or place.storage is None else place.storage
        where = method.tag(v) if home.is_null else home.device
        text = _place_text(method, home, storage)
        tag = method.tag(v)
        alike = tag == home.device or (tag.is_host and home.device.is_host)
        if not home.is_null and not alike:
            text += f", tagged {tag}"
        label = name(str(tensor_type(tensor))) if tensor is not None else ""
        return Operand(v, label, self._lanes.of(where), text)


NOWHERE = "no memory"


def _place_text(method: Method, home: Home, v: int) -> str:
    match home.kind:
        case HomeKind.ARENA:
            place = method.place(v)
            return f"arena {home.memory_id} + {place[1] if place else 0}"
        case HomeKind.CONSTANT:
            return "constant"
        case HomeKind.EXTERNAL:
            return "external data"
        case HomeKind.CALLER:
            return "the caller's memory"
        case HomeKind.FREED:
            return "freed"
        case _:
            return NOWHERE
