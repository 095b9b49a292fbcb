"""Whether a file is another one after its fix: the same program, without the errors.

A file that runs proves little by itself: it may be another program. So signatures are compared,
errors counted, both are run, and where the one before ran too the outputs must be the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Severity
from pte_lint.difference.build import diff
from pte_lint.difference.changes import Change, MethodAdded, MethodRemoved, SignatureChanged
from pte_lint.difference.compare import NotComparable
from pte_lint.inspection.build import NotInspectable
from pte_lint.schema.frozen import dataclass
from pte_lint.text.words import count

if TYPE_CHECKING:
    from pathlib import Path

    from pte_lint.claims.result import ArtifactReport
    from pte_lint.files.artifact import Artifact
    from pte_lint.fix.proof import Shown
    from pte_lint.judging.engine import Settings


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What speaks for a fix and what against it, a sentence each."""

    shown: tuple[str, ...]
    faults: tuple[str, ...]

    def told(self, name: str) -> str:
        """All of it in one line, what decides first."""
        if self.faults:
            return f"{name} is no fix: {'; '.join(self.faults)}"
        return f"{name} is a fix: {'; '.join(self.shown)}"


def accept(
    before: ArtifactReport,
    after: ArtifactReport,
    changes: Collection[Change] | None,
    runs: Sequence[Shown],
) -> Acceptance:
    """Judges a fix.

    Args:
        before: The report on the file before.
        after: The report on the file after.
        changes: What `signature_changes` found.
        runs: What `prove` showed.
    """
    shown: list[str] = []
    faults: list[str] = []
    if changes is None:
        shown.append("signatures are not compared: the file before cannot be looked into")
    elif changes:
        faults += map(_broken, changes)
    else:
        shown.append("the signature is the same")
    old, new = _errors(before), _errors(after)
    if new:
        kept = sorted({rule for rule, _ in new & old})
        come = sorted({rule for rule, _ in new - old})
        faults += [f"errors are left: {', '.join(kept)}"] if kept else []
        faults += [f"errors are new: {', '.join(come)}"] if come else []
    elif old:
        shown.append(f"{count(len(old), 'error')} before, none after")
    else:
        faults.append("the file before has no error that could be fixed")
    if not runs:
        faults.append("nothing of the file after could be run")
    for run in runs:
        told = f"{run.method or 'a method without a name'}: {run.status} ({run.detail})"
        is_bad = run.is_wrong or run.status == "fails still"
        (faults if is_bad else shown).append(told)
    return Acceptance(tuple(shown), tuple(faults))


def signature_changes(
    old: Artifact,
    new: Artifact,
    settings: Settings,
    data: Sequence[Path] = (),
    new_data: Sequence[Path] = (),
) -> tuple[Change, ...] | None:
    """The changes that break callers; None where the old file cannot be looked into."""
    try:
        found = diff(old, new, settings=settings, data=data, new_data=new_data)
    except (NotInspectable, NotComparable):
        return None
    return tuple(
        c for c in found.changes if isinstance(c, SignatureChanged | MethodAdded | MethodRemoved)
    )


def _errors(report: ArtifactReport) -> set[tuple[str, str]]:
    return {(f.rule, f.fingerprint) for f in report.findings if f.severity is Severity.ERROR}


def _broken(change: Change) -> str:
    name = change.method or "a method without a name"
    if isinstance(change, SignatureChanged):
        return f"{name}: {change.port} was {change.old or 'not there'}, is {change.new or 'gone'}"
    side = "after" if isinstance(change, MethodAdded) else "before"
    return f"{name}: only the file {side} has it"
