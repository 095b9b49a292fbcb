"""The instructions of a method as one narrow band: who works when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pte_lint.ir.steps import StepKind
from pte_lint.picture.chart import Frame
from pte_lint.picture.lanes import Lanes
from pte_lint.picture.marks import Mark, MethodMarks
from pte_lint.picture.svg import element
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import is_copy
from pte_lint.schema.frozen import dataclass

HEIGHT = 12
_ORDER = ("kernel", "delegate", "copy")
_MOST_MARKS = 400


@dataclass(frozen=True, slots=True)
class Run:
    """Instructions `first` to `last` that do the same kind of work in one lane."""

    kind: str
    """`kernel`, `delegate`, `copy`, or `other` for moves, jumps and frees."""
    colour: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Strip:
    """The band of one method."""

    steps: int
    runs: tuple[Run, ...]
    marks: tuple[tuple[int, str], ...]
    """(instruction, severity) of instructions with findings; -1 and `steps` are the two ends."""

    def legend(self, lanes: Lanes) -> list[tuple[str, int, str]]:
        """Kind, colour and words for what the band shows; what is unremarkable is left out."""
        found = sorted({(run.kind, run.colour) for run in self.runs if run.kind != "other"})
        names = {lane.colour: lane.name for lane in lanes.all}
        words = {"kernel": "host kernels", "copy": "copies"}
        return [
            (kind, colour, words.get(kind, f"delegates on {names.get(colour, '?')}"))
            for kind, colour in sorted(found, key=lambda f: _ORDER.index(f[0]))
        ]


def strip_of(method: Method, lanes: Lanes, marks: MethodMarks) -> Strip:
    """Collects the runs of a method."""
    runs: list[Run] = []
    for step in method.steps:
        kind, colour = "other", 0
        if is_copy(step.operator):
            kind = "copy"
        elif step.kind is StepKind.KERNEL:
            kind = "kernel"
        elif step.kind is StepKind.DELEGATE:
            kind, target = "delegate", method.placement.target(step)
            if target is not None and target.device is not None:
                colour = lanes.all[lanes.of(target.device)].colour
        if runs and (runs[-1].kind, runs[-1].colour) == (kind, colour):
            runs[-1] = Run(kind, colour, runs[-1].first, step.index)
        else:
            runs.append(Run(kind, colour, step.index, step.index))
    found = [(i, str(m[0].severity)) for i, m in sorted(marks.steps.items())]
    found += _ends(-1, marks.inputs) + _ends(len(method.steps), marks.outputs)
    return Strip(len(method.steps), tuple(runs), tuple(sorted(found)[:_MOST_MARKS]))


def _ends(at: int, marks: Mapping[int, Sequence[Mark]]) -> list[tuple[int, str]]:
    """The worst mark of the method's inputs, or outputs, which share a column."""
    worst = min((m[0].severity for m in marks.values()), key=lambda s: s.rank, default=None)
    return [] if worst is None else [(at, str(worst))]


def draw(strip: Strip, frame: Frame) -> Iterator[str]:
    """Yields the elements of the band."""
    columns = strip.steps + 2
    paths: dict[tuple[str, int], list[str]] = {}
    for run in strip.runs:
        width = run.last - run.first + 1
        shape = f"M{run.first + 1} 0h{width}v1h-{width}z"
        paths.setdefault((run.kind, run.colour), []).append(shape)
    yield element("rect", class_="strip", x=0, y=0, width=frame.x(1), height=HEIGHT)
    if paths:
        yield element(
            "svg",
            *(
                element("path", class_=f"run {kind} lane{colour}", d="".join(d))
                for (kind, colour), d in sorted(paths.items())
            ),
            x=0,
            y=0,
            width=frame.x(1),
            height=HEIGHT,
            viewBox=f"0 0 {columns} 1",
            preserveAspectRatio="none",
        )
    for at, severity in strip.marks:
        yield element(
            "rect",
            class_=f"flag {severity}",
            x=frame.x((at + 1) / columns),
            y=HEIGHT - 3,
            width=frame.x(1 / columns),
            height=3,
        )
