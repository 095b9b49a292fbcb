"""When the steps of a method are met: the first time in a run, by the order in which they run.

Loops and jumps run steps in another order than they stand. What is wrong with a step each time it
runs shows when it is first met; what goes wrong in a later iteration, after all that was met
before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


class Moments:
    """The order of what one run meets."""

    def __init__(self, met: Mapping[int, int], next_of_interest: Sequence[int]) -> None:
        """Takes down when each step was met; linear in steps, and their sorting.

        Args:
            met: By step that a stretch without jumps was entered at: when that was, counted in
                stretches that were played.
            next_of_interest: By step, the last one of its stretch.
        """
        times: list[float] = []
        now = inf
        for step, last in enumerate(next_of_interest[:-1]):
            now = min(now, met.get(step, inf))
            times.append(now)
            if step == last:
                now = inf
        order = sorted(range(len(times)), key=times.__getitem__)
        self._times = times
        self._sorted = [times[step] for step in order]
        self._ranks = [0] * len(times)
        for rank, step in enumerate(order):
            self._ranks[step] = rank

    def is_met(self, step: int) -> bool:
        """Whether the run comes to a step."""
        return self._times[step] < inf

    def first(self, step: int) -> int:
        """The place of a step when it is first met, from 0; steps that are never met stand last."""
        return self._ranks[step]

    def at(self, step: int, time: int) -> float | None:
        """The place of what happens at a step at some time; None when it is first met then.

        It is no whole number, and lies behind all steps that were first met before.
        """
        if self._times[step] >= time:
            return None
        return bisect_right(self._sorted, time) - 1 / (2 + time)
