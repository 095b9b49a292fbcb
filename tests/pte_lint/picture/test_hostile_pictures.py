"""Names that attack the page and the pictures, from everywhere that a name can come from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.picture import html
from tests.pte_lint.picture.test_pictures import formats
from tests.pte_lint.report.test_hostile_looks import program, text_of
from tests.pte_lint.report.test_hostile_names import NAMES, hostile
from tests.support.markup import read
from tests.support.pictures import looked_at
from tests.support.sanitised import data, dot, picture
from tests.support.sanitised import page as check

every_name = pytest.mark.parametrize("kind", list(NAMES))


def hostile_page(evil: str, text: str) -> str:
    """A page whose file, findings, notes and failures all have the name."""
    with looked_at(program(text), name=evil) as (report, context):
        (artifact,) = report.artifacts
        (bad,) = hostile(evil).artifacts
        findings = tuple(replace(f, method=context.methods[0].name) for f in bad.findings)
        shown = replace(
            artifact,
            path=evil,
            findings=(*findings, *artifact.findings),
            unchecked=(*bad.unchecked, *artifact.unchecked),
            internal_errors=bad.internal_errors,
            suppressed=bad.suppressed,
            verdict=bad.verdict,
            runs_on=bad.runs_on,
        )
        return html.render(replace(report, artifacts=(shown,), notes=(evil,)), context)


@every_name
def test_the_page_is_sound(kind: str) -> None:
    check(hostile_page(NAMES[kind], text_of(kind)))


@every_name
def test_a_name_adds_no_element(kind: str) -> None:
    tags = set(read(hostile_page(NAMES[kind], text_of(kind))).tags)
    assert tags <= set(read(hostile_page("plain", "plain")).tags) | {"ul", "li"}


def test_the_same_elements_for_markup_as_for_a_plain_name() -> None:
    evil = read(hostile_page(NAMES["html"], "plain"))
    plain = read(hostile_page("plain", "plain"))
    assert evil.tags == plain.tags
    assert [a[:2] for a in evil.attributes] == [a[:2] for a in plain.attributes]
    assert evil.links == plain.links


def test_the_names_are_really_in_there() -> None:
    """A page that lost the names on the way would pass everything."""
    text = hostile_page(NAMES["html"], text_of("html"))
    assert text.count("&lt;script&gt;alert(1)") > 20
    assert "<script" not in text


def test_a_page_grows_by_what_is_shown_not_by_the_name() -> None:
    once, twice = (len(hostile_page("x" * n, "x" * n)) for n in (100_000, 200_000))
    assert once == twice
    assert once < 600_000


@every_name
def test_pictures_are_sound(kind: str) -> None:
    made = formats(program(text_of(kind)), "model.pte")
    picture(made["memory.svg"])
    picture(made["placement.svg"])
    dot(made["dot"])
    data(made["json"])


def test_a_hostile_title_is_escaped() -> None:
    made = formats(program("plain"), "<b>&\"'</b>")
    picture(made["memory.svg"])
    picture(made["placement.svg"])
    dot(made["dot"])
