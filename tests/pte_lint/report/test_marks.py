"""What a run showed of claims, in every format for readers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import junitparser

from pte_lint.claims.finding import Confirmation, Severity
from pte_lint.claims.need import Need, NeedKind
from pte_lint.claims.result import Report
from pte_lint.report.formats import render
from pte_lint.report.markdown_safe import prose
from pte_lint.report.text_confirm import render as render_confirmed
from tests.support.reports import artifact, finding, report


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
