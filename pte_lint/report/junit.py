"""JUnit XML: a suite an artifact, a test case a rule that fails it, or one for all of a good one.

What fails a check is a failure, so that the suite is red exactly when its exit code is 1 (or 2:
failures of rules are errors); so is what a run showed to be wrong. Milder findings are in the
suite's output, with the verdict, and each has what a run showed of it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.files.remote.address import with_slashes
from pte_lint.report.folding import fold
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import (
    following,
    mark,
    runtime_sentence,
    shown,
    shown_wrong,
    source_words,
    verdict,
    where,
)
from pte_lint.report.ranking import worst_first
from pte_lint.text import sanitise


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders the XML document; every string in it is printable, so it is well-formed."""
    suites = [_suite(a, report.target, options) for a in worst_first(report)]
    if report.unread:
        suites.append(_unread(report.unread))
    root = ET.Element("testsuites", {"name": "pte-lint", **_counts(suites)})
    root.extend(suites)
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _unread(lines: Sequence[str]) -> ET.Element:
    """A suite of what could not be read: without it the run would look as if all was well."""
    suite = ET.Element("testsuite", name="pte-lint")
    for line in lines:
        case = _case("pte-lint", line)
        ET.SubElement(case, "error", type="not read", message=sanitise.prose(line))
        suite.append(case)
    for name, count in (("tests", len(lines)), ("failures", 0), ("errors", len(lines))):
        suite.set(name, str(count))
    return suite


def _counts(suites: list[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(s.get(name, "0")) for s in suites)) for name in names}


def _suite(artifact: ArtifactReport, target: Target, options: RenderOptions) -> ET.Element:
    path = sanitise.name(with_slashes(artifact.path), sanitise.EXACT_LIMIT)
    suite = ET.Element("testsuite", name=path)
    roots, follow = consequences(artifact.findings)
    failing: dict[str, list[Finding]] = {}
    for finding in roots:
        if options.fails(finding):
            failing.setdefault(finding.rule, []).append(finding)
    for findings in failing.values():
        suite.append(_failure(findings, follow, path, target))
    for head, text in shown_wrong(artifact):
        case = _case(path, head)
        ET.SubElement(case, "failure", type="run", message=sanitise.prose(text))
        suite.append(case)
    for error in artifact.internal_errors:
        case = _case(path, error.rule)
        made = ET.SubElement(
            case, "error", type="internal error", message=sanitise.prose(error.message)
        )
        made.text = sanitise.block(error.traceback)
        suite.append(case)
    if not len(suite):
        suite.append(_case(path, "pte-lint"))
    tags = [[child.tag for child in case] for case in suite]
    suite.set("tests", str(len(tags)))
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(sum(tag in each for each in tags)))
    lines = [
        "; ".join(filter(None, (verdict(v, artifact.needs), shown(v)))) for v in artifact.verdict
    ]
    lines += [
        f"{f.severity}{mark(f)} {f.rule}: {where(f)}: {f.message}"
        for f in roots
        if not options.fails(f)
    ]
    reasons: dict[str, list[str]] = {}
    for result in artifact.rules:
        if result.status == "not_evaluated":
            reasons.setdefault(result.reason, []).append(result.rule)
    lines += [f"not evaluated, {why}: {' '.join(rules)}" for why, rules in reasons.items()]
    lines += [f"not checked: {gap.what}: {gap.why}" for gap in artifact.unchecked]
    ET.SubElement(suite, "system-out").text = "\n".join(sanitise.prose(line) for line in lines)
    return suite


def _case(path: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=path, name=sanitise.prose(name))


def _told(finding: Finding) -> str:
    source = source_words(finding)
    return f"{where(finding)}: {finding.message}" + (f"\nfrom {source}" if source else "")


def _failure(
    findings: list[Finding], follow: Mapping[str, int], path: str, target: Target
) -> ET.Element:
    """One case for all findings of a rule that fail the run."""
    first = findings[0]
    case = _case(path, f"{first.rule} {first.name}")
    parts = []
    for group in fold(findings):
        lines = [_told(f) for f in group.findings]
        after = sum(follow.get(f.fingerprint, 0) for f in group.findings)
        if after:
            lines.append(following(after))
        sentence = runtime_sentence(group.first, target)
        if sentence is not None:
            lines.append(sentence)
        ran = shown(group.first)
        if ran is not None:
            lines.append(f"run: {ran}")
        parts.append("\n".join(lines) + f"\n\n{group.first.remediation.strip()}")
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    text = first.message.replace("\n", " ") + more
    made = ET.SubElement(case, "failure", type=str(first.severity), message=sanitise.prose(text))
    made.text = sanitise.block("\n\n".join(parts)).rstrip()
    return case
