"""The verdict is the first failure in the runtime's own order."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import (
    Forecast,
    Outcome,
    Stage,
    Verification,
    crash,
    error,
    undefined,
    wrong,
)
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.result import Verdict
from pte_lint.judging.verdict import derive

BOTH = Verification.BOTH


def finding(
    forecast: Forecast | None,
    method: str | None = "forward",
    order: tuple[int, ...] = (),
    severity: Severity = Severity.ERROR,
    rule: str = "PTE901",
) -> Finding:
    return Finding(
        message="m",
        remediation="r",
        forecast=forecast,
        method=method,
        order=order,
        severity=severity,
        rule=rule,
    )


def always(stage: Stage, name: str) -> Forecast:
    return Forecast.always(error(stage, name))


def test_no_finding_means_it_runs() -> None:
    assert derive([], ["a", "b"], "1.5", BOTH) == (
        Verdict("a", Stage.EXECUTE, Outcome.OK),
        Verdict("b", Stage.EXECUTE, Outcome.OK),
    )


def test_nothing_to_run_means_it_loads() -> None:
    assert derive([], [], "1.5", BOTH) == (Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK),)


def test_the_earlier_stage_wins_then_the_order_inside_it() -> None:
    found = [
        finding(always(Stage.EXECUTE, "Internal"), order=(0,), rule="PTE902"),
        finding(always(Stage.LOAD_METHOD, "NotFound"), order=(60, 1), rule="PTE903"),
        finding(always(Stage.LOAD_METHOD, "InvalidProgram"), order=(50, 9), rule="PTE904"),
    ]
    (verdict,) = derive(found, ["forward"], "1.5", BOTH)
    assert (verdict.stage, verdict.error, verdict.rule) == (
        Stage.LOAD_METHOD,
        "InvalidProgram",
        "PTE904",
    )


def test_warnings_and_findings_without_forecast_do_not_count() -> None:
    found = [
        finding(always(Stage.EXECUTE, "Internal"), severity=Severity.WARNING),
        finding(None),
        finding(Forecast.always(None)),
    ]
    (verdict,) = derive(found, ["forward"], "1.5", BOTH)
    assert verdict.outcome is Outcome.OK


def test_a_load_program_failure_is_the_whole_program_s() -> None:
    found = [finding(always(Stage.LOAD_PROGRAM, "InvalidProgram"), method="b")]
    assert [v.method for v in derive(found, ["a", "b"], "1.5", BOTH)] == [None]


def test_the_level_of_verification_decides() -> None:
    forecast = always(Stage.LOAD_PROGRAM, "InvalidProgram").when_minimal(
        crash(Stage.LOAD_METHOD, "SIGSEGV")
    )
    found = [finding(forecast, method="b")]
    full = derive(found, ["a", "b"], "1.5", Verification.FULL)
    assert [(v.method, v.stage) for v in full] == [(None, Stage.LOAD_PROGRAM)]
    minimal = derive(found, ["a", "b"], "1.5", Verification.MINIMAL)
    assert [(v.method, v.outcome, v.signal) for v in minimal] == [
        ("a", Outcome.OK, None),
        ("b", Outcome.CRASH, "SIGSEGV"),
    ]


def test_a_failure_without_a_method_is_every_method_s() -> None:
    found = [finding(Forecast.always(undefined(Stage.EXECUTE)), method=None)]
    assert [(v.method, v.outcome) for v in derive(found, ["a", "b"], "1.5", BOTH)] == [
        ("a", Outcome.UNDEFINED),
        ("b", Outcome.UNDEFINED),
    ]


def test_wrong_results_come_after_everything_that_may_fail() -> None:
    found = [
        finding(Forecast.always(wrong()), order=(1,)),
        finding(Forecast.always(undefined(Stage.EXECUTE)), order=(5,)),
        finding(always(Stage.EXECUTE, "InvalidArgument"), order=(9,)),
    ]
    outcomes = [
        derive(found[:n], ["forward"], "1.5", BOTH)[0].outcome for n in range(len(found) + 1)
    ]
    assert outcomes == [Outcome.OK, Outcome.WRONG, Outcome.UNDEFINED, Outcome.ERROR]


def test_damage_to_the_whole_file_leads_its_stage() -> None:
    found = [
        finding(Forecast.always(undefined(Stage.LOAD_METHOD)), method=None, order=(80,)),
        finding(always(Stage.LOAD_METHOD, "NotFound"), order=(60,)),
    ]
    assert derive(found, ["forward"], "1.5", BOTH)[0].outcome is Outcome.UNDEFINED


def test_versions_differ() -> None:
    forecast = (
        Forecast.always(error(Stage.SET_INPUT, "NotSupported"))
        .until("1.4", crash(Stage.SET_INPUT, "SIGSEGV"))
        .until("1.3", None)
    )
    outcomes = [
        derive([finding(forecast)], ["forward"], v, BOTH)[0].outcome
        for v in ("1.2", "1.3", "1.4", "1.5")
    ]
    assert outcomes == [Outcome.OK, Outcome.OK, Outcome.CRASH, Outcome.ERROR]


def test_a_second_run_comes_after_the_outputs_of_the_first() -> None:
    again = Forecast.always(crash(Stage.EXECUTE, "SIGABRT")).in_second_run()
    reset = Forecast.always(error(Stage.SET_INPUT, "InvalidArgument")).in_second_run()
    output = Forecast.always(crash(Stage.GET_OUTPUT, "SIGABRT"))
    for forecasts, stage in (
        ((again, output), Stage.GET_OUTPUT),
        ((again, reset), Stage.SET_INPUT),
        ((again,), Stage.EXECUTE),
    ):
        (verdict,) = derive([finding(each) for each in forecasts], ["forward"], "1.5", BOTH)
        assert verdict.stage is stage


def test_methods_are_told_apart_by_index_where_findings_name_it() -> None:
    found = [replace(finding(always(Stage.LOAD_METHOD, "NotFound"), method=""), plan=2)]
    outcomes = [v.outcome for v in derive(found, ["", ""], "1.5", BOTH, plans=[0, 2])]
    assert outcomes == [Outcome.OK, Outcome.ERROR]


def test_damage_to_data_files_leads_the_program_and_not_what_is_read_before_it() -> None:
    """Data files are loaded first, one by one; only then the program."""
    torn = Forecast.always(undefined(Stage.LOAD_PROGRAM))
    refused = always(Stage.LOAD_PROGRAM, "InvalidExternalData")
    files = LoadProgramStep.DATA_FILES
    header = finding(refused, method=None, order=(files, 1, 0), rule="PTE921")
    tables = finding(torn, method=None, order=(files, 1, 2), rule="PTE922")
    later = finding(refused, method=None, order=(files, 2, 0), rule="PTE923")
    program = finding(torn, method=None, order=(LoadProgramStep.VERIFICATION,), rule="PTE910")
    head = finding(refused, method=None, order=(LoadProgramStep.HEAD,), rule="PTE901")
    first = ["PTE921", "PTE922", "PTE923", "PTE910", "PTE901"]
    found = [header, tables, later, program, head]
    while found:
        (verdict,) = derive(found[::-1], ["forward"], "1.5", BOTH)
        assert verdict.rule == first.pop(0)
        found.pop(0)
