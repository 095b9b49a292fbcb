from __future__ import annotations

from collections.abc import Mapping

import pytest
from pte_lint.schema.blob import registry
from pte_lint.schema.blob.facts import BlobFacts, Requirement
from pte_lint.schema.blob.registry import reader_of, register_reader
from pte_lint.schema.blob.window import Window
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from pte_lint.testing.program_builder import build_program
from tests.support.dumps import DATA
from tests.support.examples import delegated
from tests.support.judging import judge, only


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


def test_the_example_of_the_documentation() -> None:
    text = (DATA.parents[1] / "docs" / "delegates.md").read_text(encoding="utf-8")
    example = text.partition("## A reader of your own")[2].split("```")[1].removeprefix("python")
    exec(example, {})
    report = judge(build_program(delegated("MyBackend", blob=b"ABCD")).bytes(), "PTE415")
    assert report.findings == ()
    assert [each.why for each in report.unchecked] == ["MyBackend: compiled for my chip"]
    assert describe_blob("MyBackend", b"ABCD", Span(0, 4)).format == "my blob 41424344"
    finding = only(judge(build_program(delegated("MyBackend", blob=b"ABC")).bytes(), "PTE415"))
    assert finding.message == (
        "The blob of delegate 0 (MyBackend, 3 bytes): a field lies outside the blob."
    )
