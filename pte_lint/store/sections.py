"""Summaries and comparisons as titled tables, which every format lays out in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pte_lint.claims.forecast import RUNTIME_VERSIONS
from pte_lint.report.columns import count
from pte_lint.report.phrases import human_bytes
from pte_lint.schema.frozen import dataclass
from pte_lint.store.comparison import Comparison
from pte_lint.store.groups import Group
from pte_lint.store.summary import Summary, Worst

_SEVERITIES: Final = ("error", "warning", "info")


class Name(str):
    """Text that a stranger chose."""

    __slots__ = ()


Cell = str | int
"""Numbers are flush right."""


@dataclass(frozen=True, slots=True)
class Section:
    """A title, and a table below it, or lines of text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All that is told."""

    title: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]


def summary_page(told: Summary, notes: Iterable[str] = ()) -> Page:
    """The summary of one run."""
    return Page(
        f"{count(told.artifacts, 'artifact')} judged for ExecuTorch {told.runtime}",
        (*_lines(told), *notes),
        tuple(each for each in _sections(told) if each.rows),
    )


def _lines(told: Summary) -> Iterator[str]:
    if told.beyond:
        yield f"INCOMPLETE: {told.beyond}"
    other = told.artifacts - told.failed - told.runs
    yield f"{told.runs:,} run, {other:,} do not, {told.failed:,} could not be judged"
    counts = [count(told.severities[each], each) for each in _SEVERITIES]
    yield f"{', '.join(counts)}; {told.suppressed:,} set aside"
    if told.unchecked:
        yield f"{count(told.unchecked, 'artifact')} with something that could not be checked"
    if told.internal_errors:
        yield f"{count(told.internal_errors, 'rule')} failed: bugs of the rules"
    fetched = f", {human_bytes(told.fetched)} of them fetched" if told.fetched else ""
    yield f"{human_bytes(told.size)}{fetched}; pte-lint {told.tool_version}"


def _sections(told: Summary) -> Iterator[Section]:
    yield Section(
        "By runtime",
        ("run", "do not", "runtime"),
        tuple(
            (told.runs_on[version], told.artifacts - told.failed - told.runs_on[version], version)
            for version in RUNTIME_VERSIONS
        ),
    )
    changes: list[tuple[Cell, ...]] = []
    for which, words in ((told.lost, "{0} but not on {1}"), (told.gained, "{1} but not on {0}")):
        for versions, change in sorted(which.items()):
            changes.append((f"runs on {words.format(*versions)}", change.count, _such(change)))
    yield Section("What a new runtime changes", ("", "artifacts", "such as"), tuple(changes))
    yield Section(
        f"How they end on {told.runtime}",
        ("verdicts", "ending"),
        tuple((number, Name(words)) for words, number in _most(told.endings.items())),
    )
    worst_first = sorted(
        told.rules.items(),
        key=lambda each: ([-each[1].findings[s] for s in _SEVERITIES], each[0]),
    )
    yield Section(
        "By rule",
        ("rule", "errors", "warnings", "infos", "artifacts", "name"),
        tuple(
            (Name(rule), *(of.findings[s] for s in _SEVERITIES), of.artifacts, Name(of.name))
            for rule, of in worst_first
        ),
    )
    yield Section(
        "By backend",
        ("artifacts", "do not run", "errors", "backend"),
        tuple(
            (of.artifacts, of.not_running, of.errors, Name(name))
            for name, of in sorted(
                told.backends.items(), key=lambda each: (-each[1].artifacts, each[0])
            )
        ),
    )
    yield Section(
        "Worst artifacts", ("errors", "warnings", "artifact"), tuple(map(_worst, told.worst))
    )


def _worst(each: Worst) -> tuple[Cell, ...]:
    if each.why:
        return "-", "-", Name(each.why)
    return each.errors, each.warnings, Name(each.path)


def _most(pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(pairs, key=lambda each: (-each[1], each[0]))


def comparison_page(told: Comparison) -> Page:
    """What changed from one run to another."""
    old, new = told.old, told.new
    lines = [
        f"{old.path}: ExecuTorch {old.run['runtime']}, pte-lint {old.run['tool_version']}",
        f"{new.path}: ExecuTorch {new.run['runtime']}, pte-lint {new.run['tool_version']}",
        *(f"INCOMPLETE: {x.path}: {x.run['beyond']}" for x in (old, new) if x.run["beyond"]),
        f"{count(told.same_verdict, 'artifact')} with the same verdict",
    ]
    groups = (
        ("new", told.added),
        ("gone", told.gone),
        ("other content under the same name", told.other_content),
    )
    verdicts = sorted(told.verdicts.items(), key=lambda each: (-each[1].count, each[0]))
    rules = sorted({*told.appeared, *told.went})
    sections = (
        Section(
            "Artifacts",
            ("", "artifacts", "such as"),
            tuple((words, of.count, _such(of)) for words, of in groups if of.count),
        ),
        Section(
            "Other verdicts",
            ("was", "is", "artifacts", "such as"),
            tuple((Name(was), Name(now), of.count, _such(of)) for (was, now), of in verdicts),
        ),
        Section(
            "Findings in artifacts of both",
            ("rule", "appeared", "went", "name"),
            tuple(
                (Name(rule), told.appeared[rule, name], told.went[rule, name], Name(name))
                for rule, name in rules
            ),
        ),
    )
    changed = sum(of.count for _, of in verdicts)
    title = f"{count(changed, 'artifact')} with another verdict"
    return Page(title, tuple(lines), tuple(each for each in sections if each.rows))


def _such(of: Group) -> Name:
    """A few of them."""
    more = ", ..." if of.count > len(of.examples) else ""
    return Name(", ".join(of.examples) + more)
