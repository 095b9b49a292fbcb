"""Plays a method through without its data: control flow, kinds, integers, sizes.

Prim ops and moves change what values are, and jumps depend on them; all of that is in the file. An
interpretation runs the steps in order, as `Method::execute` does, with the numbers it knows. Where
a jump depends on data it goes both ways, and keeps to its choice until the condition is written
again. Values keep what a run leaves in them, so further runs are played after the first, until they
repeat one another.

Whatever it meets on the way happens for some inputs, unless two conditions that are computed from
the same data exclude each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from pte_lint.claims.forecast import Outcome
from pte_lint.interpret.choices import fixed_inputs, has_dynamic_sizes, largest_sizes
from pte_lint.interpret.dead import Dead
from pte_lint.interpret.endings import endless, too_long
from pte_lint.interpret.faults import AT_ENDS, OF_NUMBERS, Fault, FaultKind, NarrowInput
from pte_lint.interpret.inputs import set_inputs
from pte_lint.interpret.iterations import Iterations
from pte_lint.interpret.moments import Moments
from pte_lint.interpret.player import Player
from pte_lint.interpret.state import Cell, Numbers, State, Stop, first_cell
from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import StepKind

MOST_INSTRUCTIONS: Final = 10_000_000
"""Instructions that the runtime executes in one run (`kMaxInstructions`, executor/method.cpp)."""
_BUDGET_FLOOR: Final = 20_000
_BUDGET_PER_STEP: Final = 2
"""Steps that are played, and so many more for a step of the method."""
_WEIGHT: Final = 4
"""Changed values whose remembering at a jump costs as much as one step."""
_FORKS: Final = 3
"""How often one jump may fork before numbers that differ each time are given up."""
_FEW_STATES: Final = 16
"""Jumps and states of a run that are told apart in every detail."""
_TOLD_RUNS: Final = 2
"""Runs whose faults are told."""
_MOST_RUNS: Final = 5
"""Runs after which it must be known what later ones do, or jumps may go both ways."""

_TOO_LONG: Final = (
    "it takes too long to be played to its end: what goes wrong late, or whether it ends within "
    f"the runtime's {MOST_INSTRUCTIONS:,} instructions, is not known"
)


class Interpretation:
    """All faults met in the first and the second run of a method.

    `complete` is False when the method was too long to be played to the end; the faults are real
    nevertheless.
    """

    def __init__(self, method: Method, given: Mapping[int, tuple[int, ...]] | None = None) -> None:
        """Plays the method; costs at most a few times its length.

        Args:
            method: The method.
            given: By input of sizes that may change, those that callers give it; None when they
                are not known.
        """
        self._method = method
        self._largest_sizes = largest_sizes(method) if given is None else {}
        if given is None and not self._largest_sizes:
            given = {}
        self._player = Player(method, given)
        self.given = given
        self._budget = _BUDGET_FLOOR + _BUDGET_PER_STEP * len(method.steps)
        self._faults: dict[tuple[FaultKind, int, int | None], Fault] = {}
        self._goes_on: set[int] = set()
        self._goes_away: set[int] = set()
        """Jumps that were seen not to be taken, and to be taken."""
        self._all_runs = True
        """Whether everything that any run can do was played."""
        self._stops: dict[int, int] = {}
        """Steps at which runs end, or go on with damage, and the first run that does: what comes
        then was not played."""
        self._clock = 0
        self._met: tuple[dict[int, int], ...] = tuple({} for _ in range(_TOLD_RUNS))
        """By told run: when stretches without jumps were first entered, by their first step."""
        self._times: dict[tuple[FaultKind, int, int | None], int] = {}
        """When faults were met."""
        self.ends: list[State] = []
        self._started: list[dict[int, Cell]] = [{}]  # by state that a run may find: what is new
        self.complete = True
        self.forgets = False
        """Whether numbers are given up that differ each time that a jump depends on data."""
        if self._player.changes_values or (given is not None and has_dynamic_sizes(method)):
            self._play_runs()
            self._set_moments()
            self.__dict__.pop("_dead", None)

    @cached_property
    def _moments(self) -> tuple[Moments, ...]:
        return tuple(Moments(met, self._player.next_of_interest) for met in self._met)

    def _set_moments(self) -> None:
        """Finds the place of what is not met at once."""
        for key, fault in self._faults.items():
            if fault.kind not in AT_ENDS:
                moments = self._moments[fault.run - 1]
                moment = moments.at(fault.step, self._times[key])
                self._faults[key] = replace(fault, moment=moment)

    def moment(self, place: float) -> tuple[float, bool]:
        """What a finding's place is by the order in which runs meet steps.

        Args:
            place: A step, counted on in a second run (`Fault.place`), or already such a place.

        Returns:
            The place, and whether only the second run comes to that step.
        """
        line = self._method.timeline
        run, step = line.split(place)
        if not isinstance(place, int) or not 0 < run <= _TOLD_RUNS or step == line.steps:
            return place, False
        is_late = (
            run == 1
            and self.complete
            and not self._moments[0].is_met(int(step))
            and 1 not in self._stops.values()
        )
        run = 2 if is_late else run
        return line.place(run, self._moments[run - 1].first(int(step))), is_late

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults, in order of run and step; one for each step and argument."""
        found = self._faults if self.largest is None else self.largest._faults | self._faults
        return tuple(sorted(found.values(), key=lambda f: (f.run, f.step, f.argument or 0)))

    @cached_property
    def largest(self) -> Interpretation | None:
        """A run with the largest inputs, which callers may ask for; None where this is one."""
        return Interpretation(self._method, self._largest_sizes) if self.given is None else None

    @cached_property
    def narrow_inputs(self) -> tuple[NarrowInput, ...]:
        """Inputs whose sizes may change, and that only take the largest nevertheless.

        Told of methods without jumps that run with the largest sizes.
        """
        if self.faults or not self.complete or self._method.of_kind(StepKind.JUMP):
            return ()
        if self.largest is not None:
            return self.largest.narrow_inputs
        found = []
        for v, smaller in fixed_inputs(self.given or {}):
            fault = next(iter(Interpretation(self._method, smaller).faults), None)
            if fault is not None and fault.run == 1:
                found.append(NarrowInput(v, smaller, fault))
        return tuple(found)

    @cached_property
    def _dead(self) -> Dead:
        return Dead(self._method)

    def of(self, kind: FaultKind) -> Iterator[Fault]:
        """The faults of one kind."""
        return (fault for fault in self.faults if fault.kind is kind)

    def outcome(self, jump: int) -> bool | None:
        """The outcome of a jump's condition when it is the same in every run, else None.

        False: it jumps. Also None for a jump that is never met.
        """
        one_way = (jump in self._goes_on) != (jump in self._goes_away)
        if not (one_way and self._all_runs) or self._unplayed[jump]:
            return None
        return jump in self._goes_on

    def is_passed(self, jump: int) -> bool:
        """False for a jump at which every run that comes to it fails, for its condition is none."""
        tested = jump in self._goes_on or jump in self._goes_away
        return tested or not self._all_runs or jump not in self._stops

    @cached_property
    def _unplayed(self) -> bytearray:
        """By step: whether it may come after one at which a run went wrong."""
        steps, destination = self._method.steps, self._method.chain_map.destination
        flags = bytearray(len(steps))
        work = list(self._stops)
        while work:
            at = work.pop()
            while at < len(steps) and not flags[at]:
                flags[at] = 1
                if steps[at].kind is StepKind.JUMP:
                    work.append(destination(steps[at]))
                at += 1
        return flags

    def knows_sizes(self, copy: int, *, of_all_callers: bool = False) -> bool:
        """Whether the sizes that a boundary copy meets are known, so that `faults` settle them.

        Args:
            copy: The step.
            of_all_callers: Of whatever inputs; else of the largest ones at least.
        """
        largest = self.largest
        if largest is not None and not of_all_callers:
            return largest.knows_sizes(copy)
        return self.complete and self._player.sized_copies.get(copy, False)

    def rows_copied(self, step: int) -> int:
        """Rows up to the last one that an et_copy_index copies in a run with the largest inputs.

        0 when that is not known.
        """
        player = self._player if self.largest is None else self.largest._player
        return player.rows_copied.get(step, 0)

    def _play_runs(self) -> None:
        """Plays run after run until they repeat what was played before."""
        starts = [State()]
        known = {starts[0].key()}
        for run in range(1, _MOST_RUNS + 1):
            ends = self.ends = self._play(starts, run)
            if self._budget < 0:
                if run <= _TOLD_RUNS:
                    self.complete = False
                    self._method.ledger.give_up("its loops and jumps", _TOO_LONG)
                break
            starts = []
            for state in self._next_starts(ends, run + 1):
                key = state.key()
                if key not in known:
                    known.add(key)
                    starts.append(state)
                    self._started.append(dict(state.cells))
            if not starts:
                return
            if not self._player.changes_values:
                return  # Every run starts anew with its inputs.
        self._all_runs = False

    def starts_with(self, v: int, number: int) -> bool:
        """Whether a value surely is a number whenever a run starts."""
        cells = (started.get(v) or first_cell(self._method, v) for started in self._started)
        return self.complete and self._all_runs and all(cell.number == number for cell in cells)

    def _next_starts(self, ends: list[State], run: int) -> Iterator[State]:
        for state in ends:
            self._budget -= 1
            state.start()
            stop = set_inputs(self._player, state)
            if stop is None:
                yield state
            else:
                self._record(stop, run)

    def _note(self, stop: Stop, run: int, state: State) -> None:
        """Records what a path met, unless it hangs on a guess."""
        self._stops.setdefault(stop.step, run)
        if not (state.guessed and stop.kind in OF_NUMBERS):
            self._record(stop, run)

    def _record(self, stop: Stop, run: int) -> None:
        if not stop.kind or run > _TOLD_RUNS:
            return
        prediction = stop.prediction if run == 1 else replace(stop.prediction, run=run)
        what = FaultKind(stop.kind), stop.step, stop.argument, stop.message, prediction
        fault = Fault(*what, run, stop.since, stop.older)
        key = fault.kind, fault.step, fault.argument
        self._faults.setdefault(key, fault)
        self._times.setdefault(key, self._clock)

    def _play(self, starts: list[State], run: int) -> list[State]:
        """Follows every path from some states; returns the states at the end of the method."""
        ends: dict[tuple[object, ...], State] = {}
        seen: dict[tuple[int, tuple[object, ...]], int] = {}
        """Numbers of the jumps and states that were met."""
        leads_to: list[list[int]] = []
        jumps: list[int] = []
        leaves: set[int] = set()
        forks: Counter[int] = Counter()
        first_fork: dict[int, Numbers] = {}
        # Small things are made when they are needed, and there once: there may be very many paths.
        same: dict[object, object] = {}
        work: list[tuple[int, State, int | None, Iterations | None]] = [
            (0, state, None, None) for state in starts
        ]
        while work:
            at, state, origin, passed = work.pop()
            iterations = Iterations() if passed is None else passed
            at, stop = self._walk(at, state, iterations, run)
            while stop is not None and stop.prediction.outcome is Outcome.UNDEFINED:
                # Nothing ends there: what fails later in the run, or in the next one, shows.
                self._note(stop, run, state)
                at, stop = self._walk(at + 1, state, iterations, run)
            if self._budget < 0:
                return list(ends.values())
            if stop is None and state.walked > MOST_INSTRUCTIONS:
                stop = too_long(min(at, len(self._method.steps) - 1))
            if stop is not None:
                self._note(stop, run, state)
            if len(seen) > _FEW_STATES:
                self._dead.forget(at, state)
            if stop is not None or at >= len(self._method.steps):
                if stop is None:
                    ends.setdefault(state.key(), state)
                if origin is not None:
                    leaves.add(origin)
                continue
            self._budget -= state.weight // _WEIGHT
            step = self._method.steps[at]
            outcome = self._player.outcome(step, state)
            if outcome is not True or self._player.depends_on_data(step, state):
                self._goes_away.add(at)
            if outcome is not False or self._player.depends_on_data(step, state):
                self._goes_on.add(at)
            if outcome is not None and iterations.skip(self._player, at, state, MOST_INSTRUCTIONS):
                self._record(endless(at), run)
                leaves.update(() if origin is None else (origin,))
                continue
            if outcome is None:
                forks[at] += 1
                if at not in first_fork:
                    first_fork[at] = state.numbers()
                elif forks[at] > _FORKS:
                    self.forgets = state.forget_numbers(first_fork[at]) or self.forgets
            here = (at, tuple(same.setdefault(part, part) for part in state.key()))
            number = seen.get(here)
            is_new = number is None
            if number is None:
                number = seen[here] = len(leads_to)
                leads_to.append([])
                jumps.append(at)
            if origin is not None:
                leads_to[origin].append(number)
            if is_new:
                for to, after in self._ways(at, state, outcome):
                    work.append((to, after, number, iterations if outcome is not None else None))
        self._find_endless(leads_to, leaves, jumps, run)
        return list(ends.values())

    def _walk(
        self, at: int, state: State, iterations: Iterations, run: int
    ) -> tuple[int, Stop | None]:
        """Plays steps up to the next jump; returns where it is, or what went wrong before."""
        player, steps = self._player, self._method.steps
        met = self._met[run - 1] if run <= _TOLD_RUNS else {}
        while True:
            self._clock += 1
            met.setdefault(at, self._clock)
            before, at = at, player.next_of_interest[at]
            state.walked += min(at + 1, len(steps)) - before
            self._budget -= 1
            if at >= len(steps) or self._budget < 0:
                return at, None
            step = steps[at]
            iterations.note(at)
            stop = player.play(step, state)
            if stop is not None or step.kind is StepKind.JUMP:
                return at, stop
            at += 1

    def _ways(self, at: int, state: State, outcome: bool | None) -> Iterator[tuple[int, State]]:
        """Where a jump leads: one way when its outcome is known, else both, each assumed."""
        step = self._method.steps[at]
        for taken in (True, False) if outcome is None else (outcome,):
            after = state if outcome is not None else state.copy()
            if outcome is None:
                self._player.assume(step, after, taken)
            to = at + 1 if taken else self._method.chain_map.destination(step)
            yield to, after

    def _find_endless(
        self, leads_to: list[list[int]], leaves: set[int], jumps: list[int], run: int
    ) -> None:
        before: list[list[int]] = [[] for _ in leads_to]
        for number, targets in enumerate(leads_to):
            for target in targets:
                before[target].append(number)
        work = list(leaves)
        ending = set(leaves)
        while work:
            for number in before[work.pop()]:
                if number not in ending:
                    ending.add(number)
                    work.append(number)
        trapped = [jumps[number] for number in range(len(leads_to)) if number not in ending]
        if trapped:
            self._record(endless(min(trapped)), run)


@question
def interpretation_of(method: Method) -> Interpretation:
    """Control flow, kinds and numbers, played through twice."""
    return Interpretation(method)
