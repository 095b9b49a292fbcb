"""The placement picture of a method: lanes, and rows in the order in which things happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from pte_lint.inspection.listing import instruction_text
from pte_lint.ir.calling import H2D_COPY
from pte_lint.ir.steps import Step, StepKind
from pte_lint.picture import anchors
from pte_lint.picture.folds import Stretch, stretches
from pte_lint.picture.lanes import Lane, Lanes
from pte_lint.picture.marks import MethodMarks
from pte_lint.picture.rows import Row, RowBuilder
from pte_lint.picture.tracks import Piece, Span, tracks
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import is_copy
from pte_lint.report.phrases import human_bytes, plural
from pte_lint.schema.frozen import dataclass
from pte_lint.text.printable import printable
from pte_lint.text.sanitise import name, prose

MOST_LISTED = 12_000
"""Folded instructions of a page that are listed; of the rest only counts are given."""

_MOST_PORTS = 60
"""Method inputs, and outputs, that get a row."""

_MOST_NAMES = 4
"""Operators named in the summary of a fold."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded stretch: instructions `first` to `last`, both included."""

    anchor: str
    first: int
    last: int
    lanes: tuple[str, ...]
    """By lane, what happens there."""
    crossings: str
    operators: str
    findings: int
    """Instructions in the stretch that have findings."""
    lines: tuple[tuple[int, str], ...]
    """The instructions, number and text; empty where there are too many to list."""

    @property
    def count(self) -> int:
        """How many instructions."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A row or a fold, with the pieces of jumps in its margin."""

    row: Row | None
    fold: Fold | None
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class PlacementPicture:
    """Everything that the picture shows of one method."""

    lanes: tuple[Lane, ...]
    entries: tuple[Entry, ...]
    steps: int
    hidden_inputs: int
    hidden_outputs: int
    end: str
    """The anchor of the method's end."""
    has_jumps: bool


class Budget:
    """How many folded instructions may still be listed."""

    def __init__(self, left: int = MOST_LISTED) -> None:
        """Starts with `left` lines."""
        self._left = left

    def take(self, lines: int) -> bool:
        """Takes `lines` if there are as many."""
        if lines > self._left:
            return False
        self._left -= lines
        return True


def placement_picture(
    method: Method, lanes: Lanes, marks: MethodMarks, budget: Budget
) -> PlacementPicture:
    """Draws up the placement of one method.

    Args:
        method: the method.
        lanes: its lanes.
        marks: its findings.
        budget: lines for folded instructions, shared by the methods of a page.
    """
    builder = RowBuilder(method, lanes, marks)
    inputs = _ports(len(method.inputs), marks.inputs)
    outputs = _ports(len(method.outputs), marks.outputs)
    parts: list[Row | Fold] = [
        *(builder.input_row(position) for position in inputs),
        *_instructions(method, lanes, marks, builder, budget),
        *(builder.output_row(position) for position in outputs),
    ]
    margin = tracks(_spans(method, parts), len(parts) + 1)
    entries = tuple(
        Entry(
            part if isinstance(part, Row) else None,
            part if isinstance(part, Fold) else None,
            tuple(margin[n]),
        )
        for n, part in enumerate(parts)
    )
    return PlacementPicture(
        lanes.all,
        entries,
        len(method.steps),
        len(method.inputs) - len(inputs),
        len(method.outputs) - len(outputs),
        anchors.end(method.index),
        not method.flow.is_straight,
    )


def _instructions(
    method: Method, lanes: Lanes, marks: MethodMarks, builder: RowBuilder, budget: Budget
) -> Iterator[Row | Fold]:
    folder = _Folder(method, lanes, marks, budget)
    for stretch in stretches(method, marks):
        if stretch.folded:
            yield folder.fold(stretch)
        else:
            for i in range(stretch.first, stretch.last + 1):
                yield builder.step_row(method.steps[i])


def _ports(count: int, marked: Iterable[int]) -> list[int]:
    """The ports that get a row: the first ones, and the first of those that have findings."""
    return sorted({*range(min(count, _MOST_PORTS)), *islice(marked, _MOST_PORTS)})


def _spans(method: Method, parts: list[Row | Fold]) -> Iterator[Span]:
    """Jumps by position among the rows; those inside of one fold are left out."""
    where: dict[int, int] = {}
    starts: list[tuple[int, int]] = []
    end = len(parts)
    for n, part in enumerate(parts):
        if isinstance(part, Fold):
            starts.append((part.first, n))
            for i in range(part.first, part.last + 1):
                where[i] = n
        elif part.number.isdigit():
            where[int(part.number)] = n
        elif part.number.startswith("out"):
            end = min(end, n)
    for index in method.flow.jumps:
        goal = method.flow.destination(method.steps[index])
        source, target = where[index], where.get(goal, end)
        if source != target:
            yield Span(source, target)


class _Folder:
    """Sums up stretches of one method."""

    def __init__(self, method: Method, lanes: Lanes, marks: MethodMarks, budget: Budget) -> None:
        self._method, self._lanes, self._marks = method, lanes, marks
        self._budget = budget
        self._text = instruction_text(method)

    def fold(self, stretch: Stretch) -> Fold:
        """One stretch."""
        method, marks = self._method, self._marks
        steps = method.steps[stretch.first : stretch.last + 1]
        per_lane: list[Counter[str]] = [Counter() for _ in self._lanes.all]
        operators: Counter[str] = Counter()
        copied = {"h2d": [0, 0], "d2h": [0, 0]}
        for step in steps:
            if is_copy(step.operator):
                entry = copied["h2d" if step.operator == H2D_COPY else "d2h"]
                entry[0] += 1
                entry[1] += method.nbytes(step.args[0]) if step.args else 0
                continue
            per_lane[self._lane(step)][str(step.kind)] += 1
            if step.kind is StepKind.KERNEL:
                operators[step.operator] += 1
        listed = self._budget.take(len(steps))
        crossings = [_copies(direction, *entry) for direction, entry in copied.items() if entry[0]]
        return Fold(
            anchors.fold(method.index, stretch.first),
            stretch.first,
            stretch.last,
            tuple(_counted(kinds) for kinds in per_lane),
            ", ".join(crossings),
            _named(operators),
            sum(1 for i in marks.steps if stretch.first <= i <= stretch.last),
            tuple((s.index, prose(self._text(s))) for s in steps) if listed else (),
        )

    def _lane(self, step: Step) -> int:
        if step.kind is not StepKind.DELEGATE:
            return 0
        target = self._method.placement.target(step)
        return self._lanes.of(target.device) if target and target.device else 0


def _copies(direction: str, count: int, nbytes: int) -> str:
    return f"{count:,} {direction} cop{'y' if count == 1 else 'ies'} ({human_bytes(nbytes)})"


def _counted(kinds: Counter[str]) -> str:
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in ranked)


def _named(operators: Counter[str]) -> str:
    ranked = sorted(operators.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{n:,} x {name(printable(operator))}" for operator, n in ranked[:_MOST_NAMES]]
    if len(ranked) > _MOST_NAMES:
        told.append(plural(len(ranked) - _MOST_NAMES, "other operator"))
    return ", ".join(told)
