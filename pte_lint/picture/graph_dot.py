"""`pte-lint graph --dot`: the data flow of a method for Graphviz.

Of the graph (`pte_lint.questions.graph`) this shows what happens: method inputs and outputs,
instructions, and tensors as edges between them, each lane in a box of its own. A tensor that
several instructions write is a node. Weights are left out, and so is what is more than Graphviz
could lay out; a node tells how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pte_lint.inspection.tensors import tensor_type
from pte_lint.ir.steps import StepKind
from pte_lint.picture.graph_view import GraphView, node_id
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.graph import Node, graph_edges
from pte_lint.text.printable import printable
from pte_lint.text.sanitise import name

_SHAPES: Final = {
    StepKind.KERNEL: "box",
    StepKind.DELEGATE: "box3d",
    StepKind.JUMP: "diamond",
}
_COLOURS: Final = {"error": "#c43a00", "warning": "#d18a00", "info": "#2f7fc1"}
_LANES: Final = ("#eef1f4", "#edebfa", "#e3f3f6", "#f9e9f3", "#f5f1dc")
_MOST: Final = 20_000
"""Nodes, and uses of tensors and jumps, of one document. The rest is counted."""


def render(title: str, scenes: Sequence[MethodScene]) -> Iterator[str]:
    """Writes one digraph, a cluster for each method and in it one for each lane, line by line.

    Args:
        title: the artifact's name, safe to show.
        scenes: the methods.
    """
    yield f"digraph {_quoted(title)} {{\n"
    yield '  graph [rankdir=TB, fontname="sans-serif", compound=true];\n'
    yield '  node [fontname="sans-serif", fontsize=11, shape=box];\n'
    yield '  edge [fontname="sans-serif", fontsize=9];\n'
    nodes, edges = _Room(), _Room()
    for scene in scenes:
        yield from (f"{line}\n" for line in _Dot(scene, nodes, edges).lines())
    if nodes.left_out or edges.left_out:
        told = f"left out: {nodes.left_out:,} nodes, {edges.left_out:,} uses and jumps"
        yield f'  "left out" [label={_quoted(told)}, shape=note];\n'
    yield "}\n"


class _Room:
    """Counts what is drawn, and what is not."""

    def __init__(self) -> None:
        self.left, self.left_out = _MOST, 0

    def takes(self) -> bool:
        if self.left:
            self.left -= 1
            return True
        self.left_out += 1
        return False


class _Dot:
    """One method."""

    def __init__(self, scene: MethodScene, nodes: _Room, edges: _Room) -> None:
        self._scene, self._method = scene, scene.method
        self._view = GraphView(scene)
        self._room = edges
        self._writers: dict[int, dict[Node, None]] = {}
        self._readers: dict[int, dict[Node, None]] = {}
        self._jumps: list[tuple[Node, Node]] = []
        self._collect()
        self._drawn = {node: self._view.lane(node) or 0 for node in self._nodes() if nodes.takes()}

    def _collect(self) -> None:
        """Who writes a tensor, and who reads it, each once; and the jumps."""
        tensors = set(self._method.tensors)
        for source, target, data in graph_edges(self._method):
            value, user, users = target[1], source, self._writers
            if data["kind"] == "reads":
                value, user, users = source[1], target, self._readers
            if data["kind"] == "jumps":
                if self._room.takes():
                    self._jumps.append((source, target))
            elif data["kind"] in ("reads", "writes") and value in tensors:
                each = int(value)
                if user not in users.get(each, ()) and self._room.takes():
                    users.setdefault(each, {})[user] = None

    def lines(self) -> Iterator[str]:
        index = self._method.index
        by_lane: dict[int, list[Node]] = {}
        for node, at in self._drawn.items():
            by_lane.setdefault(at, []).append(node)
        yield f"  subgraph cluster_{index} {{"
        yield f'    label={_quoted(f"method {self._scene.name}")}; color="#5d6b79";'
        for lane in self._view.lanes:
            yield f"    subgraph cluster_{index}_{lane.index} {{"
            yield f'      label={_quoted(lane.name)}; style=filled; color="{_LANES[lane.colour]}";'
            for node in by_lane.get(lane.index, ()):
                yield f"      {self._id(node)} [{self._attributes(node)}];"
            yield "    }"
        yield from (f"    {edge}" for edge in self._edges())
        yield "  }"

    def _nodes(self) -> Iterator[Node]:
        method = self._method
        yield from (("input", k) for k in range(len(method.inputs)))
        yield from (("instruction", step.index) for step in method.steps)
        yield from (("value", v) for v in sorted(filter(self._is_joint, self._writers)))
        yield from (("output", k) for k in range(len(method.outputs)))

    def _attributes(self, node: Node) -> str:
        kind, key = node
        shape, label = "ellipse", node_id(node)
        if kind == "instruction":
            step = self._method.steps[int(key)]
            shape = _SHAPES.get(step.kind, "plain")
            label = f"{key}: {name(printable(step.operator))}"
            blob = self._scene.blobs.get(step.target) if step.kind is StepKind.DELEGATE else None
            if blob is not None and blob.facts.format:
                label += f"\n{name(blob.facts.format)}"
        elif kind == "value":
            shape, label = "point", ""
        marks = self._view.marks(node)
        told = [f"{m.severity} {m.rule}" for m in marks]
        colour = f', color="{_COLOURS[str(marks[0].severity)]}", penwidth=2.5' if marks else ""
        return f"label={_quoted(chr(10).join([label, *told]))}, shape={shape}{colour}"

    def _edges(self) -> Iterator[str]:
        for v in self._method.tensors:
            writers, readers = (
                [node for node in users.get(v, ()) if node in self._drawn]
                for users in (self._writers, self._readers)
            )
            label = f"label={_quoted(self._label(v))}"
            if self._is_joint(v):
                here = self._id(("value", v))
                yield from (f"{self._id(w)} -> {here} [{label}];" for w in writers)
                both = set(writers)
                yield from (f"{here} -> {self._id(r)};" for r in readers if r not in both)
                continue
            for writer in writers:
                yield from (f"{self._id(writer)} -> {self._id(r)} [{label}];" for r in readers)
        for source, target in self._jumps:
            if source in self._drawn and target in self._drawn:
                yield f"{self._id(source)} -> {self._id(target)} [style=dashed, constraint=false];"

    def _is_joint(self, v: int) -> bool:
        return len(self._writers.get(v, ())) > 1

    def _label(self, v: int) -> str:
        tensor = self._method.tensor(v)
        return name(f"%{v} {tensor_type(tensor)}") if tensor is not None else f"%{v}"

    def _id(self, node: Node) -> str:
        return _quoted(f"{self._method.index} {node_id(node)}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
