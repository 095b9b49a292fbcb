"""Deciding by comparison: what a run shows about a claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.claims.finding import Finding, Location
from pte_lint.claims.forecast import Prediction, Stage, crash, error, undefined, wrong
from pte_lint.harness.decide import (
    CONFIRMED,
    NOT_REACHED,
    REFUTED,
    UNSUPPORTED,
    Claim,
    Signs,
    decide,
)
from pte_lint.harness.expectation import Expectation, Observation, Spot

NOTHING = Signs({})
INTERNAL = error(Stage.EXECUTE, "Internal")


def claim(prediction: Prediction, within: int | None = None, order: tuple[int, ...] = ()) -> Claim:
    finding = Finding(
        message="m", remediation="r", order=order, location=Location(instruction=within)
    )
    return Claim(finding, Expectation(Spot(prediction.stage, within), prediction))


def seen(
    outcome: str,
    stage: Stage = Stage.EXECUTE,
    within: int | None = None,
    error: str | None = None,
    signal: str | None = None,
) -> Observation:
    return Observation(Spot(stage, within), outcome, error, signal)


@pytest.mark.parametrize(
    ("prediction", "within", "observation", "status"),
    [
        (INTERNAL, 3, seen("error", within=3, error="Internal"), CONFIRMED),
        (INTERNAL, None, seen("error", within=3, error="Internal"), CONFIRMED),
        (INTERNAL, 3, seen("error", error="Internal"), CONFIRMED),
        (INTERNAL, 3, seen("error", within=4, error="Internal"), REFUTED),
        (INTERNAL, 3, seen("error", within=2, error="Internal"), NOT_REACHED),
        (INTERNAL, 3, seen("error", within=3, error="InvalidArgument"), REFUTED),
        (INTERNAL, 3, seen("crash", within=3, signal="SIGSEGV"), REFUTED),
        (INTERNAL, 3, seen("ok"), REFUTED),
        (INTERNAL, 3, seen("undefined"), REFUTED),
        (INTERNAL, 3, seen("error", Stage.LOAD_METHOD, error="NotFound"), NOT_REACHED),
        (INTERNAL, 3, seen("error", within=5, error="OperatorMissing"), UNSUPPORTED),
        (INTERNAL, 3, seen("timeout", within=1), UNSUPPORTED),
        (INTERNAL, 3, seen("skipped"), UNSUPPORTED),
        (crash(Stage.EXECUTE), 1, seen("crash", within=1, signal="SIGABRT"), CONFIRMED),
        (
            crash(Stage.EXECUTE, "SIGSEGV"),
            1,
            seen("crash", within=1, signal="SIGABRT"),
            REFUTED,
        ),
        (undefined(Stage.EXECUTE), 1, seen("ok"), UNSUPPORTED),
        (undefined(Stage.EXECUTE), 1, seen("crash", within=2, signal="SIGSEGV"), CONFIRMED),
        (undefined(Stage.EXECUTE), 1, seen("crash", within=0, signal="SIGSEGV"), NOT_REACHED),
    ],
)
def test_status(
    prediction: Prediction, within: int | None, observation: Observation, status: str
) -> None:
    one = claim(prediction, within)
    assert decide(one, observation, [one], NOTHING).status == status


def test_an_earlier_finding_that_ends_the_run_hides_a_later_one() -> None:
    first = claim(error(Stage.LOAD_METHOD, "NotFound"), order=(10,))
    later = claim(error(Stage.LOAD_METHOD, "InvalidProgram"), order=(20,))
    ended = seen("error", Stage.LOAD_METHOD, error="NotFound")
    assert decide(later, ended, [first, later], NOTHING).status == NOT_REACHED
    assert decide(first, ended, [first, later], NOTHING).status == CONFIRMED


def test_a_later_finding_does_not_excuse_an_earlier_one() -> None:
    first = claim(error(Stage.LOAD_METHOD, "NotFound"), order=(10,))
    later = claim(error(Stage.LOAD_METHOD, "InvalidProgram"), order=(20,))
    ended = seen("error", Stage.LOAD_METHOD, error="InvalidProgram")
    assert decide(first, ended, [first, later], NOTHING).status == REFUTED


def test_signs_of_wrong_data_confirm_what_the_runtime_calls_a_success() -> None:
    one = claim(undefined(Stage.EXECUTE), 2)
    here = Signs({2: "argument 0 lies on the host"})
    elsewhere = Signs({7: "argument 0 lies on the host"})
    assert decide(one, seen("undefined"), [one], here).status == CONFIRMED
    assert decide(one, seen("undefined"), [one], elsewhere).status == UNSUPPORTED
    anywhere = Signs({}, "the results change with what device memory held before the run")
    assert decide(one, seen("ok"), [one], anywhere).status == CONFIRMED


@pytest.mark.parametrize(
    ("prediction", "outcome"),
    [(INTERNAL, "error"), (crash(Stage.EXECUTE), "crash"), (undefined(Stage.EXECUTE), "ok")],
)
def test_a_damaged_report_shows_nothing(prediction: Prediction, outcome: str) -> None:
    """Whoever can write into the report could write a confirmation."""
    said = replace(seen(outcome, within=3, error="Internal"), damaged=True)
    mine = claim(prediction, 3)
    signs = Signs({3: "wrong data"}, "anywhere")
    assert decide(mine, said, [mine], signs).status == UNSUPPORTED
    assert decide(mine, replace(said, damaged=False), [mine], signs).status == CONFIRMED


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        (seen("ok"), UNSUPPORTED),
        (seen("undefined"), UNSUPPORTED),
        (seen("error", Stage.SET_INPUT, error="NotSupported"), NOT_REACHED),
        (seen("crash", within=7, signal="SIGSEGV"), NOT_REACHED),
    ],
)
def test_wrong_results_are_never_refuted_by_running(ended: Observation, status: str) -> None:
    one = claim(wrong(), 2)
    assert decide(one, ended, [one], NOTHING).status == status
