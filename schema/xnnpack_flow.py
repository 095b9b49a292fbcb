"""What an XNNPACK graph reads before anything wrote it, what it writes twice, or never.

XNNPACK runs the nodes in the order of the file and checks no producers: a value that nobody wrote
is whatever its memory holds (xnn_create_runtime_v4 and setup_runtime in XNNPACK's src/runtime.c).
Values with one external id share one place (src/tensor.c: values[external_id]).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.record import Record
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Graph,
    Node,
    TensorValue,
    operator_names,
    tensor_of,
)
from pte_lint.schema.xnnpack_nodes import Node2x1, Reshape, Transpose
from pte_lint.schema.xnnpack_values import NO_ID, Dtype

_PARTS: Final = {
    f"XNNConcatenate{count}": tuple(f"input{n + 1}_id" for n in range(count))
    for count in (2, 3, 4, 5)
}
"""Nodes of one table that use a part of its fields."""

_PACKED: Final = ("filter_id", "bias_id")

_PRODUCT: Final = "XNNBatchMatrixMultiply"
_LAYERS: Final = ("XNNFullyConnected", _PRODUCT)


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A value that is used, or given out, without having been written.

    Attributes:
        value: Its id in the graph.
        node: The node that reads it; None for an output that no node writes.
        argument: Position among the arguments of the call; None for an internal value.
        is_twice: Whether the node writes over it, rather than reads it.
        is_early: Whether a later node writes it.
    """

    value: int
    node: int | None
    argument: int | None
    is_twice: bool = False
    is_early: bool = False

    @property
    def is_planned(self) -> bool:
        """Whether XNNPACK makes plans with it, of producers and consumers, when a graph loads."""
        return self.node is not None and (self.argument is None or self.is_twice or self.is_early)


@dataclass(frozen=True, slots=True)
class RawConstant:
    """A constant that a node reads where it stands, in every run.

    Attributes:
        value: Its id in the graph.
        node: The first node that does.
        key: Under which the named data have it; None where it is in the blob.
        is_packed: Whether a layer packs a copy of it besides.
    """

    value: int
    node: int
    key: str | None
    is_packed: bool


def raw_constants(graph: Graph) -> Iterator[RawConstant]:
    """Yields constants that nodes read without packing them, each once.

    Layers pack weights and biases when the graph is compiled (XNNCompiler.cpp, getPackedValueIds).
    Nodes that no output depends on are left out.
    """
    _, tensors = places(graph)
    packed, read = _constants_used(graph)
    entries = graph.constant_data or ()
    for place, (number, index) in read.items():
        at = tensors[place].constant_buffer_idx
        key = entries[at].named_key if at < len(entries) else None
        yield RawConstant(number, index, key, place in packed)


def packed_constants(graph: Graph) -> set[int]:
    """The places of constants that layers pack when the graph is compiled."""
    return _constants_used(graph)[0]


def _constants_used(graph: Graph) -> tuple[set[int], dict[int, tuple[int, int]]]:
    """Places of packed constants; those of others with id and first node that reads them."""
    numbers, tensors = places(graph)
    alive, names, nodes = live_nodes(graph), operator_names(), graph.xnodes or ()
    packed, read = set[int](), dict[int, tuple[int, int]]()
    for index, node in enumerate(nodes):
        if index not in alive or not isinstance(node.xnode_union, Record):
            continue
        operator = names.get(node.xnode_union_type, "")
        for name, number in _named_ids(node, "output", False, _PARTS.get(operator)):
            place = numbers.get(number)
            if place is None or not tensors[place].constant_buffer_idx:
                continue
            if operator == _PRODUCT and name == "input2_id":
                continue  # XNNPACK packs it, which the backend does not know, and keeps it.
            if name in _PACKED:
                packed.add(place)
            if name not in _PACKED or (name == "bias_id" and not _packs(node, numbers, tensors)):
                read.setdefault(place, (number, index))
    return packed, read


def _packs(node: Node, numbers: Mapping[int, int], tensors: Mapping[int, TensorValue]) -> bool:
    """Whether a layer packs its bias: only together with weights that are a constant."""
    place = numbers.get(getattr(node.xnode_union, "filter_id", NO_ID))
    return place is None or bool(tensors[place].constant_buffer_idx)


def places(graph: Graph) -> tuple[dict[int, int], dict[int, TensorValue]]:
    """Places by the ids of values, and the tensor that each place has in the end."""
    numbers: dict[int, int] = {}
    tensors: dict[int, TensorValue] = {}
    for index, value in enumerate(graph.xvalues or ()):
        tensor = tensor_of(value)
        if tensor is None:
            continue
        place = place_of(tensor, index)
        numbers.setdefault(tensor.id_out, place)
        tensors[place] = tensor
    return numbers, tensors


def place_of(tensor: TensorValue, index: int) -> int:
    """Where the value of an index is."""
    return tensor.external_id if tensor.external_id != NO_ID else NO_ID + 1 + index


def unwritten(graph: Graph) -> Iterator[Unwritten]:
    """Yields what nodes read and no earlier one wrote, or write over; then outputs unwritten."""
    numbers, tensors = places(graph)
    written = {
        place
        for place, tensor in tensors.items()
        if tensor.flags & EXTERNAL_INPUT or tensor.constant_buffer_idx
    }
    nodes, made = graph.xnodes or (), set[int]()
    if any(not isinstance(node.xnode_union, Record) for node in nodes):
        return  # What such a node reads and writes is not kept.
    names = operator_names()
    last = {
        numbers.get(number): index
        for index, node in enumerate(nodes)
        for number in _ids(node, "output", True, None)
    }
    for index, node in enumerate(nodes):
        parts = _PARTS.get(names.get(node.xnode_union_type, ""))
        for number in _ids(node, "output", False, parts):
            place = numbers.get(number)
            if place is not None and place not in written:
                is_early = last.get(place, -1) >= index
                yield Unwritten(number, index, _argument(tensors[place]), is_early=is_early)
        for number in _ids(node, "output", True, None):
            place = numbers.get(number)
            if place is None:
                continue
            if place in written:
                yield Unwritten(number, index, _argument(tensors[place]), is_twice=True)
            written.add(place)
            made.add(place)
    for place, tensor in tensors.items():
        if tensor.flags & EXTERNAL_OUTPUT and place not in made:
            yield Unwritten(tensor.id_out, None, _argument(tensor))


def live_nodes(graph: Graph) -> set[int]:
    """The nodes that an output depends on: XNNPACK leaves out all others."""
    numbers, tensors = places(graph)
    nodes, names = graph.xnodes or (), operator_names()
    if any(not isinstance(node.xnode_union, Record) for node in nodes):
        return set(range(len(nodes)))
    wanted = {place for place, tensor in tensors.items() if tensor.flags & EXTERNAL_OUTPUT}
    alive: set[int] = set()
    for index in reversed(range(len(nodes))):
        makes = {numbers.get(n) for n in _ids(nodes[index], "output", True, None)}
        if not wanted.isdisjoint(makes):
            alive.add(index)
            parts = _PARTS.get(names.get(nodes[index].xnode_union_type, ""))
            reads = (numbers.get(n) for n in _ids(nodes[index], "output", False, parts))
            wanted.update(place for place in reads if place is not None)
    return alive


def dropped_conversions(graph: Graph) -> set[int]:
    """Conversions for layers alone, which quantise what they take themselves.

    Source: XNNPACK's src/subgraph.c (xnn_subgraph_optimize_packed_lhs).
    """
    numbers, tensors = places(graph)
    names, nodes = operator_names(), graph.xnodes or ()
    layers, others = set[int | None](), set[int | None]()
    for node in nodes:
        if not isinstance(node.xnode_union, Record):
            return set()
        name = names.get(node.xnode_union_type, "")
        for field, number in _named_ids(node, "output", False, _PARTS.get(name)):
            packs = name in _LAYERS and field == "input1_id"
            (layers if packs else others).add(numbers.get(number))
    return {
        index
        for index, node in enumerate(nodes)
        if names.get(node.xnode_union_type) == "XNNConvert"
        for place in map(numbers.get, _ids(node, "output", True, None))
        if place is not None
        and place in layers - others
        and tensors[place].datatype == Dtype.QDINT8
    }


def merged_reshapes(graph: Graph) -> set[int]:
    """Reshapes that another one alone takes up: XNNPACK keeps that one, and does not ask the first.

    Not those without a size to infer before one with: what is inferred comes from the first then.
    Source: XNNPACK's src/subgraph.c (optimize_common_subgraphs_merge_reshapes).
    """
    found = set()
    for index, user in _only_users(graph, Reshape).items():
        first, second = (
            (graph.xnodes or ())[index].xnode_union,
            (graph.xnodes or ())[user].xnode_union,
        )
        if isinstance(first, Reshape) and isinstance(second, Reshape):
            infers = 0 in (second.new_shape or ())
            if not infers or 0 in (first.new_shape or ()):
                found.add(index)
    return found


def transposed_factors(graph: Graph) -> dict[int, int]:
    """Matrix products of what a transposition makes for them: the id of what is transposed.

    XNNPACK skips a transposition of the last two dimensions, and multiplies the other way round
    (src/subgraph.c: optimize_common_subgraphs_gemm_rhs_transpose).
    """
    names, nodes, found = operator_names(), graph.xnodes or (), dict[int, int]()
    for index, user in _only_users(graph, Transpose).items():
        content, product = nodes[index].xnode_union, nodes[user].xnode_union
        if not isinstance(content, Transpose) or not isinstance(product, Node2x1):
            continue
        order, is_product = content.perm or (), names.get(nodes[user].xnode_union_type) == _PRODUCT
        swapped = (*range(len(order) - 2), len(order) - 1, len(order) - 2)
        if is_product and order == swapped and product.input2_id == content.output_id:
            found[user] = content.input_id
    return found


def misread_transpositions(graph: Graph) -> set[int]:
    """Matrix products of what a transposition of fewer than two dimensions makes for them.

    What is looked for when they are joined, the order of the last two dimensions, is not there.
    """
    nodes, names, found = graph.xnodes or (), operator_names(), set[int]()
    for index, user in _only_users(graph, Transpose).items():
        content, name = nodes[index].xnode_union, names.get(nodes[user].xnode_union_type)
        if isinstance(content, Transpose) and name == _PRODUCT and len(content.perm or ()) < 2:
            factor = getattr(nodes[user].xnode_union, "input2_id", NO_ID)
            if factor == content.output_id:
                found.add(user)
    return found


def _only_users(graph: Graph, kind: type) -> dict[int, int]:
    """Live nodes of a kind whose result stays inside and has one use: the node that uses it."""
    numbers, tensors = places(graph)
    alive, nodes = live_nodes(graph), graph.xnodes or ()
    users, makers = dict[int | None, list[int]](), dict[int | None, int]()
    if any(not isinstance(node.xnode_union, Record) for node in nodes):
        return {}
    for index in sorted(alive):
        for number in read_ids(nodes[index]):
            users.setdefault(numbers.get(number), []).append(index)
        if isinstance(nodes[index].xnode_union, kind):
            for number in _ids(nodes[index], "output", True, None):
                makers[numbers.get(number)] = index
    return {
        index: users[place][0]
        for place, index in makers.items()
        if place is not None and not tensors[place].flags and len(users.get(place, ())) == 1
    }


def written(graph: Graph) -> set[int]:
    """The ids of the values that nodes write."""
    return {
        number
        for node in graph.xnodes or ()
        if isinstance(node.xnode_union, Record)
        for number in _ids(node, "output", True, None)
    }


def read_ids(node: Node) -> Iterator[int]:
    """The ids of the values that a node reads."""
    return _ids(node, "output", False, _PARTS.get(operator_names().get(node.xnode_union_type, "")))


def writes_over_itself(graph: Graph) -> bool:
    """Whether a node has an input and an output in one place."""
    numbers, _ = places(graph)
    names = operator_names()
    for node in graph.xnodes or ():
        if isinstance(node.xnode_union, Record):
            parts = _PARTS.get(names.get(node.xnode_union_type, ""))
            reads = {numbers.get(n, n) for n in _ids(node, "output", False, parts)}
            if reads & {numbers.get(n, n) for n in _ids(node, "output", True, None)}:
                return True
    return False


def _argument(tensor: TensorValue) -> int | None:
    return tensor.external_id if tensor.external_id != NO_ID else None


def _ids(node: Node, role: str, wanted: bool, parts: tuple[str, ...] | None) -> Iterator[int]:
    return (number for _, number in _named_ids(node, role, wanted, parts))


def _named_ids(
    node: Node, role: str, wanted: bool, parts: tuple[str, ...] | None
) -> Iterator[tuple[str, int]]:
    content = node.xnode_union
    assert isinstance(content, Record)
    for name in parts or type(content).__match_args__:
        if name.endswith("_id") and name.startswith(role) is wanted:
            number = getattr(content, name)
            if number != NO_ID:
                yield name, int(number)
