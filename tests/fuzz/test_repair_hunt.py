"""Mutants, always the same ones, are edited and repaired: nothing invalid comes out."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pte_lint.testing.program_builder import build_program
from tests.fuzz import repair_hunt, repairs
from tests.fuzz.repair_hunt import EDITS, check_edits, hunt
from tests.fuzz.repairs import Broken, check_repair
from tests.support.device_programs import add_method

#: The stream, and so many inputs a part.
STREAM, INPUTS, PARTS = 301, 60, 3


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_invalid_comes_out(part: int, tmp_path: Path) -> None:
    numbers = range(part * INPUTS, (part + 1) * INPUTS)
    counts, failures = hunt(STREAM, numbers, tmp_path)
    assert failures == []
    # Not a matter of chance, as the inputs are the same each time.
    assert counts["repaired"] > 0.1 * INPUTS
    assert sum(counts[f"{n} edits"] for n in range(1, 9)) > 0.5 * INPUTS


def test_there_are_edits_of_every_module() -> None:
    assert len(EDITS) > 20
    assert {each.__module__.rpartition(".")[2] for each in EDITS} == {"calls", "content", "memory"}


@pytest.fixture
def program() -> bytes:
    return build_program(add_method("good"), add_method("bad", skip_h2d=True)).bytes()


def test_a_repair_that_writes_nonsense_is_seen(
    program: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The draw allows unsafe repairs.
    assert check_repair(program, (), Random(1)).applied
    monkeypatch.setattr(
        repairs, "joined", lambda pieces, source: bytes(16) + source[16 : len(source) // 2]
    )
    with pytest.raises(Broken, match="an invalid file"):
        check_repair(program, (), Random(1))


def test_a_file_that_is_not_the_draft_is_seen(
    program: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair_hunt, "joined", lambda pieces, source: source)
    with pytest.raises(Broken, match="something else than the draft"):
        _edit_often(program)


def _edit_often(program: bytes) -> None:
    for seed in range(60):
        check_edits(program, Random(seed))
