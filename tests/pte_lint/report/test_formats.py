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

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Confirmation, Severity
from pte_lint.claims.need import Need, NeedKind
from pte_lint.claims.result import Report
from pte_lint.report.formats import FORMATS, render
from pte_lint.report.markdown_safe import prose
from pte_lint.report.options import RenderOptions
from pte_lint.report.text_confirm import render as render_confirmed
from pte_lint.rulebook.registry import load_rules
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


# -- what a run showed ----------------------------------------------------------------------------


def _confirmed() -> Report:
    """An error of each kind that a run marked, a remark, and a verdict that it refuted."""

    def marked(status: str, **evidence: Any) -> Confirmation:
        return Confirmation(status, {}, {"reason": f"so <{status}>", **evidence})

    errors = [
        finding(0, confirmation=marked("confirmed")),
        finding(1, rule="PTE302", confirmation=marked("not_reached")),
        finding(2, rule="PTE303", confirmation=marked("confirmed_by_repair", replayed="1.4")),
        finding(3, rule="PTE304"),
    ]
    remark = finding(4, rule="PTE305", severity=Severity.WARNING, confirmation=marked("consistent"))
    errors = [replace(f, message=f"It is {f.rule}.", remediation="", forecast=None) for f in errors]
    remark = replace(remark, message="It is mild.", remediation="", forecast=None)
    made = artifact(*errors, remark)
    (verdict,) = made.verdict
    cases = [
        {"case": "case 0", "status": "equal", "reason": "1 output is as expected"},
        {"case": "case 1", "status": "failed", "reason": "output 0 is int32"},
    ]
    said = replace(verdict, confirmation=marked("refuted", expected=cases))
    return report(replace(made, verdict=(said,)))


_STOPS = "forward: set_input fails with NotSupported (PTE301)"
_REFUTED, _CASE = "verdict refuted by the runtime", "case 1: output 0 is int32"
_RUNTIME = "executorch 1.5: set_input fails with NotSupported"
_WHERE = "forward: input {0} (value {0})"


def test_concise_marks_what_a_run_showed() -> None:
    assert render(_confirmed(), "concise").splitlines()[:7] == [
        "model.pte:forward: PTE301 It is PTE301. [error, confirmed]",
        "model.pte:forward: PTE302 It is PTE302. [error, not reached]",
        "model.pte:forward: PTE303 It is PTE303. [error, confirmed by repair (replayed)]",
        "model.pte:forward: PTE304 It is PTE304. [error]",
        "model.pte:forward: PTE305 It is mild. [warning, consistent]",
        f"model.pte:: {_REFUTED}: {_STOPS}; refuted: so <refuted>",
        f"model.pte:: not as expected: {_CASE}",
    ]


def test_github_marks_what_a_run_showed() -> None:
    head = "file=model.pte,line=1,title="
    name = "device-input-planned"

    def told(n: int, level: str, rule: str, text: str, run: str) -> str:
        lines = f"{_WHERE.format(n)}: {text}%0A{_RUNTIME}{run}"
        return f"::{level} {head}{rule} {name}::{lines}"

    by_repair = "%0Arun: confirmed by repair (replayed): so <confirmed_by_repair>"
    assert render(_confirmed(), "github").splitlines()[:7] == [
        f"::error {head}{_REFUTED}::{_STOPS}; refuted: so <refuted>",
        f"::error {head}not as expected::{_CASE}",
        told(0, "error", "PTE301", "It is PTE301.", "%0Arun: confirmed: so <confirmed>"),
        told(1, "error", "PTE302", "It is PTE302.", "%0Arun: not reached: so <not_reached>"),
        told(2, "error", "PTE303", "It is PTE303.", by_repair),
        told(3, "error", "PTE304", "It is PTE304.", ""),
        told(4, "warning", "PTE305", "It is mild.", "%0Arun: consistent: so <consistent>"),
    ]


def test_markdown_marks_what_a_run_showed() -> None:
    lines = render(_confirmed(), "markdown").splitlines()
    assert [line for line in lines if line.startswith(("Run: ", "- "))][:3] == [
        f"- Verdict: {prose(_STOPS)} (refuted: so &lt;refuted&gt;)",
        f"- {_REFUTED.capitalize()}: {prose(_STOPS)}; refuted: so &lt;refuted&gt;",
        f"- Not as expected: {_CASE}",
    ]
    assert [line for line in lines if line.startswith("Run: ")] == [
        "Run: confirmed: so &lt;confirmed&gt;.",
        "Run: not reached: so &lt;not\\_reached&gt;.",
        "Run: confirmed by repair (replayed): so &lt;confirmed\\_by\\_repair&gt;.",
        "Run: consistent: so &lt;consistent&gt;.",
    ]


def test_junit_marks_what_a_run_showed_and_fails_where_it_refuted() -> None:
    (suite,) = junitparser.JUnitXml.fromstring(render(_confirmed(), "junit").encode())
    cases = {case.name: case.result[0] for case in suite}
    last = {name: (each.text or "").splitlines()[-1:] for name, each in cases.items()}
    name = "device-input-planned"
    assert last == {
        f"PTE301 {name}": ["run: confirmed: so <confirmed>"],
        f"PTE302 {name}": ["run: not reached: so <not_reached>"],
        f"PTE303 {name}": ["run: confirmed by repair (replayed): so <confirmed_by_repair>"],
        f"PTE304 {name}": [_RUNTIME],
        _REFUTED: [],
        "not as expected": [],
    }
    assert cases[_REFUTED].message == f"{_STOPS}; refuted: so <refuted>"
    assert cases["not as expected"].message == _CASE
    (said,) = (each.text or "" for each in suite._elem.iter("system-out"))
    assert said.splitlines() == [
        f"{_STOPS}; refuted: so <refuted>",
        f"warning, consistent PTE305: {_WHERE.format(4)}: It is mild.",
    ]


def test_confirm_says_what_a_program_needs_to_run() -> None:
    need = Need(NeedKind.BACKEND, "the backend QnnBackend", "forward")
    made = render_confirmed(report(artifact(needs=(need,))))
    assert made.splitlines()[1] == "  verdict: forward: runs if given the backend QnnBackend"


def test_confirm_says_why_it_fails_on_outputs_that_are_not_as_expected() -> None:
    made = " ".join(render_confirmed(_confirmed()).split())
    assert "case 1: output 0 is int32" in made
    assert made.endswith(
        "verdicts: 1 refuted. Judged for executorch 1.5. Outputs are not those expected in 1 case."
    )


# -- what the services that read them ask for -----------------------------------------------------


def _of_every_rule() -> Report:
    """The seeded defect of each rule, as files of one folder."""
    from tests.fuzz.kill_matrix import judged, stored

    made = [replace(judged(defect), path=f"./zoo/{defect.rule}.pte") for defect in stored()]
    return report(*made)


def test_code_scanning_gets_what_it_asks_for() -> None:
    """GitHub shows a result by rule, message, level, one place and a fingerprint of its own key.

    Its documentation, "SARIF support for code scanning", lists them; more than 25,000 results or
    rules, and more than 20 tags of a rule, are refused.
    """
    made = _of_every_rule()
    log = json.loads(render(made, "sarif", RenderOptions(load_rules(isolated=True))))
    jsonschema.Draft7Validator(SARIF_SCHEMA).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "pte-lint"
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert 0 < len(rule["properties"]["tags"]) <= 10
    expected = [f for a in made.artifacts for f in consequences(a.findings)[0]]
    assert [r["ruleId"] for r in run["results"]] == [f.rule for f in expected]
    assert 100 < len(run["results"]) < 25_000
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"].strip()
        assert result["level"] in ("error", "warning", "note")
        (place,) = result["locations"]
        where = place["physicalLocation"]
        assert re.fullmatch(r"zoo/PTE\d{3}\.pte", where["artifactLocation"]["uri"])
        assert where["region"]["startLine"] == 1
        assert re.fullmatch(r"[0-9a-f]{16}:1", result["partialFingerprints"][_GITHUBS_KEY])


_GITHUBS_KEY = "primaryLocationLineHash"


def test_gitlab_gets_what_it_asks_for() -> None:
    """Its documentation, "Code Quality", lists the fields; paths are relative and without `./`."""
    text = render(_of_every_rule(), "gitlab")
    assert text.isascii()
    issues = json.loads(text)
    assert len(issues) > 100
    for issue in issues:
        assert issue["description"]
        assert re.match(r"PTE\d{3} [a-z0-9-]+$", issue["check_name"])
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert re.fullmatch(r"zoo/PTE\d{3}\.pte", issue["location"]["path"])
        assert issue["location"]["lines"] == {"begin": 1}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
