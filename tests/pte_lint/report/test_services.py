"""What the services that read reports ask for."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema

from pte_lint.claims.causes import consequences
from pte_lint.claims.result import Report
from pte_lint.report.formats import render
from pte_lint.report.options import RenderOptions
from pte_lint.rulebook.registry import load_rules
from tests.support.reports import report

HERE = Path(__file__).parent
SARIF_SCHEMA = json.loads((HERE / "vendored" / "sarif-schema-2.1.0.json").read_text("utf-8"))


def _of_every_rule() -> Report:
    """The seeded defect of each rule, as files of one folder."""
    from tests.fuzz.kill_matrix import judged, stored

    made = [replace(judged(defect), path=f".//zoo/{defect.rule}.pte") for defect in stored()]
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


def test_annotations_name_files_as_the_repository_does() -> None:
    """GitHub shows an annotation beside the file that it finds under exactly this path."""
    lines = render(_of_every_rule(), "github").splitlines()
    paths = [line.partition("file=")[2].partition(",")[0] for line in lines[:-1]]
    assert len(paths) > 100
    assert [path for path in paths if not re.fullmatch(r"zoo/PTE\d{3}\.pte", path)] == []


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
