"""Campaigns: what is written down, taken up again, shrunk and shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz import campaign
from tests.fuzz.campaign import Bench, Tally, entries, only_plan, run_chunks
from tests.fuzz.comparison import Kind
from tests.fuzz.draw import Draw
from tests.fuzz.edits import ByteEdit, FieldEdit, Mutant
from tests.fuzz.oracle import Observation
from tests.fuzz.page import agreement_json, agreement_page
from tests.fuzz.seeds import all_seeds
from tests.fuzz.shrink import shrunk
from tests.fuzz.subject import Seed
from tests.support.runtime import need_runtime

SEEDS = all_seeds(4)[::12]


@pytest.mark.runtime
def test_a_log_is_taken_up_where_it_ended(tmp_path: Path) -> None:
    need_runtime()
    log = tmp_path / "log.jsonl"
    bench, draw = Bench(SEEDS), Draw(SEEDS, 2)
    assert len(list(run_chunks(bench, draw, [0, 8], log, tmp_path, chunk=8))) == 2
    # A run that was stopped in the middle of a line.
    log.write_text(log.read_text("utf-8") + '{"start": 16, "mut', "utf-8")
    found = list(entries(log))
    assert [each["start"] for each in found] == [0, 8]
    total = Tally()
    for each in found:
        total.merge(each)
    assert 12 <= total.mutants <= 16
    assert sum(total.kinds.values()) == total.mutants
    assert len(total.digests) <= total.mutants
    results = [each for entry in found for each in entry["results"]]
    page = agreement_page(total, results, "command")
    for kind in Kind:
        assert str(kind) in page
    assert "## Differences" in page
    assert json.loads(agreement_json(total, results))["mutants"] == total.mutants


@pytest.mark.runtime
def test_a_run_is_judged_anew_without_the_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_runtime()
    bench, draw = Bench(SEEDS), Draw(SEEDS, 2)
    (first,) = run_chunks(bench, draw, [0], tmp_path / "first.jsonl", tmp_path, chunk=8)

    def run(items: Iterable[object], *_: object) -> Iterator[Observation]:
        for _item in items:
            pytest.fail("the runtime is run again")
        return iter(())

    monkeypatch.setattr(campaign, "observe", run)
    (again,) = run_chunks(bench, draw, [0], tmp_path / "again.jsonl", tmp_path, chunk=8)
    assert first.mutants > 4
    assert again == first


def test_edits_of_the_memory_plan_alone() -> None:
    def mutant(path: str, value: object, **more: object) -> Mutant:
        return Mutant(SEEDS[0], (FieldEdit("plan", ((path, value),), "why", **more),))  # type: ignore[arg-type]

    allocation = "execution_plan[0].values[1].val.allocation_info"
    assert only_plan(mutant(f"{allocation}.memory_offset_low", 64))
    assert only_plan(mutant("execution_plan[0].non_const_buffer_sizes", (0, 64)))
    assert not only_plan(mutant(allocation, None))
    assert not only_plan(mutant("execution_plan[0].values[1].val.sizes", (1,)))
    assert not only_plan(Mutant(SEEDS[0], (ByteEdit("blind", 1, 1, b"x", "why"),)))


def test_shrinking_keeps_what_matters() -> None:
    edits = (
        ByteEdit("blind", 40, 4, b"abcd", "one"),
        ByteEdit("blind", 80, 8, b"12345678", "two"),
        FieldEdit("field", (("a", 1), ("b", 2)), "three"),
    )

    def keeps(mutant: Mutant) -> bool:
        """The byte at 83, and the field b."""
        bytes_kept = any(
            isinstance(e, ByteEdit) and e.at <= 83 < e.at + e.length for e in mutant.edits
        )
        field_kept = any(
            isinstance(e, FieldEdit) and "b" in [path for path, _ in e.changes]
            for e in mutant.edits
        )
        return bytes_kept and field_kept

    small = shrunk(Mutant(SEEDS[0], edits), keeps)
    assert [str(each) for each in small.edits] == [
        "blind: two (byte 83, 1 -> 34)",
        "field: three (b)",
    ]


def test_a_view_that_is_moved_is_another_program() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    made = b.call("aten::relu.out", x, out=b.tensor((4,), memory_id=1, offset=256))
    view = b.tensor((2, 2), memory_id=1, offset=256)
    b.output(b.call("aten::relu.out", view, out=(2, 2)))
    seed = Seed("view", build_program(b).bytes())

    def moved(v: int) -> Mutant:
        path = f"execution_plan[0].values[{v}].val.allocation_info.memory_offset_low"
        return Mutant(seed, (FieldEdit("plan", ((path, 512),), "why"),))

    assert only_plan(moved(x))
    assert not only_plan(moved(made))
    assert not only_plan(moved(view))


def test_the_page_lists_what_is_open() -> None:
    open_ones = [
        {"kind": "missed", "category": "execute error InvalidArgument"},
        {"kind": "missed", "category": "execute error InvalidArgument"},
        {"kind": "inconclusive", "category": "resource limit"},
    ]
    total = Tally(mutants=3)
    total.kinds.update({"missed": 2, "agree: bad": 99, "other stage or error": 1})
    page = agreement_page(total, open_ones, "command")
    assert "| missed | execute error InvalidArgument | 2 |" in page
    assert "99.00 % of what both say fails" in page
    assert "None." in agreement_page(Tally(), [], "command")
