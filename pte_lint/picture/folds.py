"""Which instructions of a long method are shown, and which stretches are folded.

Instructions with findings are always worth a row, then what crosses or leaves the host's straight
line: boundary copies, delegate calls, jumps. As many of these are shown as a reader can take.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.claims.finding import Severity
from pte_lint.ir.steps import StepKind
from pte_lint.picture.marks import MethodMarks
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import is_copy
from pte_lint.schema.frozen import dataclass

SHORT = 24
"""Instructions of a method that is never folded."""

MOST_ROWS = 80
"""Rows of a method that are shown, beside its inputs and outputs."""

_LEAST = 4
"""Instructions that are worth folding; fewer are shown."""

_HEAD, _TAIL = 6, 3
"""Instructions at the start and at the end that are shown in any case."""

_WORTH = {Severity.ERROR: 4, Severity.WARNING: 3, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Instructions `first` to `last`, both included; shown one by one or folded."""

    first: int
    last: int
    folded: bool


def stretches(method: Method, marks: MethodMarks) -> tuple[Stretch, ...]:
    """Cuts the instructions of a method into what is shown and what is folded, in order."""
    n = len(method.steps)
    if n <= SHORT:
        return (Stretch(0, n - 1, False),) if n else ()
    worth = _worth(method, marks)
    for least in (1, 2, 3, 4):
        shown = bytearray(w >= least for w in worth)
        _show_ends(shown)
        if sum(shown) <= MOST_ROWS:
            break
    else:
        _keep_first(shown, MOST_ROWS)
    return _cut(shown)


def _worth(method: Method, marks: MethodMarks) -> bytearray:
    """0 for a plain instruction, rising with what there is to see."""
    worth = bytearray(len(method.steps))
    hot = method.placement.hot
    plain = (StepKind.KERNEL, StepKind.MOVE)
    for step in method.steps:
        touched = (*step.reads, *step.writes)
        if step.kind not in plain or is_copy(step.operator) or any(hot[v] for v in touched):
            worth[step.index] = 1
    for step in method.steps:
        if step.kind is StepKind.JUMP:
            goal = method.flow.destination(step)
            if goal < len(worth):
                worth[goal] = max(worth[goal], 1)
    for index, found in marks.steps.items():
        worth[index] = max(_WORTH[m.severity] for m in found)
    return worth


def _show_ends(shown: bytearray) -> None:
    shown[:_HEAD] = b"\x01" * _HEAD
    shown[-_TAIL:] = b"\x01" * _TAIL


def _keep_first(shown: bytearray, most: int) -> None:
    """Shows no more than `most`: the first ones and the end."""
    left = most - _TAIL
    for i in range(len(shown) - _TAIL):
        if shown[i]:
            shown[i] = left > 0
            left -= 1


def _cut(shown: Sequence[int]) -> tuple[Stretch, ...]:
    runs: list[Stretch] = []
    start = 0
    for i in range(1, len(shown) + 1):
        if i < len(shown) and bool(shown[i]) == bool(shown[start]):
            continue
        folded = not shown[start] and i - start >= _LEAST
        if runs and not folded and not runs[-1].folded:
            runs[-1] = Stretch(runs[-1].first, i - 1, False)
        else:
            runs.append(Stretch(start, i - 1, folded))
        start = i
    return tuple(runs)
