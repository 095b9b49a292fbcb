"""Deciding by comparison: what a run shows about a claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.claims.finding import Finding, Location
from pte_lint.claims.forecast import Prediction, Stage, crash, error, undefined, wrong
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign, Unseen
from pte_lint.harness.decide import (
    CONFIRMED,
    CONSISTENT,
    NOT_REACHED,
    REFUTED,
    UNSUPPORTED,
    Claim,
    Rivals,
    decide,
)
from pte_lint.harness.expectation import Expectation, Observation, Spot

SIGN = Sign("copy at {at}: source is null")
SHOWN = ("E x.cpp:1 failed", "copy at 0:3: source is null")
INTERNAL = error(Stage.EXECUTE, "Internal")


def claim(
    prediction: Prediction,
    within: int | None = None,
    order: tuple[int, ...] = (),
    sign: Sign | Unseen | None = SIGN,
) -> Claim:
    finding = Finding(
        message="m", remediation="r", order=order, location=Location(instruction=within)
    )
    expected = Expectation(Spot(prediction.stage, within), prediction)
    return Claim(finding, expected, sign, {"at": "0:3"}, within is not None)


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
        (INTERNAL, None, seen("error", within=3, error="Internal"), CONSISTENT),
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
        (undefined(Stage.EXECUTE), 1, seen("ok"), CONFIRMED),
        (undefined(Stage.EXECUTE), 1, seen("crash", within=2, signal="SIGSEGV"), CONFIRMED),
        (undefined(Stage.EXECUTE), 1, seen("crash", within=0, signal="SIGSEGV"), NOT_REACHED),
    ],
)
def test_status(
    prediction: Prediction, within: int | None, observation: Observation, status: str
) -> None:
    one = claim(prediction, within)
    assert decide(one, observation, Rivals([one]), SHOWN).status == status


def test_an_earlier_finding_that_ends_the_run_hides_a_later_one() -> None:
    first = claim(error(Stage.LOAD_METHOD, "NotFound"), 0, order=(10,))
    later = claim(error(Stage.LOAD_METHOD, "InvalidProgram"), 0, order=(20,))
    ended = seen("error", Stage.LOAD_METHOD, error="NotFound")
    assert decide(later, ended, Rivals([first, later]), SHOWN).status == NOT_REACHED
    assert decide(first, ended, Rivals([first, later]), SHOWN).status == CONFIRMED


def test_a_later_finding_does_not_excuse_an_earlier_one() -> None:
    first = claim(error(Stage.LOAD_METHOD, "NotFound"), 0, order=(10,))
    later = claim(error(Stage.LOAD_METHOD, "InvalidProgram"), 0, order=(20,))
    ended = seen("error", Stage.LOAD_METHOD, error="InvalidProgram")
    assert decide(first, ended, Rivals([first, later]), SHOWN).status == REFUTED


def test_of_several_that_foretold_the_ending_only_the_first_is_not_explained_away() -> None:
    """In whatever order they are asked about, and listed."""
    nothing = claim(error(Stage.LOAD_METHOD, "NotFound"), 1, order=(1,))
    ends = [claim(undefined(Stage.EXECUTE), 2, order=(order,)) for order in (10, 20, 30)]
    ended = seen("crash", within=2, signal="SIGSEGV")
    for claims in (Rivals([nothing, *ends]), Rivals([*reversed(ends), nothing])):
        told = [decide(each, ended, claims, SHOWN).status for each in ends]
        assert told == [CONFIRMED, NOT_REACHED, NOT_REACHED]


def test_the_ending_alone_is_no_confirmation() -> None:
    """The same stage and error, and the lines of another copy, of none, or of no rule at all."""
    said = seen("error", within=3, error="Internal")
    other = ("E x.cpp:1 failed", "copy at 0:4: source is null")
    for sign, lines in ((SIGN, other), (SIGN, ()), (None, SHOWN), (Unseen("never"), SHOWN)):
        one = claim(INTERNAL, 3, sign=sign)
        assert decide(one, said, Rivals([one]), lines).status == CONSISTENT


def test_signs_of_wrong_data_confirm_what_the_runtime_calls_a_success() -> None:
    one = claim(undefined(Stage.EXECUTE), 2)
    elsewhere = ("copy at 0:7: source is null",)
    fell = seen("crash", within=2, signal="SIGSEGV")
    by_memory = "the results change with what device memory held before the run"
    assert decide(one, seen("undefined"), Rivals([one]), SHOWN).status == CONFIRMED
    assert decide(one, seen("undefined"), Rivals([one]), elsewhere).status == UNSUPPORTED
    assert decide(one, seen("ok"), Rivals([one]), (), by_memory).status == CONSISTENT
    assert decide(one, fell, Rivals([one])).status == CONSISTENT


@pytest.mark.parametrize(
    ("prediction", "outcome"),
    [(INTERNAL, "error"), (crash(Stage.EXECUTE), "crash"), (undefined(Stage.EXECUTE), "ok")],
)
def test_a_damaged_report_shows_nothing(prediction: Prediction, outcome: str) -> None:
    """Whoever can write into the report could write a confirmation."""
    said = replace(seen(outcome, within=3, error="Internal"), damaged=True)
    mine = claim(prediction, 3)
    assert decide(mine, said, Rivals([mine]), SHOWN).status == UNSUPPORTED
    assert decide(mine, replace(said, damaged=False), Rivals([mine]), SHOWN).status == CONFIRMED


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
    assert decide(one, ended, Rivals([one]), SHOWN).status == status


DAMAGED = claim(undefined(Stage.LOAD_METHOD), order=(LoadProgramStep.VERIFICATION,))
"""Tables that do not verify, where nobody verifies them."""


@pytest.mark.parametrize(
    ("stage", "beside", "status"),
    [
        (Stage.LOAD_METHOD, DAMAGED, NOT_REACHED),
        (Stage.EXECUTE, DAMAGED, NOT_REACHED),
        (Stage.LOAD_PROGRAM, DAMAGED, REFUTED),  # that comes before the tables are followed
        (Stage.LOAD_METHOD, claim(undefined(Stage.LOAD_METHOD), order=(60,)), REFUTED),
        (Stage.LOAD_METHOD, claim(error(Stage.LOAD_METHOD, "Internal")), REFUTED),
    ],
)
@pytest.mark.parametrize("ending", ["crash", "ok"])
def test_damaged_tables_that_are_followed_may_do_anything(
    stage: Stage, beside: Claim, status: str, ending: str
) -> None:
    about = claim(error(stage, "InvalidProgram"), order=(50, 45))
    ended = seen(ending, stage, signal="SIGSEGV" if ending == "crash" else None)
    if ending == "ok":
        ended = seen("ok")
    decision = decide(about, ended, Rivals([about, beside]))
    assert decision.status == status
    if status == NOT_REACHED:
        assert "damaged tables are followed" in decision.reason
