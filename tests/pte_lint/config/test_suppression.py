"""Ignore entries: what they set aside, and what is said about entries that do nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import Report
from pte_lint.config.suppression import Ignore, relative, suppress
from pte_lint.rulebook.selection import SelectorError
from tests.support.reports import artifact, finding, report
from tests.support.sample_rules import SAMPLES

TODAY = date(2027, 1, 15)


def seen(index: int = 0, **changes: object) -> Finding:
    return finding(index, rule="PTE901", name="input-seen", **changes)


def apply(*entries: Ignore, to: Report | None = None, **options: object) -> Report:
    to = to or report(artifact(seen(0), seen(1)))
    return suppress(to, entries, SAMPLES, today=TODAY, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["PTE901", "input-seen", "PTE9", "ALL"])
def test_an_entry_sets_findings_aside_with_its_reason(rule: str) -> None:
    before = report(artifact(seen(0), seen(1)))
    after = apply(Ignore(rule, "known"), to=before)
    assert after.artifacts[0].findings == ()
    assert [s.finding for s in after.artifacts[0].suppressed] == [seen(0), seen(1)]
    assert {s.reason for s in after.artifacts[0].suppressed} == {"known"}
    assert after.artifacts[0].verdict == before.artifacts[0].verdict
    assert after.notes == ()


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        (Ignore("PTE901", "r", location="input 0"), ["input 1"]),
        (Ignore("PTE901", "r", location="input *"), []),
        (Ignore("PTE901", "r", location="execution_plan[0].values[1]*"), ["input 0"]),
        (Ignore("PTE901", "r", method="for*"), []),
        (Ignore("PTE901", "r", path="*.pte"), []),
    ],
)
def test_what_an_entry_matches(entry: Ignore, left: list[str]) -> None:
    assert [f.subject for f in apply(entry).findings] == left


@pytest.mark.parametrize(
    "entry",
    [
        Ignore("PTE902", "r", source="here"),
        Ignore("PTE901", "r", method="encode", source="here"),
        Ignore("PTE901", "r", path="other.pte", source="here"),
        Ignore("PTE901", "r", location="input 9", source="here"),
    ],
)
def test_an_entry_that_matches_nothing_is_reported(entry: Ignore) -> None:
    after = apply(entry)
    assert len(after.findings) == 2
    assert after.notes == (f"here ({entry.rule}) matches nothing; remove it",)


def test_a_finding_of_no_method_is_not_matched_by_a_method_glob() -> None:
    after = apply(Ignore("PTE901", "r", method="*"), to=report(artifact(seen(0, method=None))))
    assert len(after.findings) == 1


def test_an_entry_for_a_rule_that_was_not_run_is_no_news() -> None:
    assert apply(Ignore("PTE902", "r"), ran={"PTE901"}).notes == ()


def test_an_entry_counts_until_its_last_day() -> None:
    live = apply(Ignore("PTE901", "r", expires=TODAY))
    assert live.findings == ()
    over = apply(Ignore("PTE901", "temporary", expires=date(2027, 1, 14), source="here"))
    assert len(over.findings) == 2
    assert over.notes == ("here (PTE901) expired on 2027-01-14: temporary",)


def test_the_first_of_several_gives_the_reason_and_all_count_as_used() -> None:
    after = apply(Ignore("PTE901", "first"), Ignore("PTE9", "second"))
    assert {s.reason for s in after.artifacts[0].suppressed} == {"first"}
    assert after.notes == ()


def test_an_unknown_rule_is_an_error_with_a_hint() -> None:
    with pytest.raises(SelectorError, match="did you mean input-seen"):
        apply(Ignore("input-sen", "r"))


def test_paths_are_seen_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert relative("a/b.pte", tmp_path) == "a/b.pte"
    assert relative(str(tmp_path / "a" / "b.pte"), tmp_path) == "a/b.pte"
    assert relative("a/../b.pte", tmp_path) == "b.pte"
    assert relative("/elsewhere/b.pte", tmp_path) == "/elsewhere/b.pte"
    assert relative("<stdin>", tmp_path) == "<stdin>"
    assert relative("x.pte", None) == "x.pte"
