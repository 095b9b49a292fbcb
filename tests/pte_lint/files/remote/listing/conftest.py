"""Nobody waits between tries, and what is written is written elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[float]:
    """The pauses between tries, which nobody waits for."""
    monkeypatch.chdir(tmp_path)
    told: list[float] = []
    monkeypatch.setattr("pte_lint.files.remote.patience.time.sleep", told.append)
    return told
