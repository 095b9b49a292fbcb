"""Reading what refers to the same tables again and again costs what the file's size allows."""

from __future__ import annotations

import tracemalloc
from random import Random

import pytest
from pte_lint.schema.loaded import read_program

from tests.fuzz.reader_hunt import FREE_BYTES, TIMES_INPUT
from tests.fuzz.sharing import sharing_program

# Methods x values, each of them one table: 200,000 x 1,000, 200,000 x 10,000, 10,000 x 1,000.
SEEDS = (3, 11, 33)


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_stays_within_the_limit(seed: int) -> None:
    content = sharing_program(Random(seed))
    tracemalloc.start()
    try:
        read_program(content)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < FREE_BYTES + TIMES_INPUT * len(content)
