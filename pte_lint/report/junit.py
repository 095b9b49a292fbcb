"""JUnit XML: a suite an artifact, a test case a finding or a rule that passed.

A finding that fails the run is a failure, a milder one a case that passed with its text as output,
so that the suite is red exactly when the exit code is 1 (or 2: failures of rules are errors).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from pte_lint.finding import Finding
from pte_lint.report import sanitise
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import runtime_sentence, verdict, where
from pte_lint.result import ArtifactReport, Report
from pte_lint.target import Target


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders the XML document; every string in it is printable, so it is well-formed."""
    suites = [_suite(a, report.target, options) for a in report.artifacts]
    root = ET.Element("testsuites", {"name": "pte-lint", **_counts(suites)})
    root.extend(suites)
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _counts(suites: list[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(s.get(name, "0")) for s in suites)) for name in names}


def _suite(artifact: ArtifactReport, target: Target, options: RenderOptions) -> ET.Element:
    path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
    suite = ET.Element("testsuite", name=path)
    for finding in artifact.findings:
        suite.append(_finding(finding, path, target, options))
    for result in artifact.rules:
        if result.status == "passed":
            suite.append(_case(path, result.rule))
        elif result.status == "not_evaluated" and not _failed(artifact, result.rule):
            case = _case(path, result.rule)
            ET.SubElement(case, "skipped", message=sanitise.prose(result.reason))
            suite.append(case)
    for error in artifact.internal_errors:
        case = _case(path, error.rule)
        made = ET.SubElement(
            case, "error", type="internal error", message=sanitise.prose(error.message)
        )
        made.text = sanitise.block(error.traceback)
        suite.append(case)
    tags = [[child.tag for child in case] for case in suite]
    suite.set("tests", str(len(tags)))
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(sum(tag in each for each in tags)))
    lines = [verdict(v) for v in artifact.verdict]
    lines += [f"not checked: {gap.what}: {gap.why}" for gap in artifact.unchecked]
    ET.SubElement(suite, "system-out").text = "\n".join(sanitise.prose(line) for line in lines)
    return suite


def _failed(artifact: ArtifactReport, rule: str) -> bool:
    return any(error.rule == rule for error in artifact.internal_errors)


def _case(path: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=path, name=sanitise.prose(name))


def _finding(finding: Finding, path: str, target: Target, options: RenderOptions) -> ET.Element:
    case = _case(path, f"{finding.rule} {finding.name}: {where(finding)}")
    lines = [f"{finding.severity} {finding.rule} ({finding.name})", finding.message]
    sentence = runtime_sentence(finding, target)
    if sentence is not None:
        lines.append(sentence)
    text = sanitise.block("\n".join(lines) + f"\n\n{finding.remediation.strip()}").rstrip()
    if options.fails(finding):
        made = ET.SubElement(
            case,
            "failure",
            type=str(finding.severity),
            message=sanitise.prose(finding.message.replace("\n", " ")),
        )
        made.text = text
    else:
        ET.SubElement(case, "system-out").text = text
    return case
