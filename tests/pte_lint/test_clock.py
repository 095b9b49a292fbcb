"""Own times add up to all of the time, and nothing is timed without a clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint import clock as clock_module
from pte_lint.clock import ANALYSIS, RULE, STAGE, Clock, run_clock, running, timed, timed_property
from pte_lint.files.artifact import open_artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.registry import load_rules

ADD = Path(__file__).parents[1] / "data" / "device" / "add_default.pte"


class Time:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(clock_module, "perf_counter", made)
    return made


class Owner:
    def __init__(self, time: Time) -> None:
        self.made = 0
        self._time = time

    @timed_property
    def slow(self) -> int:
        """A value."""
        self.made += 1
        self._time.passes(2)
        return 7


def test_what_is_inside_counts_for_itself_alone(time: Time) -> None:
    clock = Clock()
    with run_clock(clock):
        with timed(STAGE, "outer"):
            time.passes(1)
            with timed(RULE, "inner"):
                time.passes(30)
                assert clock.now == "inner"
            assert clock.now == "outer"
            time.passes(2)
        time.passes(1000)
        with timed(STAGE, "outer"):
            time.passes(4)
    assert clock.seconds == {(STAGE, "outer"): 7, (RULE, "inner"): 30}
    assert clock.now == ""


def test_an_analysis_is_not_charged_to_the_rule_that_asks_first(time: Time) -> None:
    clock, owner = Clock(), Owner(time)
    with run_clock(clock), timed(RULE, "PTE901"):
        time.passes(1)
        assert owner.slow + owner.slow == 14
        time.passes(3)
    assert owner.made == 1
    assert clock.seconds == {(ANALYSIS, "slow"): 2, (RULE, "PTE901"): 4}


def test_time_is_charged_when_something_raises(time: Time) -> None:
    clock = Clock()

    def fail() -> None:
        time.passes(5)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), run_clock(clock), timed(STAGE, "a"), timed(RULE, "b"):
        fail()
    assert clock.seconds == {(STAGE, "a"): 0, (RULE, "b"): 5}
    assert clock.now == ""
    assert running() is None


def test_without_a_clock_nothing_is_timed(time: Time) -> None:
    with timed(STAGE, "a"):
        assert running() is None
    assert Owner(time).slow == 7


def test_times_of_other_processes_are_added() -> None:
    clock = Clock()
    clock.add({(RULE, "a"): 1.0})
    clock.add({(RULE, "a"): 2.0, (RULE, "b"): 1.0})
    assert clock.take() == {(RULE, "a"): 3.0, (RULE, "b"): 1.0}
    assert clock.seconds == {}


def test_a_check_times_every_rule_and_finds_the_same() -> None:
    settings = Settings(rules=load_rules(isolated=True))
    clock = Clock()
    with open_artifact(ADD) as artifact:
        expected = check_artifact(artifact, settings)
        with run_clock(clock):
            assert check_artifact(artifact, settings) == expected
    assert {name for kind, name in clock.seconds if kind == RULE} == {r.id for r in settings.rules}
    assert {(STAGE, "read"), (STAGE, "index"), (STAGE, "finish")} <= set(clock.seconds)
    assert (ANALYSIS, "liveness") in clock.seconds
