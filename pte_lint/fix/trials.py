"""Causes that no run shows by itself, tried in edited copies of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Stage, Verification
from pte_lint.claims.sign import Trial
from pte_lint.edits.memory import OwnArena, Plan
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.copies import Copies, Copy
from pte_lint.fix.remedies import Remedies
from pte_lint.harness.expectation import observe
from pte_lint.harness.memory_signs import BASELINE, COLOURED, follows_memory, results_of
from pte_lint.harness.outcome import MethodRun
from pte_lint.harness.record import contradicts_file
from pte_lint.harness.running import by_variant
from pte_lint.harness.runs import How, Runs
from pte_lint.questions.method import Method
from pte_lint.text.printable import printable

_COMPARED = (BASELINE, "falling")


def tried(
    trial: Trial, finding: Finding, copy: Copy, made: Copies, remedies: Remedies
) -> str | None:
    """What the trial of a finding's cause showed, a sentence; None where it showed nothing.

    Args:
        trial: how it is tried.
        finding: a finding about the copy.
        copy: a program that runs.
        made: makes further copies.
        remedies: what undoes the finding.
    """
    method = next((m for m in copy.context.methods if m.index == finding.plan), None)
    if method is not None and contradicts_file(finding, method):
        return None
    try:
        if trial is Trial.COMPARE:
            return _compared(finding, copy, made, remedies)
        if trial is Trial.RESTORE:
            return _restored(finding, copy, made, remedies)
        if method is None:
            return None
        match trial:
            case Trial.COLOUR:
                return _coloured(finding, method, copy, made)
            case Trial.SEPARATE:
                return _separated(finding, method, copy, made)
            case Trial.FREED:
                return _freed(finding, method, copy)
            case Trial.UNDO | Trial.IDLE:
                return None  # the one takes a run that fails, the other is for what is no failure
    except (EditError, IndexError, KeyError, TypeError, ValueError):
        return None  # the finding does not name what is to be edited, or it cannot be


def _coloured(finding: Finding, method: Method, copy: Copy, made: Copies) -> str | None:
    v = finding.location.value
    if v is None or not method.is_planned(v) or method.has_initial_state(v) or method.is_input[v]:
        return None  # what it holds at first is not for the arena to say
    if method.flow.is_straight and any(step < _end(method, finding) for step in method.writers(v)):
        return None  # the file has it written: whoever leaves it out is another cause
    own = max(len(method.plan.non_const_buffer_sizes or ()), 1)
    beside = tuple(_shown_there(method, v, _end(method, finding)))
    changed = made.edited(copy, [OwnArena(method.index, v, beside)])
    runs = _runs(changed, finding, How(variants=COLOURED, filled_arena=own))
    if not follows_memory(runs):
        return None
    return (
        f"in a copy of the file value {v} has an arena of its own, and what is read of it is what "
        "that arena held before the run"
    )


def _end(method: Method, finding: Finding) -> int:
    """The instruction before which a finding says that nothing writes; all of them where it may."""
    read_at = finding.location.instruction
    return read_at if method.flow.is_straight and read_at is not None else len(method.steps)


def _shown_there(method: Method, v: int, end: int) -> Iterator[int]:
    """Tensors that are written and that one may be meant to show, as a view does.

    Exporters leave out calls of views. Without what it shows, the trial would confirm whatever is
    claimed of such a view. It has the place, the bytes and the element type of what it shows, lies
    on the host and is not returned (`pte_lint.ir.elision`). Exporters leave out no call of a view
    whose sizes may change, but what holds for the others would hold for it: no sizes are compared.
    """
    if method.is_output[v] or not method.home(v).device.is_host:
        return
    tensor, place = method.tensor(v), method.place(v)
    for u in method.tensors:
        other = method.tensor(u)
        if u == v or tensor is None or other is None or method.place(u) != place:
            continue
        is_alike = other.scalar_type == tensor.scalar_type
        if is_alike and (method.is_input[u] or any(step < end for step in method.writers(u))):
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


def _freed(finding: Finding, method: Method, copy: Copy) -> str | None:
    run = _runs(copy, finding, How(loader="guarded")).get("default")
    if run is None or run.damaged or run.fault is None or run.fault.address_in != "freed":
        return None
    seen = observe(run, method)
    calls = [step.index for step in method.delegate_calls()]
    # Of older releases the call is not known: then there is to be no other.
    within = calls[0] if seen.spot.within is None and len(calls) == 1 else seen.spot.within
    if seen.spot.stage is not Stage.EXECUTE or within != finding.location.instruction:
        return None
    return f"loaded so that nobody may touch what was freed, the run dies of a read of it: {seen}"


def _compared(finding: Finding, copy: Copy, made: Copies, remedies: Remedies) -> str | None:
    """What is about no method is about all of them, and shows in any."""
    runs = remedies.runs_without(finding, copy, made)
    names = [finding.method] if finding.method is not None else _names(copy)
    abouts = [replace(finding, method=name) for name in names]
    if not any(_differ(_results(copy, each), _results(copy, each, runs)) for each in abouts):
        return None
    return "in a copy of the file without it the same inputs give other results"


def _restored(finding: Finding, copy: Copy, made: Copies, remedies: Remedies) -> str | None:
    content = remedies.restoring[finding.rule](finding, copy.context)
    if _runs_through(copy) or not _runs_through(made.replaced(copy, content)):
        return None
    return "taken back in a copy of the file, every method runs"


def _runs_through(copy: Copy) -> bool:
    target = copy.context.target
    full = target.verification is not Verification.MINIMAL
    methods = copy.runs.get(How(target.runtime, full)).methods
    runs = [run for method in methods for run in method.runs]
    return bool(runs) and all(run.outcome == "ok" and not run.damaged for run in runs)


def _names(copy: Copy) -> list[str]:
    return list(dict.fromkeys(printable(method.name) for method in copy.context.methods))


def _runs(
    copy: Copy, finding: Finding, how: How, runs: Runs | None = None
) -> Mapping[str, MethodRun]:
    target = copy.context.target
    full = target.verification is not Verification.MINIMAL
    asked = replace(how, runtime=target.runtime, full=full)
    return by_variant((runs or copy.runs).get(asked), finding.method)


def _results(copy: Copy, finding: Finding, runs: Runs | None = None) -> list[object]:
    """What a copy's method returns, or what it does in `runs`."""
    seen = _runs(copy, finding, How(variants=_COMPARED), runs)
    return [results_of(seen.get(variant)) for variant in _COMPARED]


def _differ(before: list[object], after: list[object]) -> bool:
    """Whether both went through every time, and not to the same results."""
    return None not in before and None not in after and before != after
