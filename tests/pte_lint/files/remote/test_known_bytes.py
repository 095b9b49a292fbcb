"""Partly known bytes are those of the whole, or an error; never anything else."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pte_lint.schema import limits
from pte_lint.schema.errors import NotFetchedError

from pte_lint.files.fetched import Fetched
from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.fetched_bytes import FetchedBytes
from pte_lint.files.remote.known_bytes import KnownBytes

CONTENT = bytes(range(256)) * 400


class Memory:
    """An origin in memory that keeps what it was asked for."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.size: int | None = len(content)
        self.requests = 0
        self.asked: list[tuple[int, int]] = []

    def get(self, start: int, stop: int) -> bytes:
        self.requests += 1
        self.asked.append((start, stop))
        return self.content[start:stop]

    def verify(self) -> None:
        """Never changes."""


def fetched(caps: Caps | None = None, content: bytes = CONTENT) -> tuple[FetchedBytes, Memory]:
    origin = Memory(content)
    return FetchedBytes(origin, caps or Caps(besides=1 << 20, requests=1000), "a file"), origin


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 110_000), st.integers(0, 9000)), max_size=30))
def test_every_range_is_that_of_the_whole_and_no_byte_comes_twice(
    ranges: list[tuple[int, int]],
) -> None:
    buffer, origin = fetched()
    for start, length in ranges:
        assert buffer[start : start + length] == CONTENT[start : start + length]
    taken = sorted(origin.asked)
    assert all(left[1] <= right[0] for left, right in pairwise(taken))
    assert buffer.fetched == Fetched(sum(b - a for a, b in taken), len(taken))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=8))
def test_what_is_not_known_raises(kept: list[tuple[int, int]]) -> None:
    known, here = KnownBytes(60), [False] * 60
    for start, length in kept:
        stop = min(start + length, 60)
        if not any(here[start:stop]):
            known.keep(start, CONTENT[start:stop])
            here[start:stop] = [True] * (stop - start)
    for start in range(0, 60, 7):
        for stop in range(start, 60, 5):
            if all(here[start:stop]):
                assert known[start:stop] == CONTENT[start:stop]
            else:
                with pytest.raises(NotFetchedError, match=f"bytes {start} to {stop - 1}"):
                    known[start:stop]


def test_slices_are_those_of_bytes() -> None:
    buffer, _ = fetched()
    for key in (slice(-5, None), slice(None, 3), slice(7, 2), slice(99, 10**9), slice(None)):
        assert buffer[key] == CONTENT[key]
    with pytest.raises(ValueError, match="step"):
        buffer[::2]


def test_small_looks_near_each_other_are_one_request() -> None:
    buffer, origin = fetched(Caps())
    far = limits.FETCH_FIRST + 50_000
    before = origin.requests
    for at in range(far, far + 2000, 20):
        assert buffer[at : at + 20] == CONTENT[at : at + 20]
    assert origin.requests == before + 1


def test_looking_ahead_never_uses_up_what_may_be_fetched() -> None:
    buffer, origin = fetched(Caps(besides=20_000, requests=1000))
    buffer.require(0)
    places = range(20_000, 27_500, 500)
    for at in places:
        assert len(buffer[at : at + 100]) == 100
    with pytest.raises(NotFetchedError, match="besides the program"):
        buffer[30_000:50_000]
    assert sum(b - a for a, b in origin.asked) <= 20_000


def test_the_whole_is_told_apart_from_parts() -> None:
    buffer, _ = fetched()
    assert buffer.whole() is None
    buffer.require(len(buffer))
    assert buffer.whole() == CONTENT
    assert fetched(content=b"")[0].whole() == b""


def test_a_detached_copy_travels_and_fetches_nothing() -> None:
    buffer, origin = fetched()
    buffer.require(40_000)
    copy = pickle.loads(pickle.dumps(buffer.detached()))
    before = origin.requests
    assert copy[100:40_000] == CONTENT[100:40_000]
    assert (len(copy), copy.fetched) == (len(CONTENT), buffer.fetched)
    with pytest.raises(NotFetchedError):
        copy[90_000:90_001]
    assert origin.requests == before
