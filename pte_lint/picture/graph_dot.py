"""`pte-lint graph --dot`: the data flow of a method for Graphviz.

Of the graph (`pte_lint.questions.graph`) this shows what happens: method inputs and outputs,
instructions, and tensors as edges between them, each lane in a box of its own. A tensor that
several instructions write is a node. Weights are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pte_lint.inspection.tensors import tensor_type
from pte_lint.ir.steps import StepKind
from pte_lint.picture.graph_view import GraphView, node_id
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.graph import Node
from pte_lint.text.printable import printable
from pte_lint.text.sanitise import name

_SHAPES: Final = {
    StepKind.KERNEL: "box",
    StepKind.DELEGATE: "box3d",
    StepKind.JUMP: "diamond",
}
_COLOURS: Final = {"error": "#c43a00", "warning": "#d18a00", "info": "#2f7fc1"}
_LANES: Final = ("#eef1f4", "#edebfa", "#e3f3f6", "#f9e9f3", "#f5f1dc")


def render(title: str, scenes: Sequence[MethodScene]) -> str:
    """Writes one digraph, a cluster for each method and in it one for each lane.

    Args:
        title: the artifact's name, safe to show.
        scenes: the methods.
    """
    lines = [
        f"digraph {_quoted(title)} {{",
        '  graph [rankdir=TB, fontname="sans-serif", compound=true];',
        '  node [fontname="sans-serif", fontsize=11, shape=box];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    for scene in scenes:
        lines += _Dot(scene).lines()
    return "\n".join([*lines, "}"]) + "\n"


class _Dot:
    """One method."""

    def __init__(self, scene: MethodScene) -> None:
        self._scene, self._method = scene, scene.method
        self._view = GraphView(scene)
        self._graph: Any = scene.method.graph
        self._flows = {v: self._ends(("value", v)) for v in self._method.tensors}
        self._joints = {v for v, (writers, readers) in self._flows.items() if len(writers) > 1}

    def lines(self) -> Iterator[str]:
        index = self._method.index
        yield f"  subgraph cluster_{index} {{"
        yield f'    label={_quoted(f"method {self._scene.name}")}; color="#5d6b79";'
        for lane in self._view.lanes:
            yield f"    subgraph cluster_{index}_{lane.index} {{"
            yield f'      label={_quoted(lane.name)}; style=filled; color="{_LANES[lane.colour]}";'
            for node in self._nodes():
                if (self._view.lane(node) or 0) == lane.index:
                    yield f"      {self._id(node)} [{self._attributes(node)}];"
            yield "    }"
        yield from (f"    {edge}" for edge in self._edges())
        yield "  }"

    def _nodes(self) -> Iterator[Node]:
        method = self._method
        yield from (("input", k) for k in range(len(method.inputs)))
        yield from (("instruction", step.index) for step in method.steps)
        yield from (("value", v) for v in sorted(self._joints))
        yield from (("output", k) for k in range(len(method.outputs)))

    def _attributes(self, node: Node) -> str:
        kind, key = node
        shape, label = "ellipse", node_id(node)
        if kind == "instruction":
            step = self._method.steps[int(key)]
            shape = _SHAPES.get(step.kind, "plain")
            label = f"{key}: {name(printable(step.operator))}"
        elif kind == "value":
            shape, label = "point", ""
        marks = self._view.marks(node)
        told = [f"{m.severity} {m.rule}" for m in marks]
        colour = f', color="{_COLOURS[str(marks[0].severity)]}", penwidth=2.5' if marks else ""
        return f"label={_quoted(chr(10).join([label, *told]))}, shape={shape}{colour}"

    def _edges(self) -> Iterator[str]:
        for v, (writers, readers) in self._flows.items():
            label = f"label={_quoted(self._label(v))}"
            if v in self._joints:
                here = self._id(("value", v))
                yield from (f"{self._id(w)} -> {here} [{label}];" for w in writers)
                yield from (f"{here} -> {self._id(r)};" for r in readers if r not in writers)
                continue
            for writer in writers:
                yield from (f"{self._id(writer)} -> {self._id(r)} [{label}];" for r in readers)
        for source, target, kind in self._graph.edges(data="kind"):
            if kind == "jumps":
                yield f"{self._id(source)} -> {self._id(target)} [style=dashed, constraint=false];"

    def _ends(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Who writes a value, and who reads it, each once."""
        writers = [n for n, _, kind in self._graph.in_edges(node, data="kind") if kind == "writes"]
        readers = [n for _, n, kind in self._graph.out_edges(node, data="kind") if kind == "reads"]
        return list(dict.fromkeys(writers)), list(dict.fromkeys(readers))

    def _label(self, v: int) -> str:
        tensor = self._method.tensor(v)
        return name(f"%{v} {tensor_type(tensor)}") if tensor is not None else f"%{v}"

    def _id(self, node: Node) -> str:
        return _quoted(f"{self._method.index} {node_id(node)}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
