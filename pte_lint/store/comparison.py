"""What changed from one run over a store to another.

Runs list their artifacts in orders of their own, so each pass over the files looks at a share of
the paths only, few enough to be kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.report.phrases import ending
from pte_lint.schema.frozen import dataclass, field
from pte_lint.store.groups import Group
from pte_lint.store.reading import Results
from pte_lint.store.tables import Row

_ROWS: Final = 100_000
"""Rows of one table that are kept at a time, about."""
_KINDS: Final = 1_000
"""Kinds of changes that are counted one by one."""

RUNS: Final = "runs"
FAILED: Final = "could not be judged"


@dataclass(slots=True)
class Comparison:
    """Counts of what changed."""

    old: Results
    new: Results
    added: Group = field(default_factory=Group)
    gone: Group = field(default_factory=Group)
    other_content: Group = field(default_factory=Group)
    """The same name with another hash."""
    same_verdict: int = 0
    verdicts: dict[tuple[str, str], Group] = field(default_factory=dict)
    """By how the artifact ended and ends."""
    appeared: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Findings of artifacts in both, by rule and name of the rule."""
    went: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Known:
    sha256: str | None
    ending: str


def compare(old: Results, new: Results) -> Comparison:
    """Compares two runs.

    Raises:
        ResultsError: one cannot be read.
    """
    told = Comparison(old, new)
    passes = 1 + max(*old.counts.values(), *new.counts.values()) // _ROWS
    for share in range(passes):
        before, after = (dict(_artifacts(each, share, passes)) for each in (old, new))
        for path in sorted(before.keys() - after.keys()):
            told.gone.add(path)
        for path, now in after.items():
            was = before.get(path)
            if was is None:
                told.added.add(path)
                continue
            if was.sha256 != now.sha256:
                told.other_content.add(path)
            if was.ending == now.ending:
                told.same_verdict += 1
                continue
            key = was.ending, now.ending
            if key not in told.verdicts and len(told.verdicts) >= _KINDS:
                key = "others", "others"
            told.verdicts.setdefault(key, Group()).add(path)
        both = before.keys() & after.keys()
        first, second = (
            {each for each in _findings(run, share, passes) if each[0] in both}
            for run in (old, new)
        )
        told.appeared.update((rule, name) for _, rule, name, _ in second - first)
        told.went.update((rule, name) for _, rule, name, _ in first - second)
    return told


def _share(rows: Iterator[Row], share: int, passes: int) -> Iterator[Row]:
    for row in rows:
        if passes == 1 or crc32(row["path"].encode()) % passes == share:
            yield row


def _artifacts(run: Results, share: int, passes: int) -> Iterator[tuple[str, _Known]]:
    endings: dict[str, str] = {}
    wanted = ("path", "is_target", "stage", "outcome", "error", "signal")
    for row in _share(run.rows("verdicts", wanted), share, passes):
        if row["is_target"] and row["outcome"] != Outcome.OK and row["path"] not in endings:
            detail = row["error"] or row["signal"]
            words = ending(Stage(row["stage"]), Outcome(row["outcome"]), detail)
            endings[row["path"]] = words
    for row in _share(run.rows("artifacts", ("path", "status", "sha256")), share, passes):
        is_failed = row["status"] == "failed"
        words = FAILED if is_failed else endings.get(row["path"], RUNS)
        yield row["path"], _Known(row["sha256"], words)


def _findings(run: Results, share: int, passes: int) -> Iterator[tuple[str, str, str, str]]:
    wanted = ("path", "rule", "name", "fingerprint")
    for row in _share(run.rows("findings", wanted), share, passes):
        yield row["path"], row["rule"], row["name"], row["fingerprint"]
