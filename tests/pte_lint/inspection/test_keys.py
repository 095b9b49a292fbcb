"""Keys of named data: who asks for them, where they are, and whether two places agree."""

from __future__ import annotations

import hashlib
from pathlib import Path

from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.files.artifact import Artifact
from pte_lint.inspection.build import inspect_context
from pte_lint.inspection.model import KeyPlace, KeyUse
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.look import opened

CLEAN = Path(__file__).parents[2] / "data" / "clean"
OWN, OTHER = bytes(16), b"1" * 16


def _keys(program: bytes, data: bytes, *, hashes: bool) -> tuple[KeyUse, ...]:
    file = Artifact("w.ptd", data)
    with opened(program, [file]) as context:
        return inspect_context(context, None, files=[file], hashes=hashes).keys


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_key_in_two_places_with_other_bytes() -> None:
    program = build_program(externally("w"), named_data={"w": OWN, "v": OWN}).bytes()
    data = build_data({"w": OTHER, "u": OTHER}).bytes()
    u, v, w = _keys(program, data, hashes=True)
    assert w == KeyUse(
        "w",
        ("forward",),
        ("tensor",),
        (KeyPlace("program", 16, _digest(OWN)), KeyPlace("w.ptd", 16, _digest(OTHER))),
    )
    assert [each.differs for each in (u, v, w)] == [False, False, True]
    assert (u.methods, [place.where for place in u.places]) == ((), ["w.ptd"])
    (same,) = [
        k for k in _keys(program, build_data({"w": OWN}).bytes(), hashes=True) if k.key == "w"
    ]
    assert not same.differs


def test_without_hashes_sizes_tell() -> None:
    program = build_program(externally("w"), named_data={"w": OWN}).bytes()
    (longer,) = _keys(program, build_data({"w": OWN * 2}).bytes(), hashes=False)
    assert longer.differs
    (alike,) = _keys(program, build_data({"w": OTHER}).bytes(), hashes=False)
    assert not alike.differs
    assert alike.places[0].sha256 is None


def test_the_command_shows_them() -> None:
    words = ["inspect", str(CLEAN / "shared_named_data.pte"), "--hashes"]
    shown = CliRunner().invoke(app, words, prog_name="pte-lint").stdout
    assert "keys (2 keys)" in shown
    assert "one, three (XnnpackBackend)  program 256 " in shown
    absent = CliRunner().invoke(app, ["inspect", str(CLEAN / "external_constants.pte")]).stdout
    assert "first.bias     forward (tensor)  nowhere here" in absent
