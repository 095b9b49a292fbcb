"""Names that attack `inspect` and `diff`, from everywhere in a file that a name can come from."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from pte_lint.schema.program import Frame, FrameList

from pte_lint.difference.build import diff
from pte_lint.difference.failing import Condition, failing
from pte_lint.inspection.model import Inspection
from pte_lint.judging.engine import Settings
from pte_lint.report import (
    difference_json,
    difference_markdown,
    difference_text,
    inspection_json,
    inspection_text,
)
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.report.test_hostile_names import NAMES
from tests.support.look import DATA, listings, look
from tests.support.sanitised import outside_code

SCHEMAS = DATA.parents[1] / "schema"
LONG = 100_000

every_name = pytest.mark.parametrize("kind", list(NAMES))


def text_of(kind: str) -> str:
    """The name as the reader gives it: what is no UTF-8 comes in as lone surrogates."""
    return NAMES[kind].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def program(evil: str, *, size: int = 2) -> bytes:
    """A program with the name everywhere."""
    b = MethodBuilder(evil)
    x = b.input((size,))
    s = b.state((size,), name=evil)
    e = b.external(evil, (size,))
    y = b.call(f"{evil}::{evil}.{evil}", x, s, e, b.string_value(evil), out=(size,))
    raw = evil.encode("utf-8", "surrogateescape")
    b.output(*b.delegate(evil, [y], [(size,)], specs={evil: raw + bytes(size)}))
    b.output(b.takes(b.string_value(evil)))
    named = {evil: b"x" * size}
    trace = (FrameList((Frame(evil, 3, evil, evil),)),) * len(b.instructions)
    built = build_program(b, named_data=named)
    return built.replaced("execution_plan[0].chains[0].stacktrace", trace).bytes()


def inspected(kind: str) -> tuple[Inspection, list[list[str]]]:
    file = program(text_of(kind))
    found = look(file)
    damage = (NAMES[kind],)
    return replace(found, path=NAMES[kind], damage=damage), listings(file)


def compared(kind: str) -> Any:
    evil = text_of(kind)
    found = diff(program(evil), program(evil, size=3), settings=Settings(rules=()), content=True)
    other = diff(program("plain"), program(evil), settings=Settings(rules=()))
    return replace(
        found,
        changes=(*found.changes, *other.changes),
        old=replace(found.old, path=NAMES[kind]),
        new=replace(found.new, path=NAMES[kind]),
    )


def printed(kind: str) -> dict[str, str]:
    """Everything that is printed, by format."""
    found, lines = inspected(kind)
    difference = compared(kind)
    failed = failing(difference.changes, [Condition.parse("any")])
    return {
        "inspect text": inspection_text.render(found, lines, every=True),
        "inspect json": inspection_json.render(found, lines),
        "diff text": difference_text.render(difference, failed),
        "diff json": difference_json.render(difference, failed),
        "diff markdown": difference_markdown.render(difference, failed),
    }


@every_name
def test_no_control_character_and_nothing_invisible_comes_out(kind: str) -> None:
    for form, text in printed(kind).items():
        text.encode("utf-8")
        assert {c for c in text if not c.isprintable() and c != "\n"} == set(), form


@pytest.mark.parametrize("kind", [k for k, name in NAMES.items() if name])
def test_the_name_is_really_in_there(kind: str) -> None:
    """A matrix that lost the name on the way would pass everything."""
    document = json.loads(printed(kind)["inspect json"])
    (method,) = document["methods"]
    places = [
        method["name"],
        method["operators"][0]["operator"],
        method["delegates"][0]["backend"],
        method["delegates"][0]["specs"][0]["key"],
        method["state"][0]["name"],
        document["named_data"][0]["key"],
        document["needs"]["external"][0]["key"],
    ]
    # The runtime compares names up to a NUL, and so are operators named here.
    start = NAMES[kind][:4].split("\0")[0]
    for place in places:
        assert place.startswith(start) or "\\" in place
    if kind == "html":
        assert all("<script>" in place for place in places)


@every_name
def test_text_has_no_line_of_the_file(kind: str) -> None:
    texts = printed(kind)
    titles = (
        r"method |what the runner must provide$|named data \(1 key\)$|keys \(\d keys?\)$|"
        r"where the bytes go$|$",
        r"the artifact$|method |contents |\d+ changes|were compared|$",
    )
    for form, known in zip(("inspect text", "diff text"), titles, strict=True):
        first, *lines = texts[form].splitlines()
        assert first
        for line in lines:
            assert line.startswith(" ") or re.match(known, line), line


@every_name
def test_json_stays_json(kind: str) -> None:
    texts = printed(kind)
    for form, name in (("inspect json", "inspection"), ("diff json", "difference")):
        assert texts[form].isascii()
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
        document = json.loads(texts[form], parse_constant=pytest.fail)
        jsonschema.Draft202012Validator(schema).validate(document)


@every_name
def test_markdown_has_no_markup_of_the_file(kind: str) -> None:
    text = printed(kind)["diff markdown"]
    outside = outside_code(text)
    for bad in ("<script", "<img", "](", "@everyone", "http://evil", "</details>", "**b**"):
        assert bad not in outside
    for line in text.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) == 7
        assert re.match(r"(\| |- |#{3,4} |\*\*\d+ of |\.\.\. and |\d+ change|$)", line)


def test_the_output_grows_by_what_is_shown_not_by_the_name() -> None:
    long = printed("long")
    for form, text in long.items():
        limit = 400_000 if "json" in form else 60_000
        assert len(text) < limit, form
    assert max(len(line) for line in long["diff text"].splitlines()) < 9_000


@every_name
def test_keys_of_a_data_file(kind: str) -> None:
    evil = text_of(kind)
    file = build_data({evil: DataTensor([1.0], (1,)), f"{evil}2": b"blob"}).bytes()
    found = look(file, content=True)
    for text in (inspection_text.render(found), inspection_json.render(found)):
        assert {c for c in text if not c.isprintable() and c != "\n"} == set()
