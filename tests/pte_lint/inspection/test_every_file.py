"""Looking never fails on a real file, and what it says adds up."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pte_lint.inspection.build import NotInspectable
from pte_lint.report import inspection_json, inspection_text
from tests.support.look import DATA, every_file, listings, look

_NUMBERED = re.compile(r" [ >] *\d+  (?!end$)")


@pytest.mark.parametrize("path", every_file(), ids=lambda p: "/".join(p.parts[-2:]))
def test_every_file(path: Path) -> None:
    refusal = None
    try:
        found = look(path, code=True, content=True)
    except NotInspectable as exc:
        refusal = str(exc)
    if refusal is not None:
        # The sound files of this repository can all be looked into.
        assert DATA not in path.parents
        assert str(path) in refusal
        return
    at = 0
    for region in found.regions:
        assert region.start == at
        at += region.size
    assert at == found.size == path.stat().st_size
    assert sum(found.bytes_by_kind().values()) == found.size
    lines = listings(path)
    assert [m.instructions for m in found.methods] == [len(code) for code in found.code]
    for method, listed in zip(found.methods, lines, strict=True):
        assert sum(method.by_kind.values()) == method.instructions
        numbered = [line for line in listed if _NUMBERED.match(line)]
        assert len(numbered) == method.instructions
    text = inspection_text.render(found, lines, every=True)
    assert all(line.isprintable() for line in text.split("\n"))
    json.loads(inspection_json.render(found, lines), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "path", [p for p in every_file() if DATA in p.parents], ids=lambda p: p.name
)
def test_the_exporter_leaves_nothing_unclaimed(path: Path) -> None:
    kinds = set(look(path).bytes_by_kind())
    assert not kinds & {"unclaimed bytes", "trailing bytes", "unreferenced segment"}
    assert not look(path).damage
