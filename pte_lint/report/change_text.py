"""One change in words: what, old, new, and a remark. Shared by the text and markdown formats.

Nothing here is made safe yet: the formats do that where they lay it out.
"""

from __future__ import annotations

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.difference import changes, whole
from pte_lint.difference.changes import Change
from pte_lint.report.columns import count, size
from pte_lint.report.phrases import ending
from pte_lint.schema.frozen import dataclass

GONE = "none"
"""Stands for old where something is new, and for new where it is gone."""


@dataclass(frozen=True, slots=True)
class Words:
    """A change in words."""

    subject: str
    old: str
    new: str
    remark: str = ""


def words(change: Change) -> Words:
    """Puts a change into words; a kind that is not known here says what it can."""
    subject = change.subject()
    match change:
        case whole.FindingChange():
            return Words(subject, "", change.message, change.severity)
        case changes.MethodAdded():
            return Words(subject, GONE, change.new)
        case changes.MethodRemoved():
            return Words(subject, change.old, GONE)
        case changes.OperatorsChanged():
            remark = f"likely fell {change.direction}" if change.direction else ""
            return Words(subject, _calls(change.old), _calls(change.new), remark)
        case changes.DelegationChanged():
            old = f"{count(change.old_delegates, 'delegate')}, {_calls(change.old)}"
            new = f"{count(change.new_delegates, 'delegate')}, {_calls(change.new)}"
            return Words(subject, old, new)
        case changes.BoundaryCopiesChanged():
            old = f"{change.old_copies:,} ({size(change.old)} a call)"
            new = f"{change.new_copies:,} ({size(change.new)} a call)"
            return Words(subject, old, new, grown(change))
        case changes.PlannedBytesChanged():
            remark = ", ".join(filter(None, (grown(change), _arenas(change))))
            return Words(subject, size(change.old), size(change.new), remark)
        case whole.FileSizeChanged() | whole.BytesChanged() | changes.BlobChanged():
            differs = isinstance(change, changes.BlobChanged) and change.content_differs
            remark = "other bytes of the same size" if differs else grown(change)
            return Words(subject, size(change.old), size(change.new), remark)
        case whole.ConstantsChanged():
            remark = (
                f"{change.content_differs:,} with other bytes" if change.content_differs else ""
            )
            return Words(subject, f"{change.old:,}", f"{change.new:,}", remark)
        case whole.NamedDataChanged():
            old = _keyed(change.old, change.old_type)
            new = _keyed(change.new, change.new_type)
            remark = "other bytes of the same size" if change.content_differs else ""
            return Words(subject, old, new, remark)
        case whole.RequirementChanged():
            return Words(subject, _needed(change.old), _needed(change.new))
        case whole.VerdictChanged():
            return Words(subject, _ends(change.old), _ends(change.new))
        case whole.RuntimesChanged():
            return Words(subject, _listed(change.old), _listed(change.new))
        case _:
            return Words(subject, _plain(change, "old"), _plain(change, "new"))


def grown(change: Change) -> str:
    """Growth in per cent, where that says something: `+50.0%`."""
    amounts = change.amounts()
    if amounts is None or amounts[0] == 0 or amounts[0] == amounts[1]:
        return ""
    return f"{(amounts[1] - amounts[0]) / amounts[0]:+.1%}"


def _plain(change: Change, side: str) -> str:
    value = getattr(change, side, None)
    return GONE if value is None else str(value)


def _ends(verdict: str) -> str:
    """`set_input: error NotSupported` as reports say it: `set_input fails with NotSupported`."""
    stage, _, rest = verdict.partition(": ")
    outcome, _, detail = rest.partition(" ")
    if outcome == Outcome.OK:
        return "runs" if stage == Stage.EXECUTE else "loads"
    return ending(Stage(stage), Outcome(outcome), detail or None)


def _calls(calls: int) -> str:
    return count(calls, "call")


def _arenas(change: changes.PlannedBytesChanged) -> str:
    """The arenas one by one, where a sum hides something: several, or other numbers."""
    old, new = change.old_arenas, change.new_arenas
    same = [number for number, _ in old] == [number for number, _ in new]
    if not old or not new or (same and len(new) == 1):
        return ""
    told = [", ".join(f"{number}: {nbytes:,}" for number, nbytes in each) for each in (old, new)]
    return f"by arena {told[0]} -> {told[1]}"


def _keyed(nbytes: int | None, kind: str | None) -> str:
    if nbytes is None:
        return GONE
    return f"{kind}, {size(nbytes)}" if kind else size(nbytes)


def _needed(needed: bool) -> str:
    return "needed" if needed else "not needed"


def _listed(versions: tuple[str, ...]) -> str:
    return ", ".join(versions) or "no known version"
