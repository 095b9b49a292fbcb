"""What was given up on is an error, whatever else is set; what padding hides is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from pte_lint.schema import limits
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import EValue, Frame, FrameList, Int, Program

import pte_lint
from pte_lint.assertions import NotClean, assert_clean
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.cli.app import app
from pte_lint.config.baseline import compare, record
from pte_lint.config.suppression import Ignore, suppress
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.sharing_writer import write_shared


def adder(*names: str, wrong: bool = False) -> BuiltProgram:
    methods = []
    for name in names or ("forward",):
        b = MethodBuilder(name)
        x = b.input((2,))
        b.output(b.add(x, x))
        methods.append(b)
    built = build_program(*methods)
    return built.replaced("execution_plan[0].outputs", (99,)) if wrong else built


def padded(built: BuiltProgram, frames: int) -> bytes:
    """The program with a stack trace that refers to one frame again and again."""
    trace = FrameList((Frame("model.py", 1, "forward", "x"),) * frames)
    (plan, *others) = built.program.execution_plan or ()
    chains = tuple(replace(chain, stacktrace=(trace,)) for chain in plan.chains or ())
    plans = (replace(plan, chains=chains), *others)
    return write_shared(replace(built.program, execution_plan=plans), built.segment_data)


def swollen(built: BuiltProgram, method: int = 0) -> bytes:
    """The program with a method whose value table refers to one value again and again."""
    plans = list(built.program.execution_plan or ())
    one = EValue(KernelTypes.INT, Int(1))
    values = (*(plans[method].values or ()), *(one,) * 100_000)
    plans[method] = replace(plans[method], values=values)
    program: Program = replace(built.program, execution_plan=tuple(plans))
    return write_shared(program, built.segment_data)


def told(content: bytes, **options: object) -> list[tuple[str, Severity | None, str | None]]:
    report = pte_lint.check(content, isolated=True, **options)  # type: ignore[arg-type]
    return [(f.rule, f.severity, f.method) for f in report.findings if f.rule == "PTE022"]


@pytest.mark.parametrize("frames", [0, 1, 6_000, 40_000])
def test_an_unused_stack_trace_hides_nothing(frames: int) -> None:
    (plain,) = pte_lint.check(adder(wrong=True).bytes(), isolated=True).artifacts
    (report,) = pte_lint.check(padded(adder(wrong=True), frames), isolated=True).artifacts
    assert [v.rule for v in report.verdict] == [v.rule for v in plain.verdict]
    errors = [(f.rule, f.subject) for f in plain.findings if f.severity is Severity.ERROR]
    assert errors
    found = [(f.rule, f.subject) for f in report.findings if f.severity is Severity.ERROR]
    assert found == errors


def test_a_healthy_program_that_is_padded_runs() -> None:
    (report,) = pte_lint.check(padded(adder(), 6_000), isolated=True).artifacts
    assert [(v.stage, v.outcome) for v in report.verdict] == [(Stage.EXECUTE, Outcome.OK)]
    assert not any(f.severity is Severity.ERROR for f in report.findings)


def test_the_runtimes_own_limit_is_the_runtimes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "VERIFIER_MAX_TABLES", 30_000)
    content = padded(adder(), 40_000)
    (report,) = pte_lint.check(content, isolated=True).artifacts
    assert [(v.error, v.rule) for v in report.verdict] == [("InvalidProgram", "PTE010")]
    assert told(content) == []


def test_a_method_that_shares_too_much_is_not_judged_and_the_others_are() -> None:
    (report,) = pte_lint.check(swollen(adder("a", "b", "c"), 1), isolated=True).artifacts
    assert [(v.method, v.outcome) for v in report.verdict] == [
        ("a", Outcome.OK),
        ("b", Outcome.UNJUDGED),
        ("c", Outcome.OK),
    ]
    (finding,) = [f for f in report.findings if f.rule == "PTE022"]
    assert (finding.severity, finding.method, finding.subject) == (
        Severity.ERROR,
        "b",
        "the method",
    )
    assert finding.location.path == "execution_plan[1]"
    assert finding.evidence["allowed_by"] == "--allow-unjudged"
    assert "--allow-unjudged" in finding.remediation


def test_only_leave_makes_it_a_warning() -> None:
    content = swollen(adder())
    error = [("PTE022", Severity.ERROR, "forward")]
    assert told(content) == error
    assert told(content, select=["PTE3"]) == error
    assert told(content, ignore=["PTE022"]) == error
    assert told(content, severity={"PTE022": "info"}) == error
    allowed = pte_lint.check(content, isolated=True, allow_unjudged=True)
    assert told(content, allow_unjudged=True) == [("PTE022", Severity.WARNING, "forward")]
    assert [v.outcome for v in allowed.artifacts[0].verdict] == [Outcome.UNJUDGED]


def test_no_entry_and_no_baseline_sets_it_aside() -> None:
    report = pte_lint.check(swollen(adder()), isolated=True)
    entry = Ignore("PTE0", "we know")
    rules = load_rules(isolated=True)
    left = suppress(report, [entry], rules, today=date(2026, 1, 1))
    assert [f.rule for f in left.findings] == ["PTE022"]
    compared = compare(report, record(report, Path("/")), Path("/"), "known.json")
    assert [f.rule for f in compared.report.findings] == ["PTE022"]


def test_assertions_fail_on_it() -> None:
    with pytest.raises(NotClean, match="PTE022"):
        assert_clean(swollen(adder()))
    assert_clean(swollen(adder()), allow_unjudged=True)


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"])
def test_every_format_says_it_and_none_says_that_it_runs(form: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(swollen(adder()))
    command = ["check", "--isolated", "--no-cache", "--format", form, str(path)]
    said = CliRunner().invoke(app, command)
    assert said.exit_code == 1
    assert "PTE022" in said.output
    allowed = CliRunner().invoke(app, [*command, "--allow-unjudged"])
    assert allowed.exit_code == 0
    assert "PTE022" in allowed.output
    assert "forward: runs" not in said.output + allowed.output


def test_fail_on_unchecked(tmp_path: Path) -> None:
    b = MethodBuilder("forward")
    x = b.input((2,))
    b.output(b.call("mine::op.out", x, out=(2,)))
    path = tmp_path / "model.pte"
    path.write_bytes(build_program(b).bytes())
    sound = tmp_path / "sound.pte"
    sound.write_bytes(adder().bytes())
    command = ["check", "--isolated", "--no-cache", "--ignore", "PTE4"]
    assert CliRunner().invoke(app, [*command, str(path)]).exit_code == 0
    strict = [*command, "--fail-on", "unchecked"]
    assert CliRunner().invoke(app, [*strict, str(path)]).exit_code == 1
    assert CliRunner().invoke(app, [*strict, str(sound)]).exit_code == 0
    with pytest.raises(NotClean):
        assert_clean(path, ignore=["PTE4"], fail_on="unchecked")
    assert_clean(sound, fail_on="unchecked")


def test_findings_are_plain() -> None:
    findings: list[Finding] = [
        f for f in pte_lint.check(swollen(adder()), isolated=True).findings if f.is_unjudged
    ]
    assert [f.runtime.outcome if f.runtime else None for f in findings] == [Outcome.UNJUDGED]
