"""The root-cause relation of findings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.violations import Violation, ViolationKind

from pte_lint.claims.causes import consequences, linked
from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain, scaler
from tests.support.judging import judge


def _found(rule: str, path: str = "", severity: Severity = Severity.ERROR, at: str = "") -> Finding:
    return Finding(
        message="m",
        remediation="",
        rule=rule,
        severity=severity,
        location=Location(path=path),
        fingerprint=at or f"{rule} {path}",
    )


def _unread(path: str) -> Violation:
    return Violation(ViolationKind.OUT_OF_BOUNDS, 0, path, "m", hard=True)


def _causes(findings: list[Finding], *violations: Violation) -> list[str | None]:
    return [finding.cause for finding in linked(findings, violations)]


@pytest.mark.parametrize("rule", ["PTE001", "PTE002", "PTE003", "PTE004", "PTE005"])
def test_damage_of_the_whole_file_explains_all_of_it(rule: str) -> None:
    findings = [_found("PTE006"), _found("PTE112", "x"), _found(rule), _found("PTE019")]
    assert _causes(findings) == [f"{rule} ", f"{rule} ", None, None]


@pytest.mark.parametrize("rule", ["PTE006", "PTE007", "PTE008", "PTE009"])
def test_what_is_wrong_with_segments_follows_from_the_header_or_a_cut(rule: str) -> None:
    findings = [_found(rule), _found("PTE014"), _found("PTE503"), _found("PTE203", "x")]
    assert _causes(findings) == [None, f"{rule} ", f"{rule} ", None]


def test_a_cut_through_the_tables_explains_them_too() -> None:
    findings = [_found("PTE203", "x"), _found("PTE010"), _found("PTE006")]
    assert _causes(findings) == ["PTE006 ", "PTE006 ", None]


def test_of_several_causes_the_first_in_order_is_the_root() -> None:
    # A damaged header explains tables that do not verify, and these a field of theirs.
    findings = [_found("PTE106", "execution_plan[0].values[3]"), _found("PTE010"), _found("PTE007")]
    assert _causes(findings, _unread("execution_plan[0].values[3].val.sizes")) == [
        "PTE007 ",
        "PTE007 ",
        None,
    ]


def test_a_milder_finding_explains_no_worse_one() -> None:
    findings = [_found("PTE009", severity=Severity.WARNING), _found("PTE014"), _found("PTE005")]
    findings[2] = _found("PTE005", severity=Severity.WARNING)
    assert _causes(findings) == ["PTE005 ", None, None]


@pytest.mark.parametrize(
    ("unread", "path", "follows"),
    [
        ("execution_plan[0].values[3].val.sizes", "execution_plan[0].values[3]", True),
        ("execution_plan[0].values[3].val.sizes", "execution_plan[0].values[3].sizes", True),
        ("execution_plan[0].values[3].val.sizes", "execution_plan[0].values[30]", False),
        ("execution_plan[0].values[3].val.sizes", "execution_plan[0].values[2]", False),
        ("execution_plan[0].values", "execution_plan[0].chains[0].instructions[1]", True),
        ("execution_plan[0].values", "execution_plan[1].values[0]", False),
        ("execution_plan[0].name", "execution_plan[0].name", True),
        ("execution_plan[0].name", "execution_plan[0].values[0]", False),
        ("segments", "segments[2]", True),
        ("segments", "execution_plan[0]", False),
        ("", "execution_plan[0].values[0]", True),
    ],
)
def test_tables_explain_their_fields(unread: str, path: str, follows: bool) -> None:
    findings = [_found("PTE010"), _found("PTE104", path)]
    assert _causes(findings, _unread(unread)) == [None, "PTE010 " if follows else None]


@pytest.mark.parametrize(
    ("absent", "path", "follows"),
    [
        (".values", "execution_plan[0].chains[0].instructions[1]", True),
        (".chains", "execution_plan[0].outputs[0]", True),
        (".chains", "execution_plan[1].outputs[0]", False),
        (".chains", "segments[0]", False),
        (".delegates", "execution_plan[0].chains[0].instructions[1]", False),
        (".chains[0].instructions", "execution_plan[0].outputs[0]", False),
    ],
)
def test_a_table_that_is_not_there_explains_its_method(
    absent: str, path: str, follows: bool
) -> None:
    findings = [_found("PTE130", path), _found("PTE102", f"execution_plan[0]{absent}", at="root")]
    assert _causes(findings) == ["root" if follows else None, None]


def test_of_two_absent_tables_neither_explains_the_other() -> None:
    ends = (".values", ".chains")
    findings = [_found("PTE102", f"execution_plan[0]{end}", at=end) for end in ends]
    findings.append(_found("PTE130", "execution_plan[0].outputs[0]"))
    assert _causes(findings) == [None, None, ".values"]


def test_a_data_file_that_is_cut_off_explains_its_entries() -> None:
    def about(rule: str, file: str) -> Finding:
        return replace(_found(rule, at=f"{rule} {file}"), evidence={"file": file})

    findings = [about(*each) for each in (("PTE515", "a"), ("PTE515", "b"), ("PTE523", "b"))]
    assert _causes([*findings, about("PTE521", "b")]) == [None, "PTE521 b", None, None]


def test_consequences_are_counted_under_their_cause_while_it_is_there() -> None:
    findings = linked([_found("PTE005"), _found("PTE112", "a"), _found("PTE112", "b")])
    roots, counts = consequences(findings)
    assert ([f.rule for f in roots], counts) == (["PTE005"], {"PTE005 ": 2})
    # Set aside by its fingerprint, a cause leaves what follows from it to stand for itself.
    roots, counts = consequences(findings[1:])
    assert ([f.rule for f in roots], counts) == (["PTE112", "PTE112"], {})


def test_a_sound_program_and_an_independent_fault_have_no_cause() -> None:
    b = scaler()
    b.kernel("aten::nothing.out", 0)
    report = judge(build_program(b).bytes())
    assert report.findings
    assert {finding.cause for finding in report.findings} == {None}


def test_a_cut_file_has_one_root_among_its_errors() -> None:
    content = plain().bytes()
    report = judge(content[: len(content) - 20])
    roots, _ = consequences(report.findings)
    assert [f.rule for f in roots if f.severity is Severity.ERROR] == ["PTE006"]
