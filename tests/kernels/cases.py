"""Which calls are tried, in a fixed order."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from itertools import chain, islice

from tests.kernels.bases import bases
from tests.kernels.changes import changes, edges
from tests.support.kernel_calls import KernelCall
from tests.support.kernel_examples import ALL

Case = tuple[str, KernelCall]
Operators = Collection[str] | None
"""Those whose calls are wanted; None for all."""


def whole(operators: Operators = None) -> Iterator[Case]:
    """Every call, but for those that are drawn."""
    return distinct(chain(singles(operators=operators), at_edges(operators=operators)))


def singles(stride: int = 1, first: int = 0, operators: Operators = None) -> Iterator[Case]:
    """Calls that work, then each with one thing changed; with a stride, some of the changes.

    A stride takes other changes of each call, and a call that works only where it is its turn.
    """
    for number, (name, call) in enumerate(bases()):
        if operators is not None and call.operator not in operators:
            continue
        start = (number + first) % stride
        every = ((f"{name}, {label}", other) for label, other in changes(call))
        if start == 0:
            yield f"{name} as it is", call
        yield from islice(every, start, None, stride)


def at_edges(stride: int = 1, first: int = 0, operators: Operators = None) -> Iterator[Case]:
    """Calls of every operator with several things at an edge, or some of them."""
    every = (
        (f"{call.operator} {n}, {label}", other)
        for n, call in enumerate(ALL)
        if operators is None or call.operator in operators
        for label, other in edges(call)
    )
    yield from islice(every, first, None, stride)


def drawn(seed: int, count: int) -> Iterator[Case]:
    """Calls with two or three things changed, the same for the same seed."""
    draw = random.Random(seed)
    known = list(bases())
    options: dict[int, list[Case]] = {}
    for _ in range(count):
        number = draw.randrange(len(known))
        name, call = known[number]
        if number not in options:
            options[number] = list(changes(call))
        label, changed = draw.choice(options[number])
        for _ in range(draw.choice((1, 1, 2))):
            another, changed = draw.choice(list(changes(changed)))
            label = f"{label}, {another}"
        yield f"{name}, {label}", changed


def distinct(cases: Iterator[Case]) -> Iterator[Case]:
    """Those that were not there before."""
    seen: set[str] = set()
    for label, call in cases:
        key = f"{call.operator} {call.args}"
        if key not in seen:
            seen.add(key)
            yield label, call
