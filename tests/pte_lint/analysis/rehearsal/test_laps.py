"""Laps taken at once lead where laps played one by one lead."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from pte_lint.analysis.method import Method
from pte_lint.analysis.rehearsal import runs
from pte_lint.analysis.rehearsal.laps import Laps
from pte_lint.analysis.rehearsal.player import Player
from pte_lint.analysis.rehearsal.state import State
from tests.support.builder import MethodBuilder
from tests.support.program_builder import build_program

MOST = 600


def random_loops(seed: int) -> Method:
    """Loops, one in the other or one after the other, on a few counters that they share."""
    rng = random.Random(seed)
    b = MethodBuilder("forward")
    b.output(b.add(b.input((4,)), b.input((4,))))
    counters = [b.int_value(rng.randint(-6, 6)) for _ in range(3)]
    numbers = [*counters, b.int_value(rng.randint(-3, 3)), b.int_value(rng.randint(-60, 60))]
    flags = [b.bool_value(rng.random() < 0.5) for _ in range(2)]
    bench = _Bench(b, rng, counters, numbers, flags)
    for _ in range(rng.randint(1, 2)):
        bench.loop(depth=0)
    return Method(build_program(b).program, 0)


@dataclass
class _Bench:
    b: MethodBuilder
    rng: random.Random
    counters: list[int]
    numbers: list[int]
    flags: list[int]

    def loop(self, depth: int) -> None:
        b, rng = self.b, self.rng
        start, counter, flag = b.mark(), rng.choice(self.counters), rng.choice(self.flags)
        for _ in range(rng.choice([0, 0, 1, 2])):
            self.something()
        if depth < 2 and rng.random() < 0.3:
            self.loop(depth + 1)
        step = b.int_value(rng.choice([1, 1, 2, -3]))
        b.kernel("executorch_prim::add.Scalar", counter, step, counter)
        op = rng.choice(["eq", "lt", "le", "gt", "ge"])
        until = b.int_value(rng.randint(-50, 50))
        b.kernel(f"executorch_prim::{op}.Scalar", counter, until, flag)
        if rng.random() < 0.2:
            b.kernel("executorch_prim::sym_not.Scalar", flag, flag)
        b.jump_false(flag, start)
        if rng.random() < 0.5:
            b.move(rng.choice(self.numbers), counter)

    def something(self) -> None:
        b, rng = self.b, self.rng
        op = rng.choice(["add", "sub", "mul", "sym_max", "floordiv", "move", "lt"])
        pair = rng.choices(self.numbers, k=2)
        if op == "move":
            b.move(pair[0], rng.choice(self.counters))
        else:
            targets = self.flags if op == "lt" else self.counters
            b.kernel(f"executorch_prim::{op}.Scalar", *pair, rng.choice(targets))


def played(method: Method) -> tuple[bool, set[tuple[str, int]]]:
    """Whether it was played to the end, and the faults; what never ends may just as well last."""
    result = runs.Rehearsal(method)
    return result.complete, {
        ("limit" if fault.kind in ("endless", "too long") else str(fault.kind), fault.run)
        for fault in result.faults
    }


@pytest.mark.parametrize("seed", range(150))
def test_the_same_is_met(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOST_INSTRUCTIONS", MOST)
    monkeypatch.setattr(runs, "_BUDGET_FLOOR", 200_000)
    method = random_loops(seed)
    at_once = played(method)
    monkeypatch.setattr(Laps, "skip", lambda *_: False)
    assert at_once == played(method)


def test_some_of_them_skip() -> None:
    """The comparison above would hold, too, if no lap was ever skipped."""
    skipped = 0
    original = Laps.skip

    def counting(self: Laps, player: Player, jump: int, state: State, most: int) -> bool:
        nonlocal skipped
        before = state.walked
        never = original(self, player, jump, state, most)
        skipped += state.walked != before
        return never

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Laps, "skip", counting)
        for seed in range(100):
            runs.Rehearsal(random_loops(seed))
    assert skipped > 20
