"""Severity for the target, order and fingerprints."""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, Verification, error, unjudged
from pte_lint.claims.target import Target
from pte_lint.judging.finish import complete, fingerprinted, for_target, in_order, with_severity
from pte_lint.text.printable import printable
from tests.pte_lint.rulebook.test_selection import RULES

REFUSED = error(Stage.LOAD_METHOD, "OperatorMissing")


def finished(forecast: Forecast | None, target: Target) -> Finding:
    said = Finding(message="m", remediation="r", forecast=forecast)
    return complete(said, RULES[0], target, "forward")


def test_an_error_for_older_runtimes_only_is_dropped() -> None:
    forecast = Forecast.always(None).until("1.3", REFUSED)
    assert for_target(finished(forecast, Target("1.5")), Target("1.5")) is None
    kept = for_target(finished(forecast, Target("1.3")), Target("1.3"))
    assert kept is not None
    assert kept.severity is Severity.ERROR
    assert kept.runtime == REFUSED


def test_an_error_for_newer_runtimes_becomes_a_warning() -> None:
    forecast = Forecast.always(None).since("1.5", REFUSED)
    kept = for_target(finished(forecast, Target("1.4")), Target("1.4"))
    assert kept is not None
    assert kept.severity is Severity.WARNING
    assert kept.runtime is None


def test_both_levels_are_told_apart() -> None:
    forecast = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram")).when_minimal(REFUSED)
    both = finished(forecast, Target("1.5"))
    assert (str(both.runtime), str(both.runtime_minimal)) == (
        "load_program: error InvalidProgram",
        "load_method: error OperatorMissing",
    )
    runs = finished(forecast.when_minimal(None), Target("1.5"))
    assert str(runs.runtime_minimal) == "load_program: ok"
    full = finished(forecast, Target("1.5", Verification.FULL))
    assert full.runtime_minimal is None


def test_a_user_s_severity_is_put_on_last() -> None:
    """Verdicts are made of the rule's own severity."""
    finding = finished(Forecast.always(REFUSED), Target("1.5"))
    assert finding.severity is Severity.ERROR
    assert with_severity(finding, {"PTE101": Severity.INFO}, False).severity is Severity.INFO
    assert with_severity(finding, {"PTE301": Severity.INFO}, True).severity is Severity.ERROR


def test_what_was_not_judged_is_an_error_or_allowed() -> None:
    finding = finished(Forecast.always(unjudged(Stage.EXECUTE)), Target("1.5"))
    overrides = {finding.rule: Severity.INFO}
    assert finding.is_unjudged
    assert with_severity(finding, overrides, False).severity is Severity.ERROR
    assert with_severity(finding, overrides, True).severity is Severity.WARNING


def test_order_is_method_instruction_value_rule() -> None:
    def at(method: str | None, instruction: int | None, value: int | None, rule: str) -> Finding:
        return Finding(
            message="m",
            remediation="r",
            method=method,
            rule=rule,
            location=Location(instruction=instruction, value=value),
        )

    expected = [
        at(None, None, None, "PTE901"),
        at("b", None, 3, "PTE901"),
        at("b", 0, 1, "PTE902"),
        at("b", 0, 2, "PTE901"),
        at("a", 0, 0, "PTE901"),
    ]
    assert in_order(reversed(expected), ["b", "a"]) == expected


def test_fingerprints_ignore_offsets_and_count_repeats() -> None:
    def at(offset: int) -> Finding:
        return Finding(
            message=f"at {offset}",
            remediation="r",
            rule="PTE901",
            subject="input 0",
            location=Location(path=f"values[{offset}]", byte_offset=offset),
        )

    a, b = fingerprinted([at(1), at(2)])
    (c,) = fingerprinted([at(77)])
    assert a.fingerprint == c.fingerprint
    assert a.fingerprint != b.fingerprint
    assert len(a.fingerprint) == 16


def test_printable_keeps_bytes_that_are_not_text() -> None:
    name = b"caf\xc3\xa9 \xff".decode("utf-8", "surrogateescape")
    assert printable(name) == "café \\xff"
    assert printable("\ud800").isprintable()
