"""What readers see first, and what is counted without being shown."""

from __future__ import annotations

import json
import re

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.report.formats import render
from pte_lint.report.ranking import at_least
from pte_lint.report.text import TextOptions, render_text
from tests.support.reports import artifact, finding, report

NOTED = finding(9, severity=Severity.INFO, rule="PTE801", name="bytes-copied")
FOLLOWS = [finding(n, rule="PTE112", name="later", cause=f"{0:016x}") for n in range(1, 113)]


def _folder() -> Report:
    """Thirty files with infos, a warning, and the one that fails in their midst."""
    noted = [artifact(NOTED, path=f"n{n:02}.pte") for n in range(30)]
    warned = artifact(finding(1, severity=Severity.WARNING), path="warned.pte")
    return report(*noted[:15], warned, artifact(finding(), path="zz_bad.pte"), *noted[15:])


def test_the_failing_file_comes_first_in_what_people_read() -> None:
    for form in ("text", "markdown", "concise", "github", "junit", "gitlab"):
        text = render(_folder(), form)
        first = re.search(r"\b(zz_bad|warned|n\d\d)\.pte", text)
        assert first is not None
        assert first[1] == "zz_bad", form
        assert text.index("warned.pte") < text.index("n00.pte") < text.index("n29.pte")


def test_json_keeps_the_order_in_which_files_were_given() -> None:
    paths = [a["path"] for a in json.loads(render(_folder(), "json"))["artifacts"]]
    assert paths == [a.path for a in _folder().artifacts]


def test_the_summary_lists_what_fails() -> None:
    assert render(_folder(), "text").endswith(
        "\nfailing:\n  zz_bad.pte: 1 error\n"
        "1 error, 1 warning, 30 infos in 32 files, judged for executorch 1.5.\n"
        "`pte-lint explain PTE301 PTE801` tells more.\n"
    )
    assert "failing" not in render(report(artifact(finding())), "text")
    many = report(*(artifact(finding(), path=f"{n}.pte") for n in range(23)))
    assert "\n  19.pte: 1 error\n  and 3 more files\n" in render(many, "text")


def test_a_healthy_folder_takes_a_line_a_file_and_few_more() -> None:
    text = render(report(*(artifact(path=f"{n}.pte") for n in range(300))), "text")
    assert len(text.splitlines()) <= 300 + 10


def test_a_comment_never_loses_a_failing_file() -> None:
    long = [
        finding(n, rule=f"PTE{100 + n}", message="x" * 1_900, remediation="y" * 1_900)
        for n in range(40)
    ]
    text = render(report(artifact(NOTED), artifact(*long, path="bad.pte")), "markdown")
    assert len(text) < 65_536
    assert "- `bad.pte`: 40 errors" in text
    assert "### `bad.pte`: 40 errors" in text
    assert "- Errors: PTE100, PTE101," in text


def _caused() -> ArtifactReport:
    return artifact(finding(rule="PTE005", name="damaged-transfer"), *FOLLOWS)


def test_a_cause_counts_its_consequences_in_every_format() -> None:
    for form in ("text", "markdown", "concise", "github", "junit", "gitlab"):
        text = render(report(_caused()), form)
        assert "and 112 consequences" in text, form
        assert "PTE112" not in text, form
    (run,) = json.loads(render(report(_caused()), "sarif"))["runs"]
    assert [r["properties"]["consequences"] for r in run["results"]] == [112]
    document = json.loads(render(report(_caused()), "json"))
    listed = document["artifacts"][0]["findings"]
    assert [f["caused_by"] for f in listed] == [None, *["0" * 16] * 112]
    assert document["summary"]["consequences"] == 112
    assert document["summary"]["errors"] == 113


def test_text_of_a_cause() -> None:
    text = render(report(_caused()), "text")
    head = "model.pte: forward: set_input fails with NotSupported (PTE301); 1 error"
    assert text.startswith(f"{head}\n\n  error PTE005 (damaged-transfer)\n")
    assert "\n    and 112 consequences (-v lists them)\n" in text
    assert "1 error, 0 warnings in 1 file (and 112 consequences), judged" in text
    verbose = render_text(report(_caused()), TextOptions(verbose=True))
    assert verbose.count("follows from: PTE005") == 1
    assert verbose.count("at forward: input") == 113


def test_annotations_are_not_used_up_by_one_cause() -> None:
    crowd = artifact(*(finding(n) for n in range(18)), path="a.pte")
    other = [finding(0, rule="PTE201", name="x"), finding(1, rule="PTE202", name="y")]
    lines = render(report(crowd, artifact(NOTED, *other, path="b.pte")), "github").splitlines()
    shown = [re.match(r"::(\w+) file=(\w\.pte).*?title=(PTE\d+)", line) for line in lines]
    assert [m.groups() for m in shown if m] == [
        ("error", "a.pte", "PTE301"),
        ("error", "b.pte", "PTE201"),
        ("error", "b.pte", "PTE202"),
        ("notice", "b.pte", "PTE801"),
    ]
    assert "and 17 more like this: input 1, input 2" in lines[0]


def test_concise() -> None:
    at = finding(3).location
    step = finding(
        2, location=at.__class__(path=at.path, instruction=7), message="Two\nlines.", rule="PTE123"
    )
    whole = finding(1, method=None, severity=Severity.WARNING, message="The file.")
    text = render(report(artifact(whole, step)), "concise")
    assert text == (
        "model.pte:forward:7 PTE123 Two lines. [error]\n"
        "model.pte:: PTE301 The file. [warning]\n"
        "pte-lint: 1 error, 1 warning in 1 file\n"
    )


def test_milder_findings_are_counted_and_not_shown() -> None:
    mild = [finding(1, severity=Severity.WARNING), NOTED]
    made = report(artifact(finding(), *mild), artifact(NOTED, path="good.pte"))
    errors = at_least(made, Severity.ERROR)
    assert [len(a.findings) for a in errors.artifacts] == [1, 0]
    assert [a.hidden for a in errors.artifacts] == [{"warning": 1, "info": 1}, {"info": 1}]
    assert [errors.count(s) for s in Severity] == [made.count(s) for s in Severity]
    text = render(errors, "text")
    assert "model.pte: 1 error, 1 warning (not shown), 1 info (not shown)\n" in text
    assert "PTE801" not in text
    assert at_least(made, Severity.INFO) == made
    assert [len(a.findings) for a in at_least(made, Severity.WARNING).artifacts] == [2, 0]
