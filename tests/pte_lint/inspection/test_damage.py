"""Damaged files: shown as far as they go, or refused in our own words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pte_lint.difference.compare import NotComparable
from pte_lint.inspection.build import NotInspectable
from pte_lint.report import (
    difference_json,
    difference_markdown,
    difference_text,
    inspection_json,
    inspection_text,
)
from tests.support.look import DATA, compared, listings, look

FILES = [
    (DATA / "clean" / name).read_bytes()
    for name in ("mixed_xnnpack.pte", "cond.pte", "bundled_linear.bpte", "external_constants.ptd")
]

edits = st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), min_size=1, max_size=12)


@given(st.sampled_from(FILES), edits, st.one_of(st.none(), st.integers(0, 1 << 13)))
def test_anything_is_shown_or_refused(
    file: bytes, changed: list[tuple[int, int]], cut: int | None
) -> None:
    content = bytearray(file)
    for at, value in changed:
        content[at % len(content)] = value
    broken = bytes(content[:cut])
    try:
        found = look(broken, code=True, content=True)
    except NotInspectable:
        return
    lines = listings(broken)
    assert sum(region.size for region in found.regions) == len(broken)
    text = inspection_text.render(found, lines)
    assert all(line.isprintable() for line in text.split("\n"))
    json.loads(inspection_json.render(found, lines), parse_constant=pytest.fail)


@given(st.sampled_from(FILES), edits)
def test_anything_is_compared_or_refused(file: bytes, changed: list[tuple[int, int]]) -> None:
    content = bytearray(file)
    for at, value in changed:
        content[at % len(content)] = value
    try:
        difference = compared(file, bytes(content), content=True)
    except (NotInspectable, NotComparable):
        return
    for render in (difference_text.render, difference_markdown.render):
        assert all(line.isprintable() for line in render(difference).split("\n"))
    json.loads(difference_json.render(difference), parse_constant=pytest.fail)


def test_damage_is_told() -> None:
    file = (DATA / "clean" / "linear.pte").read_bytes()
    cut = look(file[:900])
    assert cut.damage
    assert "damaged: " in inspection_text.render(cut)
