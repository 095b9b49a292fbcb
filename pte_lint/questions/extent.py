"""What depends on the result of a step: method outputs, and state that the next run finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pte_lint.interpret.flow import flow_of
from pte_lint.questions.access import access
from pte_lint.questions.liveness import liveness_of

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step

_MOST_SPANS: Final = 2048
"""So many separate runs of bytes are told apart."""

Span = tuple[int, int, int]
"""Arena, first byte, end."""


def is_dead(method: Method, step: Step) -> bool:
    """True when a step's results are replaced or forgotten before anybody needs them."""
    read = access(method, step).reads
    return bool(read) and not liveness_of(method).accesses[step.index].reads


def dependent_outputs(method: Method, step: Step) -> tuple[int, ...]:
    """Numbers of the outputs that depend on what a step writes; linear in the steps after it.

    Empty in a method with jumps and where too much would have to be told apart. Bytes go by their
    places in arenas, so that a view that shares a place is found, too.
    """
    if not flow_of(method).is_straight:
        return ()
    spoiled = _Bytes(method)
    for v in step.writes:
        spoiled.add(v)
    for later in method.steps[step.index + 1 :]:
        what = access(method, later)
        spreads = any(map(spoiled.touches, (*what.reads, *what.updates)))
        for v in later.writes:
            if spreads:
                spoiled.add(v)
            elif v not in what.updates:
                spoiled.remove(v)
        if spoiled.is_full:
            return ()
    return tuple(n for n, v in enumerate(method.outputs) if spoiled.touches(v))


def extent_told(outputs: Sequence[int]) -> str:
    """A sentence about the outputs that depend on something; empty where there are none."""
    if not outputs:
        return ""
    names = ", ".join(map(str, outputs))
    one = len(outputs) == 1
    return f" Output {names} depends on it." if one else f" Outputs {names} depend on it."


class _Bytes:
    """A set of values and of the bytes that planned ones lie in."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._spans: list[Span] = []
        self._values: set[int] = set()

    @property
    def is_full(self) -> bool:
        """True when there is more than is told apart."""
        return len(self._spans) > _MOST_SPANS

    def add(self, v: int) -> None:
        """Adds a value."""
        span = self._span(v)
        if span is None:
            self._values.add(v)
        elif span not in self._spans:
            self._spans.append(span)

    def remove(self, v: int) -> None:
        """Takes out a value that is written as a whole."""
        span = self._span(v)
        if span is None:
            self._values.discard(v)
            return
        arena, start, end = span
        kept: list[Span] = []
        for other in self._spans:
            if other[0] != arena or other[2] <= start or end <= other[1]:
                kept.append(other)
                continue
            if other[1] < start:
                kept.append((arena, other[1], start))
            if end < other[2]:
                kept.append((arena, end, other[2]))
        self._spans = kept

    def touches(self, v: int) -> bool:
        """True when the value, or bytes of it, are in the set."""
        span = self._span(v)
        if span is None:
            return v in self._values
        arena, start, end = span
        return any(a == arena and s < end and start < e for a, s, e in self._spans)

    def _span(self, v: int) -> Span | None:
        place = self._method.place(v)
        if place is None or place[2] <= 0:
            return None
        return place[0], place[1], place[1] + place[2]
