"""What a release manager asks of a store: how many run where, what breaks them, which are worst."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from pte_lint.claims.forecast import RUNTIME_VERSIONS, Outcome, Stage
from pte_lint.report.phrases import ending
from pte_lint.schema.frozen import dataclass, field
from pte_lint.store.groups import Group
from pte_lint.store.reading import Results
from pte_lint.store.tables import Row

WORST: Final = 20
"""Artifacts that are named."""
_KINDS: Final = 1_000
"""Backends and endings that are counted one by one: a hostile store can name any number."""
OTHERS: Final = "others"
NO_BACKEND: Final = "none"


@dataclass(slots=True)
class OfRule:
    """What a rule found."""

    name: str
    findings: Counter[str] = field(default_factory=Counter)
    """By severity."""
    artifacts: int = 0
    last: str = ""
    """The artifact that was counted last: findings come artifact by artifact."""


@dataclass(slots=True)
class OfBackend:
    """The artifacts that name a backend."""

    artifacts: int = 0
    not_running: int = 0
    errors: int = 0
    """Findings."""


@dataclass(frozen=True, slots=True)
class Worst:
    """An artifact with many findings."""

    path: str
    errors: int
    warnings: int
    why: str
    """Why nothing could be said of it, where that is so."""


@dataclass(slots=True)
class Summary:
    """Counts over the results of a run; as large as what there is to count, and no larger."""

    source: str
    runtime: str
    tool_version: str
    beyond: str
    """What was not judged for the limits of the run; empty where all was."""
    artifacts: int = 0
    failed: int = 0
    runs: int = 0
    """Artifacts of which all methods run on the target."""
    size: int = 0
    fetched: int = 0
    severities: Counter[str] = field(default_factory=Counter)
    suppressed: int = 0
    unchecked: int = 0
    """Artifacts with anything that could not be checked."""
    internal_errors: int = 0
    runs_on: Counter[str] = field(default_factory=Counter)
    lost: dict[tuple[str, str], Group] = field(default_factory=dict)
    """By version and next version."""
    gained: dict[tuple[str, str], Group] = field(default_factory=dict)
    rules: dict[str, OfRule] = field(default_factory=dict)
    backends: dict[str, OfBackend] = field(default_factory=dict)
    endings: Counter[str] = field(default_factory=Counter)
    """Verdicts for the target that are not good, by how it ends."""
    worst: list[Worst] = field(default_factory=list)


_ARTIFACT: Final = (
    "path", "status", "failure", "size", "runs", "runs_on", "errors", "warnings", "infos",
    "suppressed", "unchecked", "internal_errors", "backends", "fetched_bytes",
)  # fmt: skip


def summarise(results: Results) -> Summary:
    """Goes through the results once.

    Raises:
        ResultsError: they cannot be read.
    """
    run = results.run
    told = Summary(
        str(results.path), str(run["runtime"]), str(run["tool_version"]), str(run["beyond"])
    )
    told.worst = heapq.nlargest(
        WORST, _artifacts(told, results), key=lambda w: (bool(w.why), w.errors, w.warnings)
    )
    for row in results.rows("findings", ("path", "rule", "name", "severity")):
        rule = told.rules.setdefault(row["rule"], OfRule(row["name"]))
        rule.findings[row["severity"]] += 1
        if rule.last != row["path"] or not rule.artifacts:
            rule.artifacts += 1
            rule.last = row["path"]
    wanted = ("is_target", "stage", "outcome", "error", "signal")
    for row in results.rows("verdicts", wanted):
        if row["is_target"] and row["outcome"] != Outcome.OK:
            detail = row["error"] or row["signal"]
            words = ending(Stage(row["stage"]), Outcome(row["outcome"]), detail)
            told.endings[_known(words, told.endings)] += 1
    return told


def _artifacts(told: Summary, results: Results) -> Iterator[Worst]:
    """Counts the artifacts; those with something wrong."""
    for row in results.rows("artifacts", _ARTIFACT):
        told.artifacts += 1
        if row["status"] == "failed":
            told.failed += 1
            yield Worst(row["path"], 0, 0, row["failure"] or "")
            continue
        told.runs += bool(row["runs"])
        told.size += row["size"] or 0
        told.fetched += row["fetched_bytes"] or 0
        told.severities.update(
            {"error": row["errors"], "warning": row["warnings"], "info": row["infos"]}
        )
        told.suppressed += row["suppressed"]
        told.unchecked += row["unchecked"] > 0
        told.internal_errors += row["internal_errors"]
        _versions(told, row)
        for name in row["backends"] or [NO_BACKEND]:
            backend = told.backends.setdefault(_known(name, told.backends), OfBackend())
            backend.artifacts += 1
            backend.not_running += not row["runs"]
            backend.errors += row["errors"]
        if row["errors"] or row["warnings"]:
            yield Worst(row["path"], row["errors"], row["warnings"], "")


def _versions(told: Summary, row: Row) -> None:
    on = set(row["runs_on"] or ())
    told.runs_on.update(on)
    for older, newer in pairwise(RUNTIME_VERSIONS):
        if older in on and newer not in on:
            told.lost.setdefault((older, newer), Group()).add(row["path"])
        elif newer in on and older not in on:
            told.gained.setdefault((older, newer), Group()).add(row["path"])


def _known(name: str, among: dict[str, object] | Counter[str] | dict[str, OfBackend]) -> str:
    return name if name in among or len(among) < _KINDS else OTHERS
