"""What is inside of delegates, on the page and in the graph."""

from __future__ import annotations

import json

from pte_lint.picture import graph_dot, graph_json
from pte_lint.picture.scene import scenes
from tests.pte_lint.picture.programs import built
from tests.support.examples import delegated
from tests.support.pictures import looked_at, page
from tests.support.vela import vela_program, vela_stream

PROGRAM = vela_program(vela_stream())


def test_the_page_tells_it() -> None:
    text = page(PROGRAM)
    assert 'href="#inside"' in text
    section = text[text.index('<section id="inside"') :]
    section = section[: section.index("</section>")]
    for words in (
        "#0 EthosUBackend",
        "Vela stream, ",
        "accelerator ethos-u55-128",
        "1-byte elements[1, 1, 1, 2, 2, 3]",
        "64 bytes",
        "commands (16 bytes), weights (32 bytes)",
    ):
        assert words in section


def test_a_page_without_anything_to_tell() -> None:
    text = page(built(delegated("Unknown")))
    assert 'id="inside"' not in text
    assert 'href="#inside"' not in text


def test_the_graph_tells_it() -> None:
    with looked_at(PROGRAM) as (report, context):
        drawn = scenes(context, ())
        document = json.loads("".join(graph_json.render(report.artifacts[0], drawn)))
    (method,) = document["methods"]
    (node,) = [node for node in method["nodes"] if node["kind"] == "delegate"]
    blob = len(vela_stream())
    assert (node["name"], node["size"]) == ("EthosUBackend", blob)
    assert node["inside"] == {
        "blob_format": "Vela stream",
        "gives": [
            {
                "layout": "offset 16",
                "name": None,
                "position": 1,
                "type": "1-byte elements[1, 1, 1, 1, 2, 2]",
            }
        ],
        "operators": [],
        "requires": [{"value": "ethos-u55-128", "what": "accelerator"}],
        "scratch": 64,
        "takes": [
            {
                "layout": "offset 0",
                "name": None,
                "position": 0,
                "type": "1-byte elements[1, 1, 1, 2, 2, 3]",
            }
        ],
    }
    others = [node for node in method["nodes"] if node["kind"] != "delegate"]
    assert all(node["inside"] is None for node in others)


def test_the_drawing_names_the_format() -> None:
    with looked_at(PROGRAM) as (_, context):
        text = "".join(graph_dot.render("model", scenes(context, ())))
    assert "EthosUBackend\\nVela stream" in text
