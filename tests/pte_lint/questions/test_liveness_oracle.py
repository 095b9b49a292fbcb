"""Overlaps and stale reads against a simulation that runs every path byte by byte."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pte_lint.questions.method import Method
from tests.pte_lint.small import flag, jump_false, kernel, method, tensor

ARENA = 8
"""Arena size in elements of 4 bytes."""


def random_method(seed: int) -> Method:
    """A method of a few kernel calls and forward jumps over tensors that overlap at random."""
    rng = random.Random(seed)
    n = rng.randint(3, 7)
    values = []
    for _ in range(n):
        size = rng.randint(1, 3)
        values.append(tensor((1, 4 * rng.randint(0, ARENA - size)), n=size))
    values.append(flag((1, 4 * ARENA)))
    condition = n
    count = rng.randint(2, 7)
    steps = []
    for at in range(count):
        if rng.random() < 0.25:
            steps.append(jump_false(condition, rng.randint(at + 1, count)))
        else:
            out = rng.randrange(n)
            source = rng.choice([v for v in range(n) if v != out])
            steps.append(kernel(0, source, out, out))
    inputs = rng.sample(range(n), rng.randint(0, 2))
    outputs = rng.sample(range(n), rng.randint(1, 3))
    return method(values, steps, inputs=[*inputs, condition], outputs=outputs)


def paths(m: Method) -> Iterator[list[int]]:
    """Every path through a method without backward jumps, as step indices."""
    work: list[tuple[int, list[int]]] = [(0, [])]
    while work:
        at, path = work.pop()
        if at >= len(m.steps):
            yield path
            continue
        for following in m.flow.successors(at):
            work.append((following, [*path, at]))


def needed_steps(m: Method, path: list[int]) -> set[int]:
    """Positions on a path of the jumps, and of the calls whose results matter to the outputs."""
    live = set(m.outputs)
    needed = set()
    for at in range(len(path) - 1, -1, -1):
        step = m.steps[path[at]]
        if step.writes and not live.intersection(step.writes):
            continue
        needed.add(at)
        live.difference_update(step.writes)
        live.update(step.reads)
    return needed


def simulate(m: Method, path: list[int], matter: set[int]) -> tuple[set[int], set[int]]:
    """Runs one path, counting only reads of calls at the positions that `matter`.

    Returns:
        The values read clobbered, and those read with nothing written.
    """
    owner: dict[int, int] = {}
    written: set[int] = set()
    clobbered: set[int] = set()
    stale: set[int] = set()

    def cells(v: int) -> range:
        place = m.place(v)
        assert place is not None
        return range(place[1], place[1] + place[2])

    def write(v: int) -> None:
        written.add(v)
        owner.update(dict.fromkeys(cells(v), v))

    def read(v: int) -> None:
        if v not in written:
            stale.add(v)
        elif any(owner[c] != v for c in cells(v)):
            clobbered.add(v)

    for v in m.inputs:
        if m.tensor(v) is not None:
            write(v)
    for at, i in enumerate(path):
        step = m.steps[i]
        for v in step.reads:
            if m.tensor(v) is not None and at in matter:
                read(v)
        for v in step.writes:
            write(v)
    for v in m.outputs:
        read(v)
    return clobbered, stale


def distinct_places(m: Method) -> bool:
    places = [m.place(v) for v in m.tensors]
    return len(set(places)) == len(places)


@pytest.mark.parametrize("block", range(20))
def test_findings_are_what_paths_show(block: int) -> None:
    judged = 0
    for seed in range(block * 100, block * 100 + 100):
        m = random_method(seed)
        if not distinct_places(m):  # the same place twice may be a view: no oracle for that
            continue
        judged += 1
        # What matters on a path is at least found; on branching methods a call also counts that
        # matters on no single path, so every read bounds it from above.
        least, most = shown(m, strict=True), shown(m, strict=False)
        live = m.liveness
        stale = {s.value for s in live.stale_reads}
        clobbered = {c.victim for c in live.conflicts}
        if m.flow.is_straight:
            assert (clobbered, stale) == least, seed
        assert least[0] <= clobbered <= most[0], seed
        assert least[1] <= stale <= most[1], seed
    assert judged > 30


def shown(m: Method, *, strict: bool) -> tuple[set[int], set[int]]:
    """What some path shows: values read clobbered, and read with nothing written."""
    clobbered: set[int] = set()
    stale: set[int] = set()
    for path in paths(m):
        matter = needed_steps(m, path) if strict else set(range(len(path)))
        one, other = simulate(m, path, matter)
        clobbered |= one
        stale |= other
    return clobbered, stale
