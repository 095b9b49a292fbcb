"""What is said now about many mutants, always the same ones, is what was said before.

Nothing here tells whether it is right (`test_smoke.py` asks the runtime): a change of any verdict,
finding, place, message or evidence shows as a change of the golden files, to be read and accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply, FieldEdit
from tests.fuzz.judged import judged
from tests.fuzz.seeds import all_seeds
from tests.support.golden import check_golden
from tests.support.said import in_short

GOLDEN = Path(__file__).parent / "golden" / "drawn"

MUTANTS = 3000
PARTS = 30


@cache
def _draw() -> Draw:
    return Draw(all_seeds(), 23)


def _summaries(part: int) -> Iterator[str]:
    """For each mutant of fields: what was done, verdicts, findings in short, a digest of all."""
    for number in range(part, MUTANTS, PARTS):
        mutant = _draw().mutant(number)
        if not all(isinstance(edit, FieldEdit) for edit in mutant.edits):
            continue  # Damaged bytes are refused early on; `test_smoke.py` has them.
        try:
            program, data = mutant.files()
        except DoesNotApply:
            continue
        report, _ = judged(program, data)
        (artifact,) = report.artifacts
        edits = "; ".join(ascii(str(edit)) for edit in mutant.edits)
        yield f"{number} {mutant.seed.name}: {edits}"
        yield from (f"    {line}" for line in in_short(artifact))


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_that_is_said_has_changed(part: int) -> None:
    check_golden(GOLDEN / f"{part:02}.txt", "\n".join(_summaries(part)) + "\n")
