"""Two thousand mutants, always the same ones: pte-lint and the runtime must agree on each."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import Bench, Tally
from tests.fuzz.draw import Draw
from tests.fuzz.seeds import all_seeds
from tests.support.runtime import need_runtime

MUTANTS = 2000
PARTS = 4


@pytest.mark.runtime
@pytest.mark.parametrize("part", range(PARTS))
def test_they_agree(part: int) -> None:
    need_runtime()
    seeds = all_seeds()
    draw, tally = Draw(seeds, 1), Tally()
    differences = []
    for result in Bench(seeds).results(map(draw.mutant, range(part, MUTANTS, PARTS))):
        tally.add(result)
        if result.comparison.kind.is_difference:
            differences.append(result.record())
    assert not differences
    assert tally.mutants > 0.9 * MUTANTS / PARTS
    assert tally.parsed > 0.5 * tally.mutants
    # Not a matter of chance, as the mutants are the same each time.
    assert sum(tally.categories.values()) < 0.06 * tally.parsed
    assert sum(tally.kinds[kind] for kind in tally.kinds if kind.startswith("agree")) > (
        0.85 * tally.mutants
    )
