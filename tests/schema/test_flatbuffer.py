"""What a well-formed document decodes to, and what each kind of damage is called."""

from __future__ import annotations

import struct

import pytest
from pte_lint.schema import fbs, limits
from pte_lint.schema.binding import UNKEPT, bind
from pte_lint.schema.errors import MalformedError
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.program import Span
from pte_lint.schema.violations import ViolationKind

from tests.schema.small_format import SLOTS, Editor, Leaf, Pair, Root, good_document, read


def test_every_field_of_a_good_document() -> None:
    decoded = read(good_document())
    assert decoded.violations == ()
    root = decoded.root
    assert isinstance(root, Root)
    blob = root.blob
    assert root == Root(
        -5, -(1 << 50), 6, "hello", Leaf(-3), 2, Pair(1 << 40, False), (10, -20, 30),
        b"\x01\x02\xff", blob, ("a", "", "bcd"), (Leaf(7), Leaf(8), Leaf(9)), 0.25,
        (1 << 60, -2),
    )  # fmt: skip
    assert blob is not None
    assert good_document()[blob.start : blob.start + blob.size] == bytes(range(40))
    assert root.at == Editor().root
    # Root, leaf, pair and three leaves.
    assert decoded.tables == 6


def test_absent_fields_have_the_layouts_defaults() -> None:
    # Root offset, identifier, vtable of size 4, table.
    document = struct.pack("<I4sHHi", 12, b"TEST", 4, 4, 4)
    decoded = read(document)
    assert decoded.violations == ()
    assert decoded.root == Root()


def test_a_vtable_longer_than_the_layout_is_of_a_newer_writer() -> None:
    editor = Editor()
    before = editor.read()
    assert editor.get("H", editor.vtable(editor.root)) == 4 + 2 * (len(SLOTS) - 1)
    # The vtable now claims to hold the table behind it too: entries that no field has.
    editor.put("H", editor.vtable(editor.root), 4 + 2 * len(SLOTS) + 2)
    after = editor.read()
    assert after.violations == ()
    assert after.root == before.root


def test_positions_in_the_file_count_from_the_origin_and_tables_from_the_window() -> None:
    here, there = read(good_document()).root, read(good_document(), origin=1000).root
    assert isinstance(here, Root)
    assert isinstance(there, Root)
    assert here.blob is not None
    assert there.blob == Span(here.blob.start + 1000, here.blob.size)
    assert there.at == here.at
    broken = read(good_document()[:150], origin=1000)
    assert broken.violations
    assert all(1000 <= violation.at <= 1150 for violation in broken.violations)


def test_fields_that_overlap_are_read_one_by_one() -> None:
    editor = Editor()
    editor.put("H", editor.entry("colour"), editor.get("H", editor.entry("tiny")))
    decoded = editor.read()
    assert decoded.violations == ()
    assert isinstance(decoded.root, Root)
    assert (decoded.root.tiny, decoded.root.colour) == (-5, 251)


def test_a_union_of_unknown_type_is_passed_over() -> None:
    editor = Editor()
    editor.put("B", editor.inline("either_type"), 9)
    decoded = editor.read()
    assert decoded.violations == ()
    assert isinstance(decoded.root, Root)
    assert (decoded.root.either_type, decoded.root.either) == (9, None)


def test_a_zero_offset_in_a_vector_is_an_empty_table_to_the_verifier_too() -> None:
    editor = Editor()
    editor.put("I", editor.target("leaves") + 8, 0)
    decoded = editor.read()
    assert decoded.violations == ()
    assert isinstance(decoded.root, Root)
    assert decoded.root.leaves == (Leaf(7), Leaf(0), Leaf(9))


def test_invalid_utf8_is_kept_losslessly() -> None:
    editor = Editor()
    editor.put("B", editor.target("text") + 4, 0xFF)
    decoded = editor.read()
    assert decoded.violations == ()
    assert isinstance(decoded.root, Root)
    assert decoded.root.text is not None
    assert decoded.root.text.encode("utf-8", "surrogateescape") == b"\xffello"


def violations_of(editor: Editor) -> list[tuple[ViolationKind, str, bool]]:
    return [(found.kind, found.path, found.hard) for found in editor.read().violations]


def test_soft_damage_is_named_and_read_through() -> None:
    editor = Editor()
    editor.put("B", editor.target("text") + 9, 1)
    assert violations_of(editor) == [(ViolationKind.NO_TERMINATOR, "text", False)]
    root = editor.read().root
    assert isinstance(root, Root)
    assert root.text == "hello"


def test_the_terminator_of_a_string_that_ends_the_buffer_is_missing() -> None:
    editor = Editor()
    place = editor.inline("text")
    start = len(editor.bytes)
    editor.bytes += struct.pack("<I", 4) + b"tail"
    editor.put("I", place, start - place)
    assert violations_of(editor) == [(ViolationKind.NO_TERMINATOR, "text", False)]


def test_a_misaligned_scalar() -> None:
    editor = Editor()
    editor.put("H", editor.entry("wide"), editor.get("H", editor.entry("wide")) + 4)
    assert violations_of(editor) == [(ViolationKind.MISALIGNED, "wide", False)]


def test_a_misaligned_vector_element_is_a_table_like_any_other() -> None:
    editor = Editor()
    place = editor.target("leaves") + 4
    editor.put("I", place, editor.get("I", place) + 2)
    found = violations_of(editor)
    assert found[0] == (ViolationKind.MISALIGNED, "leaves[0]", False)


def test_vector_content_is_not_asked_for_alignment() -> None:
    # The verifier aligns a vector's length to 4 bytes, and looks at nothing behind it.
    editor = Editor()
    start = len(editor.bytes) + (-len(editor.bytes) % 8)
    editor.bytes += bytes(start - len(editor.bytes)) + struct.pack("<Iqq", 2, 3, -4)
    editor.put("I", editor.inline("longs"), start - editor.inline("longs"))
    decoded = editor.read()
    assert decoded.violations == ()
    assert isinstance(decoded.root, Root)
    assert decoded.root.longs == (3, -4)


def test_an_odd_vtable_size() -> None:
    editor = Editor()
    vtable = editor.vtable(editor.target("leaf"))
    editor.put("H", vtable, editor.get("H", vtable) + 1)
    found = violations_of(editor)
    # Tables of one layout share a vtable.
    assert {(kind, hard) for kind, _, hard in found} == {(ViolationKind.BAD_VTABLE, False)}
    assert [path for _, path, _ in found][:2] == ["leaf", "leaves[0]"]
    assert editor.read().root == read(good_document()).root


@pytest.mark.parametrize("offset", [0, 0x7FFFFFFF, 0xFFFFFFFF])
def test_offsets_that_lead_nowhere(offset: int) -> None:
    editor = Editor()
    editor.put("I", editor.inline("leaf"), offset)
    decoded = editor.read()
    (found,) = decoded.violations
    assert found.path == "leaf"
    assert found.at == editor.inline("leaf")
    assert isinstance(decoded.root, Root)
    if offset == 0:
        assert (found.kind, found.hard) == (ViolationKind.BAD_OFFSET, False)
        assert decoded.root.leaf == Leaf()
    else:
        assert (found.kind, found.hard) == (ViolationKind.OUT_OF_BOUNDS, True)
        assert decoded.root.leaf is None
    assert str(offset) in found.message


@pytest.mark.parametrize("name", ["numbers", "raw", "blob", "words", "leaves", "text"])
@pytest.mark.parametrize("length", [0xFFFFFFFF, 0x7FFFFFFF, 0x40000000, 2000])
def test_lengths_beyond_the_buffer(name: str, length: int) -> None:
    editor = Editor()
    editor.put("I", editor.target(name), length)
    decoded = editor.read()
    (found,) = decoded.violations
    assert (found.kind, found.path, found.hard) == (ViolationKind.OUT_OF_BOUNDS, name, True)
    assert str(length) in found.message
    assert getattr(decoded.root, name) is None


def test_an_element_that_cannot_be_decoded_keeps_its_place() -> None:
    editor = Editor()
    editor.put("I", editor.target("leaves") + 8, 0x00FFFFFF)
    decoded = editor.read()
    (found,) = decoded.violations
    assert (found.kind, found.path, found.hard) == (
        ViolationKind.OUT_OF_BOUNDS, "leaves[1]", True,
    )  # fmt: skip
    assert isinstance(decoded.root, Root)
    assert decoded.root.leaves == (Leaf(7), Leaf(0), Leaf(9))


def test_the_root() -> None:
    assert [v.kind for v in read(b"\x08\0\0\0TEST\0\0\0").violations] == [ViolationKind.TOO_SMALL]
    editor = Editor().put("I", 0, 5000)
    decoded = editor.read()
    assert decoded.root is None
    assert [found.kind for found in decoded.violations] == [ViolationKind.OUT_OF_BOUNDS]
    decoded = Editor().put("B", 7, ord("X")).read()
    assert decoded.root == read(good_document()).root
    assert [found.kind for found in decoded.violations] == [ViolationKind.IDENTIFIER]


def test_too_many_tables_for_the_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    good = read(good_document())
    monkeypatch.setattr(limits, "VERIFIER_MAX_TABLES", good.tables)
    assert read(good_document()).violations == ()
    monkeypatch.setattr(limits, "VERIFIER_MAX_TABLES", good.tables - 1)
    fast = read(good_document())
    careful = Editor().put("B", 7, ord("X")).read()
    assert fast.root == good.root
    assert [found.kind for found in fast.violations] == [ViolationKind.TOO_MANY_TABLES]
    assert ViolationKind.TOO_MANY_TABLES in [found.kind for found in careful.violations]
    assert not any(found.hard for found in fast.violations + careful.violations)


def test_a_length_beyond_the_verifiers_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "VERIFIER_MAX_BYTES", 30)
    found = {(v.kind, v.path) for v in read(good_document()).violations}
    assert (ViolationKind.TOO_LONG, "blob") in found
    assert (ViolationKind.TOO_LONG, "numbers") not in found


def test_strict_raises_our_error_with_place_and_path() -> None:
    assert read(good_document()).strict() == read(good_document()).root
    editor = Editor()
    editor.put("I", editor.target("leaves") + 8, 0x00FFFFFF)
    with pytest.raises(MalformedError) as caught:
        editor.read().strict()
    assert caught.value.path == "leaves[1]"
    assert caught.value.at == len(editor.bytes)
    assert "leaves[1] at byte" in str(caught.value)


def test_violations_are_capped_and_the_first_hard_one_is_kept() -> None:
    editor = Editor()
    vector = editor.inline("leaves")
    start = len(editor.bytes) + (-len(editor.bytes) % 4)
    editor.bytes += bytes(start - len(editor.bytes))
    count = 3 * limits.MAX_VIOLATIONS
    editor.put("I", vector, start - vector)
    editor.bytes += struct.pack("<I", count)
    # All but the last are misaligned copies of one leaf; the last leads outside.
    for index in range(count):
        place = start + 4 + 4 * index
        to = editor.target("leaf") + 2
        offset = 0x0FFFFFFF if index == count - 1 else (to - place) & 0xFFFFFFFF
        editor.bytes += struct.pack("<I", offset)
    decoded = editor.read()
    assert len(decoded.violations) <= limits.MAX_VIOLATIONS + 1
    assert any(found.hard for found in decoded.violations)


def test_a_deprecated_field_is_not_looked_at() -> None:
    layout = fbs.parse("table T { a: int; b: int (deprecated); c: int; } root_type T;", str)
    kept = bind(layout, {})
    assert kept.tables["T"].fields[1].layout.form is fbs.Form.DEPRECATED
    # The deprecated slot points far outside.
    document = struct.pack("<IHHHHHHiii", 16, 10, 12, 4, 60_000, 8, 0, 12, 5, 6)
    decoded = decode(memoryview(document), kept)
    assert decoded.violations == ()
    assert decoded.root is UNKEPT
