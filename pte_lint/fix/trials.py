"""Causes that no run shows by itself, tried in edited copies of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Verification
from pte_lint.claims.sign import Trial
from pte_lint.edits.draft import Edit
from pte_lint.edits.memory import OwnArena, Plan
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.copies import Copies, Copy
from pte_lint.harness.memory_signs import BASELINE, COLOURED, follows_memory, results_of
from pte_lint.harness.outcome import MethodRun
from pte_lint.harness.record import contradicts_file
from pte_lint.harness.running import by_variant
from pte_lint.harness.runs import How
from pte_lint.questions.method import Method

Undo = Callable[[Finding, Copy], Iterable[Edit]]
_COMPARED = (BASELINE, "falling")


def tried(trial: Trial, finding: Finding, copy: Copy, made: Copies, undo: Undo) -> str | None:
    """What the trial of a finding's cause showed, a sentence; None where it showed nothing.

    Args:
        trial: how it is tried.
        finding: a finding about the copy.
        copy: a program that runs.
        made: makes further copies.
        undo: makes the edits that undo the finding; it raises `EditError`.
    """
    method = next((m for m in copy.context.methods if m.index == finding.plan), None)
    if method is None or contradicts_file(finding, method):
        return None
    try:
        match trial:
            case Trial.COLOUR:
                return _coloured(finding, method, copy, made)
            case Trial.SEPARATE:
                return _separated(finding, method, copy, made)
            case Trial.COMPARE:
                return _compared(finding, copy, made, undo)
            case Trial.UNDO | Trial.IDLE:
                return None  # the one takes a run that fails, the other is for what is no failure
    except (EditError, KeyError, TypeError, ValueError):
        return None  # the finding does not name what is to be edited, or it cannot be


def _coloured(finding: Finding, method: Method, copy: Copy, made: Copies) -> str | None:
    v = finding.location.value
    if v is None or not method.is_planned(v) or method.has_initial_state(v) or method.is_input[v]:
        return None  # what it holds at first is not for the arena to say
    own = max(len(method.plan.non_const_buffer_sizes or ()), 1)
    beside = tuple(_written_there(method, v, finding.location.instruction))
    changed = made.edited(copy, [OwnArena(method.index, v, beside)])
    runs = _runs(changed, finding, How(variants=COLOURED, filled_arena=own))
    if not follows_memory(runs):
        return None
    return (
        f"in a copy of the file value {v} has an arena of its own, and what is read of it is what "
        "that arena held before the run"
    )


def _written_there(method: Method, v: int, read_at: int | None) -> Iterator[int]:
    """Tensors that hold all bytes of one, and that something writes before they are read.

    The tensor may be meant to show what is written there, as a view does: without them the trial
    would confirm whatever is claimed of it.
    """
    end = read_at if method.flow.is_straight and read_at is not None else len(method.steps)
    place = method.place(v)
    for u in method.tensors:
        other = method.place(u)
        if place is None or other is None or u == v or other[0] != place[0]:
            continue
        is_inside = other[1] <= place[1] and place[1] + place[2] <= other[1] + other[2]
        if is_inside and (method.is_input[u] or any(step < end for step in method.writers(u))):
            yield u


def _separated(finding: Finding, method: Method, copy: Copy, made: Copies) -> str | None:
    evidence = finding.evidence
    if finding.location.value != evidence["written_value"]:
        return None
    pair = evidence["written_value"], evidence.get("needed_value", evidence.get("read_value"))
    before = _results(copy, finding)
    for v in pair:
        values = method.liveness.storage.together(v)
        changed = made.edited(copy, [Plan(method.index, tuple(values))])
        if not _differ(before, _results(changed, finding)):
            return None
    return (
        f"in copies of the file in which value {pair[0]}, or value {pair[1]}, has a place of its "
        "own, the same inputs give other results"
    )


def _compared(finding: Finding, copy: Copy, made: Copies, undo: Undo) -> str | None:
    changed = made.edited(copy, undo(finding, copy))
    if not _differ(_results(copy, finding), _results(changed, finding)):
        return None
    return "in a copy of the file without it the same inputs give other results"


def _runs(copy: Copy, finding: Finding, how: How) -> Mapping[str, MethodRun]:
    target = copy.context.target
    full = target.verification is not Verification.MINIMAL
    asked = replace(how, runtime=target.runtime, full=full)
    return by_variant(copy.runs.get(asked), finding.method)


def _results(copy: Copy, finding: Finding) -> list[object]:
    runs = _runs(copy, finding, How(variants=_COMPARED))
    return [results_of(runs.get(variant)) for variant in _COMPARED]


def _differ(before: list[object], after: list[object]) -> bool:
    """Whether both went through every time, and not to the same results."""
    return None not in before and None not in after and before != after
