"""`pte-lint graph --json`: the whole graph of each method, with lanes and findings.

Nodes and edges are those of `pte_lint.questions.graph`, one a line. Keys may be added, never
renamed; the JSON Schema is `schema/graph.schema.json`. Nothing is held: a graph takes hundreds of
times the bytes of the file. What would make the document many times as long as the file is
counted and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal, cast

from pte_lint.claims.result import ArtifactReport
from pte_lint.data.blobs import Blob
from pte_lint.inspection.code import DelegateArgument, DelegateNeed, InnerOperator
from pte_lint.inspection.inside import inside
from pte_lint.inspection.literals import kind_name
from pte_lint.inspection.tensors import Residence, TensorType, residence, tensor_type
from pte_lint.picture.graph_view import GraphView, node_id
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.graph import Node, graph_edges, graph_nodes
from pte_lint.report.documents import Tool
from pte_lint.report.jsonable import Text, line, pieces
from pte_lint.schema.frozen import dataclass, field
from pte_lint.text.printable import printable

_FREE: Final = 1 << 20
_TIMES: Final = 8
_BETWEEN: Final = 10
"""Characters of nodes, and of edges: so many, and so many for each byte of the file;
and what stands between two lines."""


@dataclass(frozen=True, slots=True)
class GraphArtifact:
    """The artifact that the graph is of."""

    path: str
    kind: str
    size: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class DelegateInside:
    """What a delegate's blob tells, as `pte-lint inspect --json` has it."""

    blob_format: str
    operators: tuple[InnerOperator, ...]
    takes: tuple[DelegateArgument, ...]
    gives: tuple[DelegateArgument, ...]
    requires: tuple[DelegateNeed, ...]
    scratch: int | None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node. `finding_fingerprints` are those of the findings about it, the worst first.

    `operator` and `does` are set for instructions, `value` for method inputs and outputs,
    `value_kind` for values, `type` and `residence` for values that are tensors, `name` for
    delegates and external constants, `size` in bytes for arenas and for the blobs of delegates,
    `inside` for delegates whose blob can be read.
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
    inside: DelegateInside | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge. `argument` is a position in an argument list, a list value, or among the ports."""

    source: str
    target: str
    kind: str
    argument: int | None


@dataclass(frozen=True, slots=True)
class MethodGraph:
    """One method's graph. `lanes` are the host, then its devices.

    `nodes_left_out` and `edges_left_out` count what would make the document many times as long as
    the file; an edge may then lead to a node that is left out.
    """

    name: str
    lanes: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    nodes_left_out: int = 0
    edges_left_out: int = 0


@dataclass(frozen=True, slots=True)
class GraphDocument:
    """`pte-lint graph --json`."""

    artifact: GraphArtifact
    methods: tuple[MethodGraph, ...]
    schema_version: Literal[1] = 1
    tool: Tool = field(default_factory=Tool)


def render(artifact: ArtifactReport, scenes: Sequence[MethodScene]) -> Iterator[str]:
    """Writes the document, in pieces.

    Args:
        artifact: the report of the artifact.
        scenes: the methods.
    """
    about = GraphArtifact(artifact.path, artifact.kind, artifact.size, artifact.sha256)
    nodes, edges = (_Room(_FREE + _TIMES * artifact.size) for _ in range(2))
    methods = (_method(scene, nodes, edges) for scene in scenes)
    return pieces(GraphDocument(about, cast("tuple[MethodGraph, ...]", methods)))


class _Room:
    """Room for lists that are written one after another."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def kept(self, items: Iterator[Callable[[], object]], cut: list[int]) -> Iterator[Text]:
        """The items, as long as there is room, then adds to `cut` how many are left out."""
        for make in items:
            if self._left > 0:
                text = line(make())
                self._left -= len(text) + _BETWEEN
                yield text
            else:
                cut[0] += 1


def _method(scene: MethodScene, nodes: _Room, edges: _Room) -> MethodGraph:
    view = GraphView(scene)
    cut_nodes, cut_edges = [0], [0]
    # Everything but the name is made when its turn comes.
    later: dict[str, Any] = {
        "nodes": nodes.kept(_nodes(scene, view), cut_nodes),
        "edges": edges.kept(_edges(scene), cut_edges),
        "nodes_left_out": lambda: cut_nodes[0],
        "edges_left_out": lambda: cut_edges[0],
    }
    lanes = tuple(lane.name for lane in view.lanes)
    return MethodGraph(printable(scene.method.name), lanes, **later)


def _edges(scene: MethodScene) -> Iterator[Callable[[], GraphEdge]]:
    for source, target, data in graph_edges(scene.method):
        yield partial(
            GraphEdge, node_id(source), node_id(target), data["kind"], data.get("argument")
        )


def _nodes(scene: MethodScene, view: GraphView) -> Iterator[Callable[[], GraphNode]]:
    for node, data in graph_nodes(scene.method):
        yield partial(_node, scene, view, node, data)


def _node(scene: MethodScene, view: GraphView, node: Node, data: dict[str, Any]) -> GraphNode:
    lane = view.lane(node)
    method = scene.method
    found: dict[str, Any] = {}
    kind, key = node
    if kind == "instruction":
        step = method.steps[int(key)]
        found = {"operator": printable(step.operator), "does": str(step.kind)}
    elif kind == "value":
        tensor = method.tensor(int(key))
        found = {"value_kind": kind_name(method.value(int(key)))}
        if tensor is not None:
            found |= {"type": tensor_type(tensor), "residence": residence(method, int(key))}
    elif kind in ("input", "output"):
        found = {"value": data["value"]}
    elif kind == "arena":
        found = {"size": data["size"]}
    elif kind == "delegate":
        found = {"name": printable(data["id"] or "")} | _of_blob(scene.blobs.get(int(key)))
    elif kind == "external":
        found = {"name": printable(str(key))}
    return GraphNode(
        printable(node_id(node)),
        data["kind"],
        view.lanes[lane].name if lane is not None else None,
        tuple(m.anchor.removeprefix("f-") for m in view.marks(node)),
        **found,
    )


def _of_blob(blob: Blob | None) -> dict[str, Any]:
    if blob is None:
        return {}
    told = inside(blob.facts)
    known = ("operators", "takes", "gives", "requires", "scratch")
    return {
        "size": blob.span.size,
        "inside": DelegateInside(
            blob_format=blob.facts.format,
            **{each: told[each] for each in known},
        )
        if blob.facts.format
        else None,
    }
