"""`pte-lint diff` as text: plain, by method, one change a line or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.difference.changes import Change
from pte_lint.difference.compare import Difference
from pte_lint.difference.failing import Condition
from pte_lint.difference.whole import FindingChange
from pte_lint.report.change_text import words
from pte_lint.report.columns import count
from pte_lint.report.layout import WIDTH, wrap
from pte_lint.report.phrases import fetched_words
from pte_lint.text.sanitise import EXACT_LIMIT, name, prose

Failing = Sequence[tuple[Change, Condition]]


def render(difference: Difference, failing: Failing = ()) -> str:
    """Renders a difference; `failing` are the changes that make it fail, with why."""
    lines = [f"{_path(difference.old.path)} -> {_path(difference.new.path)}"]
    for side, artifact in (("old", difference.old), ("new", difference.new)):
        if artifact.fetched:
            lines.append(f"fetched of the {side} one: {fetched_words(artifact.fetched)}")
    failed = {id(change): condition for change, condition in failing}
    for method, changes in by_method(difference.changes):
        lines += ["", "the artifact" if method is None else f"method {name(method)}"]
        for change in changes:
            lines += _change(change, failed.get(id(change)))
    if not difference.changes:
        lines += ["", "no change"]
    lines += ["", *wrap(summary(difference, failing))]
    return "\n".join(lines) + "\n"


def by_method(changes: Sequence[Change]) -> list[tuple[str | None, list[Change]]]:
    """Groups changes by method in their order, those of the whole artifact first."""
    groups: dict[str | None, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.method, []).append(change)
    return sorted(groups.items(), key=lambda item: item[0] is not None)


def summary(difference: Difference, failing: Failing) -> str:
    """One sentence about the whole."""
    text = f"{count(len(difference.changes), 'change')}"
    if failing:
        text += f", {len(failing)} of them too much"
    if difference.content_compared:
        return f"{text}; contents were compared."
    return f"{text}; contents of equal size were not compared (--content does)."


def _path(path: str) -> str:
    return name(path, EXACT_LIMIT)


def _change(change: Change, why: Condition | None) -> Iterator[str]:
    told = words(change)
    mark = "!" if why is not None else " "
    head = f" {mark}{change.kind:<16} {name(told.subject)}"
    if isinstance(change, FindingChange):
        yield f"{head} {change.name} ({told.remark})"
        yield from wrap(told.new, indent=" " * 6)
    else:
        remark = f" ({prose(told.remark)})" if told.remark else ""
        rest = f"{prose(told.old)} -> {prose(told.new)}{remark}"
        if len(head) + len(rest) + 2 <= WIDTH:
            yield f"{head}: {rest}"
        else:
            yield f"{head}:"
            yield f"      old {prose(told.old)}"
            yield f"      new {prose(told.new)}{remark}"
    if why is not None:
        yield f"      fails --fail-on {why}"
