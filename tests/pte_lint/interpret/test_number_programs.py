"""Random programs of jumps, moves and prim ops: the verdict is what two runs show."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.comparison import Kind
from tests.pte_lint.interpret.number_programs import comparisons
from tests.support.runtime import need_runtime


@pytest.mark.slow
def test_verdicts_are_what_two_runs_show(tmp_path: Path) -> None:
    need_runtime()
    found = list(comparisons(range(80), tmp_path))
    assert [each for each in found if each[1].is_difference] == []
    counts = Counter(kind for _, kind, _ in found)
    assert counts[Kind.AGREE_BAD] > 20
    assert counts[Kind.AGREE_OK] > 5
