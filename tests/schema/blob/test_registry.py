from __future__ import annotations

from collections.abc import Mapping

import pytest
from pte_lint.schema.blob import registry
from pte_lint.schema.blob.facts import BlobFacts, Requirement
from pte_lint.schema.blob.registry import reader_of, register_reader
from pte_lint.schema.blob.window import Window
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span


def read_mine(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    magic = blob.take(0, 4)
    chip = specs.get("chip", b"?").decode()
    return BlobFacts(magic.decode(), blob.span, requires=(Requirement("chip", chip),))


def read_badly(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    raise RuntimeError("no more")


@pytest.fixture(autouse=True)
def _none_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})


def test_a_reader_of_somebody_else() -> None:
    assert reader_of("Mine") is None
    register_reader("Mine", read_mine)
    register_reader("Mine", read_mine)
    facts = describe_blob("Mine", b"?MINE?", Span(1, 4), {"chip": b"c7"})
    assert (facts.format, facts.requires) == ("MINE", (Requirement("chip", "c7"),))
    # What it asks for beyond the blob is a problem of the blob.
    (problem,) = describe_blob("Mine", b"?MINE?", Span(1, 3)).problems
    assert problem.at == 1


def test_a_reader_that_fails_is_no_answer() -> None:
    register_reader("Bad", read_badly)
    facts = describe_blob("Bad", b"", Span(0, 0))
    assert facts.unread == "the reader of 'Bad' failed: RuntimeError('no more')"


def test_an_id_has_one_reader() -> None:
    with pytest.raises(ValueError, match="'XnnpackBackend' has a reader already"):
        register_reader("XnnpackBackend", read_mine)
    register_reader("Mine", read_mine)
    with pytest.raises(ValueError, match="'Mine' has a reader already"):
        register_reader("Mine", read_badly)
