"""Findings that are false, planted among the true ones: none of them is ever confirmed."""

from __future__ import annotations

import pytest

from tests.support.planting import KINDS, Bed, beds, kind_of, planted_in, wrongly_confirmed

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

STEP = 5
"""One file in so many has its turn; `scripts/measure_confirmations.py` takes all."""


@pytest.mark.parametrize("bed", beds()[::-STEP], ids=lambda bed: bed.name)
def test_no_planted_finding_is_confirmed(bed: Bed) -> None:
    planted = planted_in(bed)
    if planted:
        assert wrongly_confirmed(bed, planted) == []


def test_there_are_dozens_of_all_kinds() -> None:
    planted = [f for bed in beds()[::-STEP] for f in planted_in(bed)]
    assert len(planted) >= 36
    assert {kind_of(f) for f in planted} == set(KINDS)
