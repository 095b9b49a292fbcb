"""Words of findings about devices."""

from __future__ import annotations

from pte_lint.questions.placement.device_findings import capital


def test_only_the_first_letter_is_made_a_capital() -> None:
    assert [capital(text) for text in ("", "a", "the Caller")] == ["", "A", "The Caller"]
