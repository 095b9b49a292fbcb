"""The networkx graph of a method, for rules and tools that ask questions about paths.

Nodes are tuples, so that they sort, compare and survive copying:

| node | what | attributes |
|---|---|---|
| `("input", k)` | method input `k` | `kind="input"`, `value` |
| `("output", k)` | method output `k` | `kind="output"`, `value` |
| `("value", v)` | value `v` of the value table | `kind="value"` |
| `("instruction", i)` | step `i` (`Method.steps`) | `kind="instruction"`, `operator` |
| `("arena", m)` | planned buffer with memory_id `m` | `kind="arena"`, `size`, `device` |
| `("constant", n)` | constant `n` of the constant segment (`data_buffer_idx`) | `kind="constant"` |
| `("external", name)` | external constant by its fully qualified name | `kind="constant"` |
| `("state", n)` | initial state `n` of the mutable data segment | `kind="constant"` |
| `("delegate", d)` | entry `d` of the delegate table | `kind="delegate"`, `id` |

Edges carry `kind`, and `argument` (the position in the instruction's argument list, in the list
value, or among the method's inputs or outputs) where there is one:

| kind | from -> to |
|---|---|
| `reads` | value -> instruction; value -> output |
| `writes` | instruction -> value; input -> value |
| `lives_in` | value -> arena, or value -> constant |
| `aliases` | a value -> the value whose tensor it shares (see below) |
| `calls` | instruction -> delegate |
| `next` | instruction -> the instruction that follows it |
| `jumps` | jump -> the instruction it goes to when its condition is false |

An alias is a list of its items, the target of a move of its source, the out of an `et_view` of its
input, and an elided view of the base at its place.

A value that is used at several positions of one instruction has one edge for each. What leads to
the end of the method has no edge. Residency, live ranges and reachability are not in the graph:
ask `Method.residency`, `Method.liveness` and `Method.flow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pte_lint.interpret.flow import flow_of
from pte_lint.ir.calling import ET_VIEW, list_items
from pte_lint.ir.question import question
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.liveness import liveness_of

if TYPE_CHECKING:
    import networkx as nx

    from pte_lint.ir.method import Method

Node = tuple[str, int | str]
Edge = tuple[Node, Node, dict[str, Any]]


def build_graph(method: Method) -> nx.MultiDiGraph[Any]:
    """Builds the graph of `method`, in time linear in its values and arguments.

    Indices that lead outside the value table, and delegate indices outside the delegate table,
    have no node and so no edge.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    graph.add_nodes_from(graph_nodes(method))
    graph.add_edges_from(graph_edges(method))
    return graph


def graph_edges(method: Method) -> Iterator[Edge]:
    """The edges, one after another: all at once they take hundreds of bytes each."""
    yield from _border(method)
    yield from _homes(method)
    yield from _uses(method)
    yield from _aliases(method)
    yield from _flow(method)


def graph_nodes(method: Method) -> Iterator[tuple[Node, dict[str, Any]]]:
    """The nodes, one after another, each once."""
    for k, v in enumerate(method.inputs):
        yield ("input", k), {"kind": "input", "value": v}
    for k, v in enumerate(method.outputs):
        yield ("output", k), {"kind": "output", "value": v}
    for v in range(len(method.values)):
        yield ("value", v), {"kind": "value"}
    for step in method.steps:
        yield ("instruction", step.index), {"kind": "instruction", "operator": step.operator}
    for arena in method.arenas.values():
        yield (
            ("arena", arena.memory_id),
            {"kind": "arena", "size": arena.size, "device": arena.device},
        )
    sources = (_source(method, v) for v in method.tensors)
    for source in dict.fromkeys(each for each in sources if each is not None):
        yield source, {"kind": "constant"}
    for d, delegate in enumerate(method.plan.delegates or ()):
        yield ("delegate", d), {"kind": "delegate", "id": delegate.id}


def _source(method: Method, v: int) -> Node | None:
    """The node of the data that a tensor's bytes come from when the method is loaded."""
    tensor = method.tensor(v)
    if tensor is None:
        return None
    if method.is_external(v):
        extra = tensor.extra_tensor_info
        name = extra.fully_qualified_name if extra else None
        return ("external", name or "")
    if tensor.data_buffer_idx > 0:
        return ("state" if tensor.allocation_info else "constant", tensor.data_buffer_idx)
    return None


def _border(method: Method) -> Iterator[Edge]:
    n = len(method.values)
    for k, v in enumerate(method.inputs):
        if 0 <= v < n:
            yield ("input", k), ("value", v), {"kind": "writes", "argument": k}
    for k, v in enumerate(method.outputs):
        if 0 <= v < n:
            yield ("value", v), ("output", k), {"kind": "reads", "argument": k}


def _homes(method: Method) -> Iterator[Edge]:
    for v in method.tensors:
        tensor = method.tensor(v)
        info = tensor.allocation_info if tensor is not None else None
        if info is not None and info.memory_id in method.arenas:
            yield ("value", v), ("arena", info.memory_id), {"kind": "lives_in"}
        source = _source(method, v)
        if source is not None:
            yield ("value", v), source, {"kind": "lives_in"}


def _uses(method: Method) -> Iterator[Edge]:
    delegates = len(method.plan.delegates or ())
    for step in method.steps:
        here: Node = ("instruction", step.index)
        for position in range(step.first_output):
            for v in _behind(method, step.args[position]):
                yield ("value", v), here, {"kind": "reads", "argument": position}
        left = set(step.writes)
        for position in _output_positions(step):
            for v in _behind(method, step.args[position]):
                if v in left:
                    left.discard(v)
                    yield here, ("value", v), {"kind": "writes", "argument": position}
        if step.kind is StepKind.DELEGATE and 0 <= step.target < delegates:
            yield here, ("delegate", step.target), {"kind": "calls"}


def _behind(method: Method, argument: int) -> Iterator[int]:
    """The values that an argument stands for: list items, else itself if it exists."""
    n = len(method.values)
    if 0 <= argument < n:
        for v in list_items(method.values[argument]) or (argument,):
            if v < n:
                yield v


def _output_positions(step: Step) -> range:
    """Positions where written values are named first.

    An out argument is named twice, as argument and as the call's return. An in-place operator
    names its target first and as its return.
    """
    n = len(step.args)
    in_place = step.first_output == n - 1 and n > 1 and step.args[0] == step.args[-1]
    return range(n) if in_place else range(step.first_output, n)


def _aliases(method: Method) -> Iterator[Edge]:
    n = len(method.values)
    for v, value in enumerate(method.values):
        for position, item in enumerate(list_items(value)):
            if item < n:
                yield ("value", v), ("value", item), {"kind": "aliases", "argument": position}
    for step in method.steps:
        if step.kind is StepKind.MOVE or (step.operator == ET_VIEW and len(step.args) > 1):
            source, target = step.args[0], step.args[-1]
            if 0 <= source < n and 0 <= target < n:
                yield ("value", target), ("value", source), {"kind": "aliases"}
    storage = liveness_of(method).storage
    for v in method.tensors:
        base = storage.base(v)
        if base is not None:
            yield ("value", v), ("value", base), {"kind": "aliases"}


def _flow(method: Method) -> Iterator[Edge]:
    flow = flow_of(method)
    end = flow.exit
    for step in method.steps:
        here: Node = ("instruction", step.index)
        if step.kind is not StepKind.JUMP:
            if step.index + 1 < end:
                yield here, ("instruction", step.index + 1), {"kind": "next"}
            continue
        target = flow.destination(step)
        constant = flow.outcome(step.index)
        if constant is not False and step.index + 1 < end:
            yield here, ("instruction", step.index + 1), {"kind": "next"}
        if constant is not True and target < end:
            yield here, ("instruction", target), {"kind": "jumps"}


@question
def graph_of(method: Method) -> nx.MultiDiGraph[object]:
    """The networkx graph of the method."""
    return build_graph(method)
