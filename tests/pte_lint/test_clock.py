"""Own times add up to all of the time, and nothing is timed without a clock."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pte_lint.artifact import open_artifact
from pte_lint.clock import ANALYSIS, RULE, STAGE, Clock, run_clock, running, timed, timed_property
from pte_lint.engine import Settings, check_artifact
from pte_lint.registry import load_rules

ADD = Path(__file__).parents[1] / "data" / "device" / "add_default.pte"


class Owner:
    made = 0

    @timed_property
    def slow(self) -> int:
        """A value."""
        self.made += 1
        time.sleep(0.02)
        return 7


def test_what_is_inside_counts_for_itself_alone() -> None:
    clock, began = Clock(), time.perf_counter()
    with run_clock(clock):
        with timed(STAGE, "outer"):
            time.sleep(0.01)
            with timed(RULE, "inner"):
                time.sleep(0.03)
                assert clock.now == "inner"
            assert clock.now == "outer"
            time.sleep(0.01)
        with timed(STAGE, "outer"):
            time.sleep(0.01)
    wall = time.perf_counter() - began
    outer, inner = clock.seconds[STAGE, "outer"], clock.seconds[RULE, "inner"]
    assert outer >= 0.03
    assert inner >= 0.03
    assert outer + inner <= wall
    assert clock.now == ""


def test_an_analysis_is_not_charged_to_the_rule_that_asks_first() -> None:
    clock, owner = Clock(), Owner()
    with run_clock(clock), timed(RULE, "PTE901"):
        assert owner.slow + owner.slow == 14
    assert owner.made == 1
    assert clock.seconds[ANALYSIS, "slow"] >= 0.02 > clock.seconds[RULE, "PTE901"]


def test_time_is_charged_when_something_raises() -> None:
    clock = Clock()
    with pytest.raises(ZeroDivisionError), run_clock(clock), timed(STAGE, "a"), timed(RULE, "b"):
        raise ZeroDivisionError
    assert set(clock.seconds) == {(STAGE, "a"), (RULE, "b")}
    assert clock.now == ""
    assert running() is None


def test_without_a_clock_nothing_is_timed() -> None:
    with timed(STAGE, "a"):
        assert running() is None
    assert Owner().slow == 7


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
