"""The engine: what becomes of rules, and what a user may and may not change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import pte_lint
from pte_lint.claims.finding import Finding, Location, NotEvaluated, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Outcome, Stage, error
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.files.artifact import open_artifact
from pte_lint.judging import engine
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.questions.method import Method
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule, Yields, artifact_rule, method_rule
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

ADD = Path(__file__).parents[2] / "data" / "device" / "add_default.pte"
REFUSED = Forecast.always(error(Stage.SET_INPUT, "NotSupported"))


@method_rule("PTE901", "always-wrong", Severity.ERROR, "everything")
def always_wrong(method: Method, context: Context) -> Yields:
    for value in reversed(method.inputs):
        yield Finding(
            message=f"input {value} is wrong",
            remediation="None.",
            location=Location(value=value),
            forecast=REFUSED,
            order=(value,),
        )
    yield Unchecked("the blob", "nobody can read it")


@method_rule("PTE902", "broken", Severity.ERROR, "nothing, for it fails")
def broken(method: Method, context: Context) -> Yields:
    yield Finding(message="before", remediation="None.")
    raise ZeroDivisionError("a bug")


@artifact_rule("PTE903", "shy", Severity.ERROR, "nothing, for it cannot")
def shy(context: Context) -> Iterator[Finding]:
    raise NotEvaluated("the moon is not full")
    yield


@artifact_rule("PTE904", "content", Severity.ERROR, "nothing")
def content(context: Context) -> Yields:
    return ()


def judged(*rules: object, **settings: object) -> ArtifactReport:
    with open_artifact(ADD) as artifact:
        return check_artifact(artifact, Settings(rules=cast("list[Rule]", rules), **settings))  # type: ignore[arg-type]


def test_findings_are_completed_and_ordered() -> None:
    report = judged(always_wrong)
    assert [(f.rule, f.name, f.severity, f.method, f.location.value) for f in report.findings] == [
        ("PTE901", "always-wrong", Severity.ERROR, "forward", 0),
        ("PTE901", "always-wrong", Severity.ERROR, "forward", 1),
    ]
    assert len({f.fingerprint for f in report.findings}) == 2
    assert [(v.stage, v.error, v.rule) for v in report.verdict] == [
        (Stage.SET_INPUT, "NotSupported", "PTE901")
    ]
    assert report.unchecked == (Unchecked("the blob", "nobody can read it"),)


def test_three_results_of_a_rule() -> None:
    report = judged(always_wrong, shy, content)
    assert [(r.rule, r.status, r.reason) for r in report.rules] == [
        ("PTE901", "findings", ""),
        ("PTE903", "not_evaluated", "the moon is not full"),
        ("PTE904", "passed", ""),
    ]


def test_a_failing_rule_is_an_internal_error_and_hides_nothing() -> None:
    report = judged(broken, always_wrong)
    (failure,) = report.internal_errors
    assert failure.rule == "PTE902"
    assert "ZeroDivisionError" in failure.message
    assert "broken" in failure.traceback
    assert {f.rule for f in report.findings} == {"PTE901", "PTE902"}
    assert next(r.status for r in report.rules if r.rule == "PTE902") != "passed"


def test_a_user_s_severity_changes_the_report_and_not_the_verdict() -> None:
    report = judged(always_wrong, severity={"PTE901": Severity.INFO})
    assert {f.severity for f in report.findings} == {Severity.INFO}
    assert report.verdict[0].outcome is Outcome.ERROR


def test_the_window_of_runtimes() -> None:
    report = judged(always_wrong, target=Target("1.4"))
    assert list(report.runs_on) == ["1.2", "1.3", "1.4", "1.5"]
    assert report.verdict == report.runs_on["1.4"]


def test_two_runs_are_equal() -> None:
    assert judged(always_wrong, shy) == judged(always_wrong, shy)


def test_lists_that_are_mentioned_too_often_are_not_followed() -> None:
    """A crafted file costs what its size allows, and is not called clean."""
    b = MethodBuilder("forward")
    x = b.input((1,))
    long = b.tensor_list([x] * 50_000)
    zero = b.int_value(0)
    out = b.tensor((1,))
    for _ in range(100):
        b.kernel("aten::cat.out", long, zero, out, out)
    b.output(out)
    report = pte_lint.check(build_program(b).bytes(), isolated=True).artifacts[0]
    assert [(f.rule, f.severity, f.method, f.subject) for f in report.findings] == [
        ("PTE022", Severity.ERROR, "forward", "the method")
    ]
    assert [(v.method, v.outcome) for v in report.verdict] == [("forward", Outcome.UNJUDGED)]
    assert report.internal_errors == ()


@method_rule("PTE993", "talks-a-lot", Severity.ERROR, "two thousand faults in every method")
def talks_a_lot(method: Method, context: Context) -> Yields:
    for number in range(2_000):
        fails = error(Stage.EXECUTE, "Internal" if number == 0 else "NotFound")
        yield Finding(
            message=f"fault {number}",
            remediation="None.",
            forecast=Forecast.always(fails),
            order=(number,),
        )


def test_too_many_findings_are_cut_but_the_first_of_each_method() -> None:
    names = [f"method_{number}" for number in range(5)]
    program = build_program(*[MethodBuilder(name) for name in names])
    report = talked_about(program.bytes(), talks_a_lot)
    size = len(program.bytes())
    counts = [sum(f.method == name for f in report.findings) for name in names]
    most = engine.FREE_FINDINGS + size // engine.BYTES_A_FINDING
    assert counts == [most] + [1] * 4
    assert all(v.error == "Internal" for v in report.verdict)
    assert report.unchecked == ()


def talked_about(content: bytes, *rules: Rule, allow: bool = False) -> ArtifactReport:
    with open_artifact(content) as artifact:
        return check_artifact(artifact, Settings(rules, allow_unjudged=allow))


def not_judged() -> Rule:
    return next(rule for rule in load_rules(isolated=True) if rule.id == "PTE022")


def test_errors_that_are_not_listed_are_an_error_of_their_own() -> None:
    content = build_program(MethodBuilder("forward")).bytes()
    for allow in (False, True):
        report = talked_about(content, not_judged(), talks_a_lot, allow=allow)
        (cut,) = [f for f in report.findings if f.rule == "PTE022"]
        rest = 2_000 - sum(f.rule == "PTE993" for f in report.findings)
        assert cut.method == "forward"
        assert cut.severity is (Severity.WARNING if allow else Severity.ERROR)
        assert cut.evidence["why"] == (
            f"{rest} more findings, {rest} of them errors, would be too many to list"
        )
        assert report.verdict[0].error == "Internal"


@method_rule("PTE994", "decides-late", Severity.ERROR, "a fault behind a thousand later ones")
def decides_late(method: Method, context: Context) -> Yields:
    for number in range(1_500):
        fails = error(Stage.LOAD_METHOD if number == 1_400 else Stage.EXECUTE, "Internal")
        yield Finding(
            message="m", remediation="r", forecast=Forecast.always(fails), order=(number,)
        )


def test_what_is_not_listed_may_still_decide() -> None:
    report = talked_about(build_program(MethodBuilder("forward")).bytes(), decides_late)
    assert report.verdict[0].stage is Stage.LOAD_METHOD
    assert len(report.findings) < 1_400


@method_rule("PTE995", "talks-idly", Severity.WARNING, "two thousand warnings in every method")
def talks_idly(method: Method, context: Context) -> Yields:
    for number in range(2_000):
        yield Finding(message=f"remark {number}", remediation="r")


def test_warnings_that_are_not_listed_are_told_and_fail_nothing() -> None:
    content = build_program(MethodBuilder("forward")).bytes()
    report = talked_about(content, talks_idly, not_judged())
    assert {f.rule for f in report.findings} == {"PTE995"}
    assert [each.what for each in report.unchecked] == ["the rest of what PTE995 finds"]
    assert report.verdict[0].outcome is Outcome.OK


@artifact_rule("PTE995", "talks-of-one-method", Severity.ERROR, "many faults of the first method")
def talks_of_one_method(context: Context) -> Yields:
    for number in range(5_000):
        last = number == 4_999
        yield Finding(
            message=f"fault {number}",
            remediation="None.",
            forecast=Forecast.always(error(Stage.EXECUTE, "Internal")),
            order=(number,),
            method="b" if last else "a",
            plan=1 if last else 0,
        )


def test_a_rule_that_is_not_asked_on_leaves_no_method_clean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MOST_UNLISTED", 100)
    content = build_program(MethodBuilder("a"), MethodBuilder("b")).bytes()
    report = talked_about(content, not_judged(), talks_of_one_method)
    assert [v.outcome for v in report.verdict] == [Outcome.ERROR, Outcome.UNJUDGED]
    told = [f.method for f in report.findings if f.rule == "PTE022"]
    assert told == [None, "a"]


def test_what_was_given_up_on_is_told_of_every_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FREE_FINDINGS", 0)
    monkeypatch.setattr(engine, "MOST_UNLISTED", 1)

    def gives_up(method: Method, context: Context) -> Yields:
        for number in range(3):
            method.ledger.give_up(f"thing {number}", "it is too much")
        yield from ()

    rule = method_rule("PTE996", "gives-up", Severity.ERROR, "what it gives up on")(gives_up)
    content = build_program(MethodBuilder("a"), MethodBuilder("b")).bytes()
    report = talked_about(content, not_judged(), rule)
    assert [v.outcome for v in report.verdict] == [Outcome.UNJUDGED, Outcome.UNJUDGED]
