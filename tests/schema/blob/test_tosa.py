from __future__ import annotations

import random
from typing import Any

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobConstant, BlobFacts, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.fbs import layout
from pte_lint.schema.program import Span

from tests.schema.layout_writer import write_document
from tests.schema.mutations import mutate

ADD, CONST = 15, 67
"""Numbers of operators."""


def graph(version: dict[str, Any] | None = None, **block: Any) -> bytes:
    content = {
        "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False} | (version or {}),
        "regions": [
            {
                "name": "main",
                "blocks": [
                    {
                        "name": "main",
                        "operators": [
                            {"op": CONST, "outputs": ["c"]},
                            {"op": ADD, "inputs": ["x", "c"], "outputs": ["y"]},
                        ],
                        "tensors": [
                            {"name": "x", "shape": [2, 3], "type": 3},
                            {"name": "c", "shape": [1], "type": 3, "data": b"abcdefgh"},
                            {"name": "y", "is_unranked": True, "type": 7},
                        ],
                        "inputs": ["x"],
                        "outputs": ["y"],
                        **block,
                    }
                ],
            }
        ],
    }
    return write_document(layout("tosa"), content)


def describe(content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob("TOSABackend", b"??" + content, Span(2, len(content)), specs)


def messages(content: bytes) -> list[str]:
    return [each.message for each in describe(content).problems]


def test_a_whole_graph() -> None:
    facts = describe(graph(), tosa_spec=b"TOSA-1.0+INT+FP+int16+u55")
    assert (facts.format, facts.problems) == ("TOSA graph", ())
    assert facts.inputs == (BlobArgument(0, "int8", (2, 3), name="x"),)
    assert facts.outputs == (BlobArgument(1, "float32", None, name="y"),)
    assert facts.operators == (("ADD", 1), ("CONST", 1))
    assert facts.constants == (BlobConstant("c", "int8", (1,), 8),)
    assert facts.requires == (
        Requirement("TOSA version", "1.0.0"),
        Requirement("TOSA profile", "INT, FP"),
        Requirement("TOSA extensions", "int16, u55"),
    )


def test_drafts_and_operators_without_a_word() -> None:
    facts = describe(
        graph({"_minor": 1, "_draft": True}, operators=[{"op": 999, "outputs": ["y"]}])
    )
    assert facts.requires == (Requirement("TOSA version", "1.1.0 draft"),)
    assert facts.operators == (("operator 999", 1),)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            {"operators": [{"op": CONST, "outputs": ["c"]}, {"op": ADD, "inputs": ["c", "z"]}]},
            "operator 1 (ADD) takes 'z', which nothing before it writes",
        ),
        ({"outputs": ["x", "z"]}, "the graph gives 'z', which nothing writes"),
    ],
)
def test_what_nothing_writes(block: dict[str, Any], message: str) -> None:
    assert messages(graph(**block)) == [message]


def test_shapes_are_written_as_tensors_are() -> None:
    operators = [{"op": 76, "outputs": ["s"]}, {"op": ADD, "inputs": ["x", "s"], "outputs": ["y"]}]
    assert messages(graph(operators=operators, shapes=[{"name": "s", "rank": 1}])) == []


def test_another_identifier() -> None:
    (message,) = messages(b"\0" * 64)
    assert message == "identifier b'\\x00\\x00\\x00\\x00' is not TOSA"


def test_damage_never_raises() -> None:
    choice = random.Random(11)
    for _ in range(500):
        describe(mutate(graph(), choice), tosa_spec=b"TOSA-1.0+INT")
