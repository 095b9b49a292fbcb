"""`pte-lint graph --json`: the whole graph of each method, with lanes and findings.

Nodes and edges are those of `pte_lint.questions.graph`. Keys may be added, never renamed; the JSON
Schema is `schema/graph.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pte_lint.claims.result import ArtifactReport
from pte_lint.inspection.literals import kind_name
from pte_lint.inspection.tensors import Residence, TensorType, residence, tensor_type
from pte_lint.picture.graph_view import GraphView, node_id
from pte_lint.picture.scene import MethodScene
from pte_lint.report.documents import Tool
from pte_lint.report.jsonable import dumps
from pte_lint.schema.frozen import dataclass, field
from pte_lint.text.printable import printable


@dataclass(frozen=True, slots=True)
class GraphArtifact:
    """The artifact that the graph is of."""

    path: str
    kind: str
    size: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node. `finding_fingerprints` are those of the findings about it, the worst first.

    `operator` and `does` are set for instructions, `value` for method inputs and outputs,
    `value_kind` for values, `type` and `residence` for values that are tensors, `name` for
    delegates and external constants, `size` in bytes for arenas.
    """

    id: str
    kind: str
    lane: str | None
    finding_fingerprints: tuple[str, ...]
    operator: str | None = None
    does: str | None = None
    value: int | None = None
    value_kind: str | None = None
    type: TensorType | None = None
    residence: Residence | None = None
    name: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge. `argument` is a position in an argument list, a list value, or among the ports."""

    source: str
    target: str
    kind: str
    argument: int | None


@dataclass(frozen=True, slots=True)
class MethodGraph:
    """One method's graph. `lanes` are the host, then its devices."""

    name: str
    lanes: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


@dataclass(frozen=True, slots=True)
class GraphDocument:
    """`pte-lint graph --json`."""

    artifact: GraphArtifact
    methods: tuple[MethodGraph, ...]
    schema_version: Literal[1] = 1
    tool: Tool = field(default_factory=Tool)


def render(artifact: ArtifactReport, scenes: Sequence[MethodScene]) -> str:
    """Writes the document.

    Args:
        artifact: the report of the artifact.
        scenes: the methods.
    """
    about = GraphArtifact(artifact.path, artifact.kind, artifact.size, artifact.sha256)
    return dumps(GraphDocument(about, tuple(_method(scene) for scene in scenes)))


def _method(scene: MethodScene) -> MethodGraph:
    view = GraphView(scene)
    graph: Any = scene.method.graph
    return MethodGraph(
        printable(scene.method.name),
        tuple(lane.name for lane in view.lanes),
        tuple(_nodes(scene, view, graph)),
        tuple(
            GraphEdge(node_id(source), node_id(target), data["kind"], data.get("argument"))
            for source, target, data in graph.edges(data=True)
        ),
    )


def _nodes(scene: MethodScene, view: GraphView, graph: Any) -> Iterator[GraphNode]:
    method = scene.method
    for node, data in graph.nodes(data=True):
        lane = view.lane(node)
        found: dict[str, Any] = {}
        kind, key = node
        if kind == "instruction":
            step = method.steps[key]
            found = {"operator": printable(step.operator), "does": str(step.kind)}
        elif kind == "value":
            tensor = method.tensor(key)
            found = {"value_kind": kind_name(method.value(key))}
            if tensor is not None:
                found |= {"type": tensor_type(tensor), "residence": residence(method, key)}
        elif kind in ("input", "output"):
            found = {"value": data["value"]}
        elif kind == "arena":
            found = {"size": data["size"]}
        elif kind == "delegate":
            found = {"name": printable(data["id"] or "")}
        elif kind == "external":
            found = {"name": printable(str(key))}
        yield GraphNode(
            printable(node_id(node)),
            data["kind"],
            view.lanes[lane].name if lane is not None else None,
            tuple(m.anchor.removeprefix("f-") for m in view.marks(node)),
            **found,
        )
