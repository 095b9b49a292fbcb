"""Inputs that once broke pte-lint, and a few hundred that never did."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.crash_hunt import inputs
from tests.fuzz.exercise import exercise, read_alone

REGRESSIONS = Path(__file__).parent / "regressions"


@pytest.mark.parametrize("part", range(4))
def test_everything_takes_anything(part: int) -> None:
    for program, data in inputs(1, range(part, 160, 4)):
        exercise(program, data)


@pytest.mark.parametrize("part", range(2))
def test_the_reader_takes_anything(part: int) -> None:
    for program, data in inputs(2, range(part, 1500, 2)):
        read_alone(program, data)


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.pte")), ids=lambda path: path.stem)
def test_what_once_broke_it(path: Path) -> None:
    data = [each.read_bytes() for each in sorted(path.parent.glob(f"{path.stem}-*.ptd"))]
    exercise(path.read_bytes(), data)
