"""Mutants, always the same ones, are edited and repaired: nothing invalid comes out."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz import repair_hunt, repairs
from tests.fuzz.repair_hunt import EDITS, Pair, check_edits, hunt, run_pairs
from tests.fuzz.repairs import Broken, check_repair
from tests.support.device_programs import add_method
from tests.support.runtime import need_runtime

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


def one_call(operator: str) -> bytes:
    b = MethodBuilder()
    b.output(b.call(operator, b.input((4,)), out=(4,)))
    return build_program(b).bytes()


@pytest.mark.runtime
def test_a_repair_that_changes_results_is_seen() -> None:
    need_runtime()
    sin, cos = one_call("aten::sin.out"), one_call("aten::cos.out")
    garbage = frozenset({"forward"})
    pairs = [
        Pair(0, sin, sin, (), frozenset(), True),
        Pair(1, sin, cos, (), frozenset(), True),
        Pair(2, sin, cos, (), garbage, False),
    ]
    counts: Counter[str] = Counter()
    assert [(pair.number, shown.status) for pair, shown in run_pairs(pairs, counts)] == [
        (1, "differs")
    ]
    assert counts == {
        "safe repair of a method: equal": 1,
        "safe repair of a method: differs": 1,
        "unsafe repair of a method: defined now": 1,
    }


def test_a_run_goes_on_where_the_log_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def hunted(stream: int, numbers: Sequence[int], folder: Path, *, run: bool) -> Any:
        tried.extend(numbers)
        return Counter(repaired=len(numbers)), [f"{n}: bad" for n in numbers if n == 3]

    monkeypatch.setattr(repair_hunt, "hunt", hunted)
    monkeypatch.setattr(repair_hunt, "CHUNK", 2)
    for inputs in (3, 7, 7):
        options = argparse.Namespace(inputs=inputs, stream=5, log=tmp_path)
        total, failures = repair_hunt.long_run(options)
        assert total == {"repaired": inputs}
    assert tried == list(range(7))
    assert failures == ["3: bad"]
