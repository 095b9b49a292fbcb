"""Where findings belong in the pictures of a method.

A finding about an instruction marks its row, one about a tensor marks its rectangle and, for a
method input or output, that row. A placement fault (`pte_lint.questions.placement.faults`) shows
where a finding about a tensor comes to light, so the instructions that meet it are marked too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.ir.steps import StepKind
from pte_lint.picture import anchors
from pte_lint.questions.method import Method
from pte_lint.questions.placement.faults import CheckSite, Fault
from pte_lint.report.phrases import prediction
from pte_lint.schema.frozen import dataclass, field
from pte_lint.text import sanitise

_MOST: Final = 50
"""Inputs, and outputs, that are marked for one value, and marks that one thing can have. A hostile
file lists one value thousands of times, and gives as many findings about it."""

_PLAN = re.compile(r"execution_plan\[(\d+)\](?:\.(delegates|operators)\[(\d+)\])?")


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding, as pictures show it."""

    anchor: str
    rule: str
    severity: Severity
    text: str
    """The finding's message, safe to show."""
    ending: str = ""
    """How the target's runtime ends because of it (`set_input fails with NotSupported`)."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two tensors of one arena that need the same bytes, and the finding that says so.

    `step` is the instruction that destroys `victim`, None for the caller who sets the inputs.
    """

    mark: Mark
    memory_id: int
    step: int | None
    start: int
    end: int
    """Bytes [start, end) of the arena that both need."""
    values: frozenset[int]
    """The two tensors."""


@dataclass(slots=True)
class MethodMarks:
    """The marks of one method by what they belong to; each list has the worst first."""

    steps: dict[int, list[Mark]] = field(default_factory=dict)
    inputs: dict[int, list[Mark]] = field(default_factory=dict)
    """By position among the method's inputs."""
    outputs: dict[int, list[Mark]] = field(default_factory=dict)
    values: dict[int, list[Mark]] = field(default_factory=dict)
    overlaps: list[Overlap] = field(default_factory=list)
    places: dict[str, list[str]] = field(default_factory=dict)
    """By the finding's anchor, anchors of what it marks, in the order in which they were found."""


def method_of(finding: Finding, methods: Sequence[Method]) -> int | None:
    """The index of the method that a finding is about; None for the artifact as a whole."""
    if finding.method is None:
        return None
    match = _PLAN.match(finding.location.path)
    if match and int(match[1]) < len(methods):
        return int(match[1])
    return next((n for n, m in enumerate(methods) if m.name == finding.method), None)


def mark(finding: Finding) -> Mark:
    """The mark of a finding."""
    return Mark(
        anchors.finding(finding),
        finding.rule,
        finding.severity or Severity.INFO,
        sanitise.prose(finding.message.replace("\n", " ")),
        _ending(finding),
    )


def _ending(finding: Finding) -> str:
    said = finding.runtime
    if finding.severity is not Severity.ERROR or said is None or said.outcome is Outcome.OK:
        return ""
    return prediction(said)


def method_marks(method: Method, findings: Iterable[Finding]) -> MethodMarks:
    """Places the findings about one method.

    Args:
        method: the method.
        findings: the findings about it, in the order of the report.
    """
    marker = _Marker(method)
    for finding in sorted(findings, key=lambda f: (f.severity or Severity.INFO).rank):
        marker.add(finding)
    return marker.marks


class _Marker:
    def __init__(self, method: Method) -> None:
        self._method = method
        self.marks = MethodMarks()
        self._ports: dict[int, tuple[list[int], list[int]]] = {}
        for side, listed in enumerate((method.inputs, method.outputs)):
            for position, v in enumerate(listed):
                positions = self._ports.setdefault(v, ([], []))[side]
                if len(positions) < _MOST:
                    positions.append(position)

    @cached_property
    def _faults_by(self) -> dict[tuple[str, int | None], list[Fault]]:
        """Placement faults by cause and value."""
        found: dict[tuple[str, int | None], list[Fault]] = {}
        for fault in self._method.placement.faults:
            for v in dict.fromkeys((fault.value, fault.place.value)):
                found.setdefault((str(fault.cause), v), []).append(fault)
        return found

    @cached_property
    def _first_use(self) -> dict[tuple[StepKind, int], int]:
        """The first instruction by kind and entry of the delegate or operator table."""
        found: dict[tuple[StepKind, int], int] = {}
        for step in self._method.steps:
            found.setdefault((step.kind, step.target), step.index)
        return found

    def add(self, finding: Finding) -> None:
        made, at = mark(finding), finding.location
        self.marks.places.setdefault(made.anchor, [])
        if at.instruction is not None and 0 <= at.instruction < len(self._method.steps):
            self._step(made, at.instruction)
        elif at.value is not None:
            self._value(made, at.value)
            for position in self._ports.get(at.value, ((), ()))[0]:
                self._input(made, position)
            for position in self._ports.get(at.value, ((), ()))[1]:
                self._output(made, position)
        else:
            self._entry(made, at.path)
        self._faults(made, finding)
        self._overlap(made, finding)

    def _faults(self, made: Mark, finding: Finding) -> None:
        """Marks where a placement fault comes to light; its cause is the rule's name."""
        for fault in self._faults_by.get((finding.name, finding.location.value), ()):
            if fault.step is not None:
                self._step(made, fault.step.index)
            elif fault.check_site is CheckSite.SET_INPUT:
                for position in self._ports.get(fault.value, ((), ()))[0]:
                    self._input(made, position)

    def _overlap(self, made: Mark, finding: Finding) -> None:
        """Reads the ranges that a finding about an overlap has in its evidence."""
        told = finding.evidence
        arena, spots = told.get("arena"), (told.get("written_bytes"), told.get("needed_bytes"))
        ranges = [tuple(r) for r in spots if isinstance(r, list | tuple) and len(r) == 2]
        if not isinstance(arena, int) or len(ranges) != 2:
            return
        start, end = max(r[0] for r in ranges), min(r[1] for r in ranges)
        both = (told.get("written_value"), told.get("needed_value"))
        values = frozenset(v for v in both if isinstance(v, int))
        step = finding.location.instruction
        self.marks.overlaps.append(Overlap(made, arena, step, start, end, values))
        for v in sorted(values):
            self._value(made, v)

    def _entry(self, made: Mark, path: str) -> None:
        """Marks the first instruction that uses an entry of the delegate or operator table."""
        match = _PLAN.match(path)
        if not match or match[3] is None:
            return
        kind = StepKind.DELEGATE if match[2] == "delegates" else StepKind.KERNEL
        index = self._first_use.get((kind, int(match[3])))
        if index is not None:
            self._step(made, index)

    def _put(self, table: dict[int, list[Mark]], key: int, made: Mark, anchor: str) -> None:
        known = table.setdefault(key, [])
        if len(known) < _MOST and made not in known:
            known.append(made)
        places = self.marks.places[made.anchor]
        if anchor not in places:
            places.append(anchor)

    def _step(self, made: Mark, index: int) -> None:
        self._put(self.marks.steps, index, made, anchors.step(self._method.index, index))

    def _input(self, made: Mark, position: int) -> None:
        anchor = anchors.input_port(self._method.index, position)
        self._put(self.marks.inputs, position, made, anchor)

    def _output(self, made: Mark, position: int) -> None:
        anchor = anchors.output_port(self._method.index, position)
        self._put(self.marks.outputs, position, made, anchor)

    def _value(self, made: Mark, v: int) -> None:
        if self._method.is_planned(v):
            self._put(self.marks.values, v, made, anchors.value(self._method.index, v))
