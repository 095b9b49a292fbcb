"""SVG, DOT and JSON: golden files, well-formed, the same bytes every time."""

from __future__ import annotations

import json
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from pte_lint.picture import graph_dot, graph_json, memory_svg, placement_svg
from pte_lint.picture.scene import MethodScene, scenes
from pte_lint.questions.graph import graph_of
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint.picture.programs import (
    around_a_delegate,
    branches,
    built,
    chain,
    planned_on_a_device,
)
from tests.support.golden import check_golden
from tests.support.look import every_file
from tests.support.pictures import looked_at, planned_inputs
from tests.support.sanitised import dot

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[3] / "schema" / "graph.schema.json"
SVG = "{http://www.w3.org/2000/svg}"
_UNSAFE = {SVG + tag for tag in ("script", "foreignObject", "image", "use", "a", "animate")}

PROGRAMS: dict[str, Callable[[], MethodBuilder]] = {
    "planned": planned_on_a_device,
    "branches": branches,
}


def formats(source: bytes | Path, title: str = "model.pte") -> dict[str, str]:
    """Everything that is drawn of an artifact's methods."""
    with looked_at(source, find=planned_inputs, rule="PTE301") as (report, context):
        drawn: tuple[MethodScene, ...] = scenes(context, report.findings)
        return {
            "memory.svg": memory_svg.render(title, drawn),
            "placement.svg": placement_svg.render(title, drawn),
            "dot": "".join(graph_dot.render(title, drawn)),
            "json": "".join(graph_json.render(report.artifacts[0], drawn)),
        }


@pytest.mark.parametrize("form", ["memory.svg", "placement.svg", "dot", "json"])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_golden(name: str, form: str) -> None:
    check_golden(GOLDEN / f"{name}.{form}", formats(built(PROGRAMS[name]()))[form])


def test_the_same_bytes_every_time() -> None:
    program = built(around_a_delegate(3))
    assert formats(program) == formats(program)


@pytest.mark.parametrize("path", every_file(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_file_gives_sound_documents(path: Path) -> None:
    made = formats(path)
    for form in ("memory.svg", "placement.svg"):
        root = ET.fromstring(made[form])
        assert root.tag == SVG + "svg"
        assert not {e.tag for e in root.iter()} & _UNSAFE
        assert "url(http" not in made[form]
    document = json.loads(made["json"])
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(document)
    for graph in document["methods"]:
        ids = [node["id"] for node in graph["nodes"]]
        assert len(ids) == len(set(ids))
        known = set(ids)
        for edge in graph["edges"]:
            assert {edge["source"], edge["target"]} <= known
        for node in graph["nodes"]:
            assert node["lane"] is None or node["lane"] in graph["lanes"]
        assert (graph["nodes_left_out"], graph["edges_left_out"]) == (0, 0)
    assert "left out" not in made["dot"]
    dot(made["dot"])


def _one_call_of_many(n: int) -> bytes:
    """A call whose list names one tensor again and again: four bytes of the file for an edge."""
    b = MethodBuilder()
    x, out = b.input((2,)), b.tensor((2 * n,))
    b.kernel("aten::cat.out", b.tensor_list([x] * n), b.int_value(0), out, out)
    b.output(out)
    return built(b)


def test_what_would_be_many_times_as_long_as_the_file_is_counted_and_left_out() -> None:
    program = _one_call_of_many(40_000)
    with looked_at(program, find=planned_inputs, rule="PTE301") as (report, context):
        drawn = scenes(context, report.findings)
        tracemalloc.start()
        length = sum(map(len, graph_json.render(report.artifacts[0], drawn)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        (graph,) = json.loads("".join(graph_json.render(report.artifacts[0], drawn)))["methods"]
        whole = graph_of(context.methods[0])
    assert graph["edges_left_out"] > 0
    assert len(graph["edges"]) + graph["edges_left_out"] == whole.number_of_edges()
    assert len(graph["nodes"]) == whole.number_of_nodes()
    assert length < (2 << 20) + 16 * len(program)
    assert peak < length / 4, "it is written piece by piece"


def test_nodes_are_left_out_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_json, "_FREE", 2000)
    monkeypatch.setattr(graph_json, "_TIMES", 0)
    made = json.loads(formats(built(chain(30), around_a_delegate(3, name="other")))["json"])
    first, second = made["methods"]
    assert first["nodes"]
    assert first["nodes_left_out"] > 0
    assert second["nodes"] == second["edges"] == []
    assert second["nodes_left_out"] > 0
    assert second["edges_left_out"] > 0


def test_graphviz_is_given_what_it_can_lay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = formats(built(chain(30)))["dot"]
    monkeypatch.setattr(graph_dot, "_MOST", 10)
    text = formats(built(chain(30)))["dot"]
    # An input, 30 calls and an output; each tensor is written once and read once.
    assert '"left out" [label="left out: 22 nodes, 52 uses and jumps", shape=note];' in text
    assert set(text.splitlines()) - {text.splitlines()[-2]} < set(whole.splitlines())
    dot(text)


def test_wrong_crossings_have_the_colour_of_their_finding() -> None:
    root = ET.fromstring(formats(built(planned_on_a_device()))["placement.svg"])
    wires = [e.get("class") for e in root.iter(SVG + "line") if "wire" in (e.get("class") or "")]
    assert wires == ["wire error", "wire error"]
    words = [e.text for e in root.iter(SVG + "text")]
    assert (
        "input 0: set_input would copy 256 bytes \u00b7 error PTE301, fails with NotSupported"
        in words
    )


def test_before_and_after_stand_side_by_side() -> None:
    root = ET.fromstring(formats(built(planned_on_a_device()))["memory.svg"])
    words = [e.text for e in root.iter(SVG + "text")]
    assert "arena 1 on cuda:0 now: 768 bytes planned" in words
    assert "with PTE301 fixed: 256 bytes planned" in words
    assert "input 0, input 1 in the caller's memory" in words
    assert "512 bytes saved" in words


def test_colours_stand_in_the_file_for_programs_that_know_no_variables() -> None:
    text = formats(built(planned_on_a_device()))["memory.svg"]
    assert "var(" not in text
    assert "prefers-color-scheme: dark" in text


def test_the_graph_names_lanes_and_findings() -> None:
    document = json.loads(formats(built(planned_on_a_device()))["json"])
    (graph,) = document["methods"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert graph["lanes"] == ["host", "cuda:0"]
    assert nodes["instruction 0"]["lane"] == "cuda:0"
    assert nodes["instruction 0"]["does"] == "delegate call"
    assert len(nodes["value 0"]["finding_fingerprints"]) == 1
    assert nodes["value 2"]["finding_fingerprints"] == []
    assert nodes["value 0"]["type"]["nbytes"] == 256


def test_a_long_method_is_a_short_picture() -> None:
    made = formats(built(chain(3000)))
    assert len(made["placement.svg"]) < 40_000
    assert "2,991 instructions" in made["placement.svg"]
    assert len(made["memory.svg"]) < 200_000
