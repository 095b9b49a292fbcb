"""Baselines: what is known, what is new, what is fixed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import Report, Suppressed
from pte_lint.config.baseline import Baseline, BaselineError, compare, dump, load, record
from tests.support.reports import artifact, finding, report

ROOT = Path("/project")


def against(before: Report, after: Report) -> tuple[list[str], list[str], int]:
    """Subjects of the new and the fixed findings, and how many are known."""
    seen = compare(after, record(before, ROOT), ROOT, "known.json")
    new = [f.subject for f in seen.report.findings]
    return new, [gone.known.subject for gone in seen.fixed], seen.known


def test_what_was_recorded_is_known() -> None:
    same = report(artifact(finding(0), finding(1)))
    assert against(same, same) == ([], [], 2)


def test_what_was_not_recorded_is_new_and_what_is_gone_is_fixed() -> None:
    before, after = (
        report(artifact(finding(0), finding(1))),
        report(artifact(finding(1), finding(2))),
    )
    assert against(before, after) == (["input 2"], ["input 0"], 1)


def test_a_finding_that_has_moved_is_known() -> None:
    before = report(artifact(finding(0)))
    moved = replace(finding(0).location, byte_offset=9_999, value=77, path="elsewhere")
    after = report(artifact(finding(0, location=moved, message="in other words")))
    assert against(before, after) == ([], [], 1)


def test_the_same_finding_in_another_file_is_new() -> None:
    before, after = report(artifact(finding(0))), report(artifact(finding(0), path="other.pte"))
    seen = compare(after, record(before, ROOT), ROOT, "b")
    assert len(seen.report.findings) == 1
    assert seen.fixed == ()
    assert len(seen.absent) == 1


def test_a_finding_that_got_worse_is_new_and_one_that_got_milder_is_known() -> None:
    error = report(artifact(finding(0)))
    warning = report(artifact(finding(0, severity=Severity.WARNING)))
    assert against(warning, error) == (["input 0"], [], 0)
    assert against(error, warning) == ([], [], 1)


def test_known_findings_are_set_aside_with_a_reason_and_the_verdict_stays() -> None:
    made = report(artifact(finding(0)))
    seen = compare(made, record(made, ROOT), ROOT, "known.json")
    (kept,) = seen.report.artifacts
    assert kept.suppressed == (Suppressed(finding(0), "known: in the baseline known.json"),)
    assert kept.verdict == made.artifacts[0].verdict


def test_ignored_findings_are_not_recorded_and_do_not_count_as_fixed() -> None:
    ignored = report(artifact(suppressed=(Suppressed(finding(0), "reason"),)))
    assert record(ignored, ROOT).artifacts == {}
    assert against(report(artifact(finding(0))), ignored) == ([], [], 0)


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = report(artifact(finding(0), path="sub/m.pte"))
    assert list(record(made, tmp_path).artifacts) == ["sub/m.pte"]
    assert list(record(made, tmp_path / "sub").artifacts) == ["m.pte"]


def test_writing_and_reading_give_the_same(tmp_path: Path) -> None:
    made = record(report(artifact(finding(1), finding(0, method=None)), artifact()), ROOT)
    path = tmp_path / "b.json"
    path.write_text(dump(made), "utf-8")
    again = load(path)
    assert {k: set(v) for k, v in again.artifacts.items()} == {
        k: set(v) for k, v in made.artifacts.items()
    }
    assert dump(again) == dump(made)


def test_the_file_does_not_depend_on_the_order_of_checking() -> None:
    one, two = (
        artifact(finding(0), finding(1), path="/project/a.pte"),
        artifact(finding(2), path="/project/b.pte"),
    )
    other = replace(one, findings=one.findings[::-1])
    assert dump(record(report(one, two), ROOT)) == dump(record(report(two, other), ROOT))


def test_hostile_names_stay_in_strings() -> None:
    text = dump(record(report(artifact(finding(0, method="\x1b\udc80", subject="\u202e"))), ROOT))
    assert text.isascii()
    assert "\x1b" not in text
    json.loads(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no baseline"),
        ("[" * 100_000, "is no baseline"),
        ("[]", "is no baseline of pte-lint"),
        ('{"tool": "other"}', "is no baseline of pte-lint"),
        ('{"tool": "pte-lint", "schema_version": 2}', "another version"),
        ('{"tool": "pte-lint", "schema_version": 1}', "is damaged"),
        ('{"tool": "pte-lint", "schema_version": 1, "artifacts": []}', "is damaged"),
        ('{"tool": "pte-lint", "schema_version": 1, "artifacts": {"a": [{}]}}', "is damaged"),
        ('{"tool": "pte-lint", "schema_version": 1, "artifacts": {"a": 3}}', "is damaged"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(content, "utf-8")
    with pytest.raises(BaselineError, match=message):
        load(path)


def test_an_empty_baseline_knows_nothing() -> None:
    seen = compare(report(artifact(finding(0))), Baseline({}), ROOT, "b")
    assert len(seen.report.findings) == 1
    assert seen.known == 0
