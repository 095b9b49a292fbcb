"""Every format: its golden file, its own reader, and that all of them agree."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import Report
from pte_lint.report.formats import FORMATS, render
from pte_lint.report.options import RenderOptions
from tests.support.golden import check_golden
from tests.support.reports import artifact, finding, report, rich_report
from tests.support.sample_rules import SAMPLES

HERE = Path(__file__).parent
SARIF_SCHEMA = json.loads((HERE / "vendored" / "sarif-schema-2.1.0.json").read_text("utf-8"))
SUFFIXES = {"json": "json", "sarif": "json", "gitlab": "json", "junit": "xml", "markdown": "md"}

every_format = pytest.mark.parametrize("form", list(FORMATS))


@every_format
def test_golden(form: str) -> None:
    text = render(rich_report(), form, RenderOptions(SAMPLES))
    check_golden(HERE / "golden" / f"{form}.{SUFFIXES.get(form, 'txt')}", text)


@every_format
def test_an_empty_report_renders(form: str) -> None:
    assert render(report(), form).endswith("\n")


@every_format
def test_the_same_report_gives_the_same_bytes(form: str) -> None:
    assert render(rich_report(), form) == render(rich_report(), form)


# -- agreement ------------------------------------------------------------------------------------


def _expected(made: Report) -> Counter[tuple[str, str, str]]:
    """Path, rule and severity of every finding."""
    return Counter((a.path, f.rule, str(f.severity)) for a in made.artifacts for f in a.findings)


def _from_json(text: str) -> Counter[tuple[str, str, str]]:
    return Counter(
        (a["path"], f["rule"], f["severity"])
        for a in json.loads(text)["artifacts"]
        for f in a["findings"]
    )


def _from_sarif(text: str) -> Counter[tuple[str, str, str]]:
    levels = {"error": "error", "warning": "warning", "note": "info"}
    (run,) = json.loads(text)["runs"]
    return Counter(
        (
            r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            r["ruleId"],
            levels[r["level"]],
        )
        for r in run["results"]
        if "suppressions" not in r
    )


def _from_gitlab(text: str) -> Counter[tuple[str, str, str]]:
    levels = {"critical": "error", "minor": "warning", "info": "info"}
    return Counter(
        (i["location"]["path"], i["check_name"].split()[0], levels[i["severity"]])
        for i in json.loads(text)
        if i["severity"] != "blocker"
    )


READERS = {
    "json": _from_json,
    "sarif": _from_sarif,
    "gitlab": _from_gitlab,
}


@pytest.mark.parametrize("form", list(READERS))
def test_machine_formats_list_every_finding(form: str) -> None:
    made = rich_report()
    assert READERS[form](render(made, form)) == _expected(made)


def test_every_format_for_machines_has_a_reader_here() -> None:
    assert set(FORMATS) - set(READERS) == {"text", "concise", "markdown", "github", "junit"}


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_formats_for_people_count_what_they_fold(form: str) -> None:
    text = " ".join(render(rich_report(), form).split())
    assert "10 errors, 1 warning, 1 info in 3 files" in text
    assert "and 6 more like this" in text


# -- each by its own rules ------------------------------------------------------------------------


def test_sarif_is_valid() -> None:
    validator = jsonschema.Draft7Validator(SARIF_SCHEMA)
    for made in (rich_report(), report(), report(artifact())):
        validator.validate(json.loads(render(made, "sarif", RenderOptions(SAMPLES))))


def _sarif(made: Report, **options: Any) -> dict[str, Any]:
    (run,) = json.loads(render(made, "sarif", RenderOptions(**options)))["runs"]
    return dict(run)


def test_sarif_places_have_line_1_a_byte_and_a_logical_path() -> None:
    result = _sarif(report(artifact(finding(3))))["results"][0]
    (place,) = result["locations"]
    assert place["physicalLocation"]["region"] == {
        "startLine": 1,
        "byteOffset": 403,
        "byteLength": 1,
    }
    assert [p["fullyQualifiedName"] for p in place["logicalLocations"]] == [
        "execution_plan[0].values[3].allocation_info",
        "forward",
    ]


@pytest.mark.parametrize(("offset", "length"), [(4_999, 1), (5_000, 0), (5_001, None), (-1, None)])
def test_sarif_regions_stay_inside_the_file(offset: int, length: int | None) -> None:
    at = replace(finding().location, byte_offset=offset)
    region = _sarif(report(artifact(finding(location=at))))["results"][0]["locations"][0][
        "physicalLocation"
    ]["region"]
    assert region.get("byteLength") == length


def test_sarif_fingerprints_are_ours_and_known_to_github() -> None:
    result = _sarif(report(artifact(finding(3))))["results"][0]
    assert result["partialFingerprints"] == {
        "primaryLocationLineHash": "0000000000000003:1",
        "pteLint/v1": "0000000000000003",
    }


def test_sarif_names_the_python_line_as_a_related_location() -> None:
    run = _sarif(rich_report())
    (result,) = [r for r in run["results"] if r["ruleId"] == "PTE111"]
    inner, outer = result["relatedLocations"]
    assert inner["physicalLocation"] == {
        "artifactLocation": {"uri": "model.py"},
        "region": {"startLine": 12, "snippet": {"text": "return x + y"}},
    }
    assert outer["physicalLocation"]["artifactLocation"]["uri"] == "file:///home/user/train.py"


def test_sarif_describes_rules_from_their_documentation() -> None:
    seen = finding(rule="PTE901", name="input-seen")
    run = _sarif(report(artifact(seen)), rules=SAMPLES)
    (rule,) = run["tool"]["driver"]["rules"]
    assert "Why it happens" in rule["help"]["text"]
    assert "## Why it happens" in rule["help"]["markdown"]
    assert run["results"][0]["ruleIndex"] == 0


def test_sarif_keeps_suppressed_findings_with_their_reason() -> None:
    run = _sarif(rich_report())
    (kept,) = [r for r in run["results"] if "suppressions" in r]
    assert kept["suppressions"][0]["justification"] == "the runner copies by itself"


def test_sarif_says_when_a_rule_failed() -> None:
    (invocation,) = _sarif(rich_report())["invocations"]
    assert invocation["executionSuccessful"] is False
    levels = Counter(n["level"] for n in invocation["toolExecutionNotifications"])
    assert levels == {"error": 1, "note": 2}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü%.pte", "a%20b/%C3%BC%25.pte"),
        ("/abs/m.pte", "file:///abs/m.pte"),
        ("C:/x/m.pte", "file:///C:/x/m.pte"),
        ("<stdin>", "%3Cstdin%3E"),
        ("\udc80.pte", "%80.pte"),
        ("\ud800.pte", "%5Cud800.pte"),
        ("./m.pte", "m.pte"),
    ],
)
def test_sarif_uris(path: str, uri: str) -> None:
    run = _sarif(report(artifact(finding(), path=path)))
    assert run["artifacts"][0]["location"]["uri"] == uri


@pytest.mark.parametrize(
    ("fail_on", "failures"),
    [(Severity.ERROR, 1), (Severity.WARNING, 1), (Severity.INFO, 1), (None, 0)],
)
def test_junit_is_red_exactly_when_the_run_fails(fail_on: Severity | None, failures: int) -> None:
    made = report(
        artifact(
            finding(0), finding(1, severity=Severity.WARNING), finding(2, severity=Severity.INFO)
        )
    )
    text = render(made, "junit", RenderOptions(fail_on=fail_on))
    xml = junitparser.JUnitXml.fromstring(text.encode("utf-8"))
    assert xml.failures == failures
    assert xml.tests == 1
    assert xml.errors == 0


def test_junit_names_files_as_repositories_do() -> None:
    text = render(report(artifact(finding(), path="./a/m.pte")), "junit")
    (suite,) = junitparser.JUnitXml.fromstring(text.encode("utf-8"))
    assert (suite.name, [case.classname for case in suite]) == ("a/m.pte", ["a/m.pte"])


def test_junit_counts_what_it_holds() -> None:
    xml = junitparser.JUnitXml.fromstring(render(rich_report(), "junit").encode("utf-8"))
    before = [(s.tests, s.failures, s.errors, s.skipped) for s in xml]
    for suite in xml:
        suite.update_statistics()
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in xml] == before
    assert before == [(2, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 0)]


def test_gitlab_fingerprints_are_unique_over_files() -> None:
    made = report(artifact(finding(0), finding(1)), artifact(finding(0), path="b.pte"))
    issues = json.loads(render(made, "gitlab"))
    assert len({i["fingerprint"] for i in issues}) == 3
    assert {tuple(sorted(i["location"])) for i in issues} == {("lines", "path")}


def test_markdown_fits_into_a_comment_and_counts_what_it_leaves_out() -> None:
    many = [artifact(*(finding(i) for i in range(3)), path=f"m{n}.pte") for n in range(200)]
    text = render(report(*many), "markdown")
    assert len(text) < 65_536
    left = re.search(r"(\d+) files left out", text)
    assert left is not None
    assert text.count("### ") + int(left[1]) == 200
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0


def test_markdown_puts_files_with_findings_first() -> None:
    text = render(
        report(artifact(path="good.pte"), artifact(finding(), path="bad.pte")), "markdown"
    )
    assert text.index("bad.pte") < text.index("good.pte")
