"""Iterations taken at once lead where iterations played one by one lead."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from pte_lint.interpret import runs
from pte_lint.interpret.iterations import Iterations
from pte_lint.interpret.player import Player
from pte_lint.interpret.state import State
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

MOST = 400
EDGES = (0, 1, 5, -7, 2**63 - 1, 2**63 - 3, -(2**63), 2 - 2**63, 2**53 - 2, 2**53, 2**62, -(2**62))
DOUBLES = (0.0, -0.0, 1.0, 0.5, -3.0, 10.5, 2.0**53, 2.0**53 - 2, math.inf, math.nan)


def random_loops(seed: int) -> Method:
    """Loops, one in the other or one after the other, on a few counters that they share.

    Half of them are on small whole numbers alone.
    """
    rng = random.Random(seed)
    b = MethodBuilder("forward")
    b.output(b.add(b.input((4,)), b.input((4,))))
    at_edges = seed % 2 == 1
    counters = [b.int_value(rng.randint(-6, 6)) for _ in range(3)]
    numbers = [*counters, b.int_value(rng.randint(-3, 3)), b.int_value(rng.randint(-60, 60))]
    if at_edges:
        counters = [*(b.int_value(rng.choice(EDGES)) for _ in range(2)), b.double_value(1.0)]
        numbers = [*counters, b.int_value(rng.choice(EDGES)), b.double_value(rng.choice(DOUBLES))]
    flags = [b.bool_value(rng.random() < 0.5) for _ in range(2)]
    bench = _Bench(b, rng, counters, numbers, flags, at_edges)
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
    at_edges: bool

    def loop(self, depth: int) -> None:
        b, rng = self.b, self.rng
        start, counter, flag = b.mark(), rng.choice(self.counters), rng.choice(self.flags)
        for _ in range(rng.choice([0, 0, 1, 2])):
            self.something()
        if depth < 2 and rng.random() < 0.3:
            self.loop(depth + 1)
        step = b.int_value(rng.choice([1, 1, 2, -3]))
        until = b.int_value(rng.randint(-50, 50))
        if self.at_edges:
            step = self.number((1, 2, -3, 2**61, 3 * 2**60), (1.0, 2.0, -1.0, 0.5))
            until = self.number((*EDGES, 40, -50), (*DOUBLES, 40.0, -30.5, 2.0**63))
        b.kernel("executorch_prim::add.Scalar", counter, step, counter)
        op = rng.choice(["eq", "lt", "le", "gt", "ge"])
        b.kernel(f"executorch_prim::{op}.Scalar", counter, until, flag)
        if rng.random() < 0.2:
            b.kernel("executorch_prim::sym_not.Scalar", flag, flag)
        b.jump_false(flag, start)
        if rng.random() < 0.5:
            b.move(rng.choice(self.numbers), counter)

    def number(self, whole: Sequence[int], doubles: Sequence[float]) -> int:
        b, rng = self.b, self.rng
        is_double = rng.random() < 0.5
        return b.double_value(rng.choice(doubles)) if is_double else b.int_value(rng.choice(whole))

    def something(self) -> None:
        b, rng = self.b, self.rng
        more = ["truediv", "sym_float", "neg"] if self.at_edges else []
        op = rng.choice(["add", "sub", "mul", "sym_max", "floordiv", "move", "lt", *more])
        pair = rng.choices(self.numbers, k=2)
        if op == "move":
            b.move(pair[0], rng.choice(self.counters))
        elif op in ("sym_float", "neg"):
            b.kernel(f"executorch_prim::{op}.Scalar", pair[0], rng.choice(self.counters))
        else:
            targets = self.flags if op == "lt" else self.counters
            b.kernel(f"executorch_prim::{op}.Scalar", *pair, rng.choice(targets))


def played(method: Method) -> tuple[bool, set[tuple[str, int]]]:
    """Whether it was played to the end, and the faults; what never ends may just as well last."""
    result = runs.Interpretation(method)
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
    monkeypatch.setattr(Iterations, "skip", lambda *_: False)
    assert at_once == played(method)


def count_skips(seeds: Sequence[int]) -> int:
    skipped = 0
    original = Iterations.skip

    def counting(self: Iterations, player: Player, jump: int, state: State, most: int) -> bool:
        nonlocal skipped
        before = state.walked
        never = original(self, player, jump, state, most)
        skipped += state.walked != before
        return never

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Iterations, "skip", counting)
        for seed in seeds:
            runs.Interpretation(random_loops(seed))
    return skipped


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_some_of_them_skip(first: int) -> None:
    """The comparison above would hold, too, if no iteration was ever skipped."""
    assert count_skips(range(first, 100, 2)) > 10


def counting_up(
    start: int | float, step: int | float, until: int | float, by: str
) -> MethodBuilder:
    b = MethodBuilder("forward")

    def number(value: int | float) -> int:
        return b.double_value(value) if isinstance(value, float) else b.int_value(value)

    counter, done = number(start), b.null()
    top = b.mark()
    b.kernel("executorch_prim::add.Scalar", counter, number(step), counter)
    b.kernel(f"executorch_prim::{by}.Scalar", counter, number(until), done)
    b.jump_false(done, top)
    b.move(number(start), counter)
    return b


BILLION = 10**9


@pytest.mark.parametrize(
    ("loop", "limit"),
    [
        # Beyond the largest number lies the smallest.
        ((2**63 - BILLION, BILLION // 1000, 0, "lt"), False),
        ((2**63 - 3 * BILLION, 1000, 0, "lt"), False),
        ((2**63 - 3 * BILLION, 1, 0, "lt"), True),
        # 2**53 + 1 is 2**53 as a double.
        ((2**53 - 10**6, 1, 2.0**53, "eq"), False),
        ((2**53 + 1 - 2 * 10**6, 2, 2.0**53, "eq"), False),
        ((2**53 + 3 - 4 * 10**6, 4, 2.0**53 + 2, "eq"), True),
        ((0.0, 1.0, 10**6, "ge"), False),
        ((0.0, 3.0, 10.0**6, "eq"), True),
        # At 2**53 a double does not get on.
        ((2.0**53 - 10**6, 1.0, 2.0**53 + 2, "ge"), True),
        ((0.0, 1.0, math.nan, "gt"), True),
    ],
)
def test_loops_at_the_edges(loop: tuple[float, float, float, str], limit: bool) -> None:
    result = runs.Interpretation(Method(build_program(counting_up(*loop)).program, 0))
    assert result.complete
    assert [fault.kind in ("endless", "too long") for fault in result.faults] == [True] * limit


def test_a_kernel_that_refuses_the_number_of_a_later_iteration() -> None:
    b = MethodBuilder("forward")
    x, at, done = b.input((6, 2)), b.int_value(0), b.null()
    top = b.mark()
    row = b.call("aten::select_copy.int_out", x, b.int_value(0), at, out=(2,))
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, b.int_value(1000), done)
    b.jump_false(done, top)
    b.output(row)
    (fault,) = runs.Interpretation(Method(build_program(b).program, 0)).faults
    assert (fault.kind, fault.step, fault.run) == ("kernel", 0, 1)
