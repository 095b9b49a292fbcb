"""Shows that something is of no use: without it, or with it written over, no run changes.

The runs have to get past loading, where most of a file is looked at; what is said about an
instruction shows only in runs that go through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Verification
from pte_lint.data.context import Context
from pte_lint.edits.fixer import Edits
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.copies import Copies, Copy
from pte_lint.harness.memory_signs import BASELINE
from pte_lint.harness.outcome import MethodRun
from pte_lint.harness.runs import How, Runs
from pte_lint.text.printable import printable

Ranges: TypeAlias = Callable[[Finding, Context], Iterable[tuple[int, int]]]
"""First bytes and ends of what a finding says nothing reads."""

_VARIANTS: Final = ("default", BASELINE, "falling")


def idle(
    finding: Finding, copy: Copy, made: Copies, edits: Edits | None, ranges: Ranges | None
) -> str | None:
    """What shows that the subject of a finding is of no use, a sentence; None where nothing does.

    Args:
        finding: a finding about the copy.
        copy: a program.
        made: makes further copies.
        edits: what takes the subject out.
        ranges: the bytes that it is, where it is just bytes.
    """
    target = copy.context.target
    full = target.verification is not Verification.MINIMAL
    if _seen(copy.runs, How(target.runtime, full), finding) is None:
        return None  # most copies end too early, and that run is made already
    try:
        if ranges is not None:
            runs = made.overwritten(copy, ranges(finding, copy.context))
            text = "written over in a copy of the file, it changes no run"
        elif edits is not None:
            runs = made.edited(copy, edits(finding, copy.context)).runs
            text = "without it, in a copy of the file, no run changes"
        else:
            return None
    except (EditError, KeyError, IndexError, TypeError, ValueError):
        return None  # it does not name what is there, or the rest needs it
    how = How(target.runtime, full, variants=_VARIANTS)
    before, after = (_seen(each, how, finding) for each in (copy.runs, runs))
    saved = finding.evidence.get("bytes_per_call", 0)
    if before is None or after is None or before[0] != after[0] or before[1] - after[1] != saved:
        return None
    return f"{text} but for {saved} bytes that are not copied" if saved else text


def _seen(runs: Runs, how: How, finding: Finding) -> tuple[object, int] | None:
    """What all runs of a program did, and how many bytes one run copied; None: nothing counts."""
    probe = runs.get(how)
    told, copied, about = [], 0, False
    for method in probe.methods:
        is_its = finding.method is None or (
            method.name is not None and printable(method.name) == finding.method
        )
        about = about or is_its
        for run in method.runs:
            if is_its and not _counts(run, through=finding.location.instruction is not None):
                return None
            told.append((method.index, run.variant, *_did(run)))
        if is_its:
            first = method.run("default")
            copied += first.copied.h2d_bytes + first.copied.d2h_bytes if first is not None else 0
    return (tuple(told), copied) if about else None


def _counts(run: MethodRun, through: bool) -> bool:
    """Whether a run got to where something could show."""
    if run.damaged or run.outcome in ("skipped", "timeout"):
        return False
    if through:
        return run.outcome in ("ok", "undefined")
    return run.stage not in ("load_program", "load_method")


def _did(run: MethodRun) -> tuple[object, ...]:
    outputs = [
        [(o.kind, o.sizes, o.digest, o.value, o.where) for o in each]
        for each in (run.outputs, run.outputs_second_run)
    ]
    calls = [
        (c.backend, [(a.index, a.digest, a.where) for a in c.args]) for c in run.delegate_calls
    ]
    return run.stage, run.outcome, run.error, run.signal, outputs, calls
