from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema import fbs
from pte_lint.schema.errors import LayoutError
from pte_lint.schema.fbs import FieldLayout, Form

from tests.schema.small_format import LAYOUT, SLOTS
from tests.schema.wheel import wheel_folder


def parse(text: str) -> fbs.Layout:
    return fbs.parse(text, {"more.fbs": "enum E : short { A = 3 }"}.__getitem__)


def test_slots_types_and_defaults() -> None:
    by_name = {field.name: field for field in LAYOUT.tables["Root"]}
    assert [field.slot for field in LAYOUT.tables["Root"]] == list(range(len(SLOTS) - 1))
    assert by_name["tiny"] == FieldLayout("tiny", 0, Form.SCALAR, "b", 1, 0)
    assert by_name["colour"] == FieldLayout("colour", 2, Form.SCALAR, "B", 1, 5, "Colour")
    assert by_name["either_type"] == FieldLayout(
        "either_type", 5, Form.UNION_TYPE, "B", 1, 0, "Either"
    )
    assert by_name["either"].form is Form.UNION
    assert by_name["blob"].force_align == 16
    assert by_name["words"].form is Form.STRINGS
    assert by_name["leaves"] == FieldLayout("leaves", 11, Form.TABLES, "I", 4, None, "Leaf")
    assert by_name["ratio"].default == 0.5
    assert LAYOUT.enums["Colour"] == {"RED": 0, "GREEN": 5, "BLUE": 6}
    assert LAYOUT.unions["Either"] == {1: "Leaf", 2: "Pair"}
    assert (LAYOUT.root, LAYOUT.identifier) == ("Root", b"TEST")


def test_includes_and_namespaces() -> None:
    layout = parse('include "more.fbs"; namespace a.b; table T { x: a.b.E = A; } root_type T;')
    assert layout.tables["T"] == (FieldLayout("x", 0, Form.SCALAR, "h", 2, 3, "E"),)


def test_bool_vectors_are_bytes_and_bool_scalars_are_bools() -> None:
    flag, flags = parse("table T { a: bool; b: [bool]; } root_type T;").tables["T"]
    assert (flag.code, flag.default) == ("?", False)
    assert (flags.code, flags.default) == ("B", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("struct S { x: int; } root_type S;", "struct"),
        ("table T { x: int (required); } root_type T;", "required"),
        ("table T { x: Missing; } root_type T;", "Missing"),
        ("union U { Missing } table T { u: U; } root_type T;", "Missing"),
        ("table T { x: int; }", "root_type"),
        ("table T { x int; } root_type T;", ":"),
        ("table T { x: int;", "expected"),
        ("enum E : byte { A,", "ends"),
        ("table T { x: int = 5 $ } root_type T;", "unexpected"),
        ("table A {} union U { A } table T { u: [U]; } root_type T;", "vectors of unions"),
    ],
)
def test_what_is_not_supported_is_refused(text: str, words: str) -> None:
    with pytest.raises(LayoutError, match=words):
        parse(text)


def test_a_layout_is_parsed_once() -> None:
    assert fbs.layout("program") is fbs.layout("program")


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("program", "schema/program.fbs"),
        ("flat_tensor", "extension/flat_tensor/serialize/flat_tensor.fbs"),
        ("bundled_program", "devtools/bundled_program/schema/bundled_program_schema.fbs"),
    ],
)
def test_our_text_means_what_the_runtimes_own_means(ours: str, theirs: str) -> None:
    source = wheel_folder() / theirs
    upstream = fbs.parse(
        source.read_text(encoding="utf-8"),
        lambda name: (source.parent / name).read_text(encoding="utf-8"),
    )
    assert fbs.layout(ours) == upstream


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("ours", "theirs", "with_identifier"),
    [
        # The backend reads XN00 and XN01 through this one; ours declares neither.
        ("xnnpack", "backends/xnnpack/serialization/runtime_schema.fbs", False),
        ("vulkan", "backends/vulkan/serialization/schema.fbs", True),
    ],
)
def test_our_text_of_a_blob_means_what_the_backends_means(
    ours: str, theirs: str, with_identifier: bool
) -> None:
    upstream = fbs.parse((wheel_folder() / theirs).read_text(encoding="utf-8"), lambda name: "")
    mine = fbs.layout(ours)
    assert mine == replace(upstream, identifier=upstream.identifier if with_identifier else b"")
    assert mine.identifier or not with_identifier
