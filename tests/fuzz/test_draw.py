"""Mutants: the same ones each time, of every kind, and different from each other."""

from __future__ import annotations

from collections import Counter

import pytest
from pte_lint.schema.loaded import read_flat_tensor, read_program

from pte_lint.testing.layout import SLOTS
from tests.fuzz.atlas import atlas
from tests.fuzz.draw import SHARES, Draw
from tests.fuzz.edits import ByteEdit, DoesNotApply, FieldEdit, LayoutEdit, Mutant
from tests.fuzz.fieldmap import field_map, tables
from tests.fuzz.seeds import all_seeds, exported_seeds

SEEDS = all_seeds(20)


def test_the_same_numbers_give_the_same_mutants() -> None:
    first, second = Draw(SEEDS, 5), Draw(all_seeds(20), 5)
    for number in range(60):
        one, other = first.mutant(number), second.mutant(number)
        assert [str(e) for e in one.edits] == [str(e) for e in other.edits]
        assert _files(one) == _files(other)


def test_other_streams_give_other_mutants() -> None:
    first, second = Draw(SEEDS, 5), Draw(SEEDS, 6)
    same = sum(_files(first.mutant(n)) == _files(second.mutant(n)) for n in range(60))
    assert same < 6


def test_every_family_is_drawn_and_most_mutants_are_new() -> None:
    draw = Draw(SEEDS, 5)
    families: Counter[str] = Counter()
    seen = set()
    for number in range(600):
        mutant = draw.mutant(number)
        families[mutant.family] += 1
        seen.add(_files(mutant))
    assert set(families) == {*SHARES, "combined"}
    assert len(seen) > 540


@pytest.mark.parametrize("seed", list(exported_seeds()), ids=lambda seed: seed.name)
def test_documents_write_what_was_read(seed: object) -> None:
    from tests.fuzz.subject import Seed

    assert isinstance(seed, Seed)
    again = read_program(seed.program.written())
    assert again.program == _without_places(seed.program.root, again.program)
    for document, file in zip(seed.data_documents, seed.data, strict=True):
        assert (
            read_flat_tensor(document.written()).flat_tensor == read_flat_tensor(file).flat_tensor
        )


def _without_places(original: object, again: object) -> object:
    """Spans of inline data move when a file is written again; the rest is equal."""
    from dataclasses import replace

    from pte_lint.schema.program import Program

    assert isinstance(original, Program)
    assert isinstance(again, Program)
    assert len(original.backend_delegate_data or ()) == len(again.backend_delegate_data or ())
    return replace(
        original,
        backend_delegate_data=again.backend_delegate_data,
        constant_buffer=again.constant_buffer,
    )


def test_the_field_map_knows_every_field() -> None:
    seed = next(s for s in SEEDS if s.name == "device/xnnpack_and_device")
    found = field_map(seed.program.root)
    wanted = {
        (type(table).__name__, name)
        for _, table in tables(seed.program.root)
        for name, _ in SLOTS[type(table)]
    }
    assert {(kind.table.__name__, kind.name) for kind in found} == wanted


@pytest.mark.parametrize("seed", SEEDS[::9], ids=lambda seed: seed.name)
def test_the_atlas_and_the_reader_find_the_same_tables(seed: object) -> None:
    from tests.fuzz.subject import Seed

    assert isinstance(seed, Seed)
    read = read_program(seed.file)
    assert read.program is not None
    assert {table.at for _, table in tables(read.program)} == set(atlas(seed.file).tables)


def test_edits_whose_object_is_gone_are_left_out() -> None:
    seed = SEEDS[0]
    gone = FieldEdit("field", (("execution_plan", ()),), "gone")
    after = FieldEdit("field", (("execution_plan[0].name", "x"),), "too late")
    program = read_program(Mutant(seed, (gone, after)).files()[0]).program
    assert program is not None
    assert program.execution_plan == ()
    with pytest.raises(DoesNotApply):
        Mutant(seed, (FieldEdit("field", (("nothing[7]", 1),), "no such field"),)).files()


def test_bytes_are_edited_last() -> None:
    seed = SEEDS[0]
    cut = ByteEdit("blind", 100, 10**9, b"", "cut")
    longer = LayoutEdit("layout", "trailing", bytes(16))
    assert len(Mutant(seed, (cut, longer)).files()[0]) == 100


def _files(mutant: Mutant) -> tuple[bytes, tuple[bytes, ...]] | None:
    try:
        return mutant.files()
    except DoesNotApply:
        return None
