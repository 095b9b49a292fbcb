"""What an XNNPACK graph computes: the graph that ran gives what was written, others do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pte_lint.schema.program import Span
from pte_lint.schema.xnnpack_graph import (
    Buffer,
    ConstantDataOffset,
    Graph,
    Node,
    PerChannelGroupQuant,
    PerChannelQuant,
    QuantizedTensorValue,
    operator_names,
    tensor_of,
)
from pte_lint.schema.xnnpack_values import Dtype

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder, went_through
from pte_lint.harness.recording import RecordedDelegate, RecordedTensor, Recording
from pte_lint.harness.reference.delegates import Delegates
from pte_lint.harness.reference.inputs import InputSet
from tests.support.look import DATA

CLEAN = DATA / "clean"


@dataclass(frozen=True)
class Run:
    """One delegate call of a file, and what computes it."""

    graph: Graph
    constants: Any
    args: list[tuple[Any, tuple[int, ...]]]


def recorded(name: str, which: int = 0) -> Run:
    """Runs a file on normal values; one delegate call of it."""
    torch = pytest.importorskip("torch")
    from pte_lint.harness.reference.operators import DTYPES
    from pte_lint.harness.reference.xnnpack.constants import Constants

    path = CLEAN / f"{name}.pte"
    with open_artifact(str(path), str(path)) as opened, Recording() as recording:
        context = open_context(opened, Target(), (), {})
        method, buffer = context.methods[0], path.read_bytes()
        recorder = Recorder(path, (), ProbeOptions(), recording)
        data = InputSet("", "normal values", {}).data(method)
        assert went_through(recorder.run(method, data, {}, 0))
        call = [r for r in recording.records() if isinstance(r, RecordedDelegate)][which]
        args: list[tuple[Any, tuple[int, ...]]] = []
        for each in call.args:
            assert isinstance(each, RecordedTensor)
            flat = torch.frombuffer(
                bytearray(recording.content(each) or b""), dtype=DTYPES[each.dtype]
            )
            in_memory = flat.reshape([each.sizes[d] for d in each.order])
            back = sorted(range(len(each.order)), key=each.order.__getitem__)
            args.append((in_memory.permute(back), each.order))
        facts = context.blobs[0][which].facts
        named = Delegates(context, Path())._named
        spans = {key: named.look_up(key).span for key in facts.named_keys}
        assert facts.graph is not None
        return Run(
            facts.graph,
            Constants(facts.graph, buffer, facts.graph_constants, spans),
            args,
        )


def judged(run: Run, graph: Graph | None = None, buffer: bytes | None = None) -> dict[str, Any]:
    from pte_lint.harness.reference.xnnpack.answer import judged as answered
    from pte_lint.harness.reference.xnnpack.evaluate import Evaluator

    constants = replace(
        run.constants, graph=graph or run.graph, buffer=buffer or run.constants.buffer
    )
    return answered(Evaluator(constants), run.args)


def with_node(graph: Graph, name: str, change: Callable[[Any], Any]) -> Graph:
    """The graph with its first node of a name changed."""
    names, nodes = operator_names(), list(graph.xnodes or ())
    at = next(n for n, node in enumerate(nodes) if names[node.xnode_union_type] == name)
    nodes[at] = replace(nodes[at], xnode_union=change(nodes[at].xnode_union))
    return replace(graph, xnodes=tuple(nodes))


def with_scale(graph: Graph, of: Callable[[QuantizedTensorValue], bool], times: float) -> Graph:
    """The graph with the first scale of such a value multiplied."""
    values = list(graph.xvalues or ())
    at = next(
        n
        for n, value in enumerate(values)
        if isinstance(value.xvalue_union, QuantizedTensorValue)
        and hasattr(value.xvalue_union.quant_params, "scale")
        and isinstance(value.xvalue_union.quant_params.scale, float)  # type: ignore[union-attr]
        and of(value.xvalue_union)
    )
    content: Any = values[at].xvalue_union
    params = replace(content.quant_params, scale=content.quant_params.scale * times)
    values[at] = replace(values[at], xvalue_union=replace(content, quant_params=params))
    return replace(graph, xvalues=tuple(values))


def is_bias(value: QuantizedTensorValue) -> bool:
    return value.tensor_value is not None and value.tensor_value.datatype == Dtype.QINT32


CHANGES: dict[str, tuple[str, int, Callable[[Graph], Graph]]] = {
    "another padding": (
        "xnnpack_images",
        0,
        lambda graph: with_node(
            graph,
            "XNNConv2d",
            lambda node: replace(
                node,
                padding_top=node.padding_top + 1,
                padding_bottom=node.padding_bottom - 1,
            ),
        ),
    ),
    "another filling": (
        "xnnpack_images",
        1,
        lambda graph: with_node(
            graph, "XNNStaticConstantPad", lambda node: replace(node, padding_value=0.625)
        ),
    ),
    "corners that are not aligned": (
        "xnnpack_images",
        1,
        lambda graph: with_node(
            graph, "XNNStaticResizeBilinear2D", lambda node: replace(node, flags=0)
        ),
    ),
    "parts in another order": (
        "xnnpack_images",
        1,
        lambda graph: with_node(
            graph,
            "XNNConcatenate3",
            lambda node: replace(node, input1_id=node.input2_id, input2_id=node.input1_id),
        ),
    ),
    "dimensions in another order": (
        "xnnpack_8_bits",
        0,
        lambda graph: with_node(
            graph, "XNNStaticTranspose", lambda node: replace(node, perm=(0, 3, 2, 1))
        ),
    ),
    "another activation": (
        "xnnpack_attention",
        0,
        lambda graph: replace(graph, xnodes=tuple(map(_sigmoid_for_gelu, graph.xnodes or ()))),
    ),
}


def _sigmoid_for_gelu(node: Node) -> Node:
    codes = {name: code for code, name in operator_names().items()}
    if node.xnode_union_type != codes["XNNGelu"]:
        return node
    return replace(node, xnode_union_type=codes["XNNSigmoid"])


@pytest.mark.runtime
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_another_graph_is_not_what_ran(probe: object, change: str) -> None:
    name, which, changed = CHANGES[change]
    run = recorded(name, which)
    assert judged(run) == {"status": "equal", "tells": True}
    told = judged(run, changed(run.graph))
    assert (told["status"], told["output"]) == ("differs", 0), told
    if "reason" not in told:
        assert told["max_absolute"] > 0
        assert told["max_relative"] > 0.001


def weights(run: Run) -> tuple[str, str | None]:
    """The keys of the last layer's weights, and of their scales where they are named too."""
    nodes = [n.xnode_union for n in run.graph.xnodes or () if hasattr(n.xnode_union, "filter_id")]
    wanted: Any = nodes[-1]
    entries = run.graph.constant_data or ()
    for value in run.graph.xvalues or ():
        tensor = tensor_of(value)
        if tensor is not None and tensor.id_out == wanted.filter_id:
            params = getattr(value.xvalue_union, "quant_params", None)
            at = getattr(params, "scale_buffer_idx", 0)
            key = entries[tensor.constant_buffer_idx].named_key
            assert key is not None
            return key, entries[at].named_key if at else None
    raise AssertionError


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("name", "byte"),
    [
        ("xnnpack_attention", 3),  # the exponent of the first number
        ("xnnpack_8_bits", 0),
        ("xnnpack_dynamic_8_bits", 0),
        ("xnnpack_4_bits", 0),
    ],
)
def test_another_weight_is_not_what_ran(probe: object, name: str, byte: int) -> None:
    run = recorded(name)
    key, scales = weights(run)
    changed = bytearray(run.constants.buffer)
    changed[run.constants.named[key].start + byte] ^= 0x44
    told = judged(run, buffer=bytes(changed))
    assert (told["status"], told["output"]) == ("differs", 0), told
    assert told["max_relative"] > 0.001
    if scales is not None:
        changed = bytearray(run.constants.buffer)
        at = run.constants.named[scales].start
        changed[at + 1] ^= 0x40  # of float32 part of the fraction, of bfloat16 of the exponent
        changed[at + 2] ^= 0x40
        assert judged(run, buffer=bytes(changed))["status"] == "differs"


@pytest.mark.runtime
def test_a_scale_that_nothing_reads_changes_nothing(probe: object) -> None:
    """XNNPACK adds whole biases as they are, whatever scale they have."""
    run = recorded("quantized_xnnpack")
    changed = with_scale(
        run.graph,
        lambda value: value.tensor_value is not None and value.tensor_value.datatype == 5,
        2,
    )
    assert changed != run.graph
    assert judged(run, changed)["status"] == "equal"


@pytest.mark.runtime
def test_nodes_that_are_not_known_are_said(probe: object) -> None:
    pytest.importorskip("torch")
    from pte_lint.harness.reference.xnnpack.constants import NotComputed

    run = recorded("mlp_xnnpack")
    codes = {name: code for code, name in operator_names().items()}
    nodes = tuple(
        replace(node, xnode_union_type=codes["XNNArgMaxPooling2d"])
        for node in run.graph.xnodes or ()
    )
    with pytest.raises(NotComputed, match="node type XNNArgMaxPooling2d"):
        judged(run, replace(run.graph, xnodes=nodes))


@pytest.mark.runtime
def test_every_node_that_the_backend_defines_is_known() -> None:
    pytest.importorskip("torch")
    from pte_lint.harness.reference.xnnpack.table import RULES

    left = set(operator_names().values()) - set(RULES)
    assert left == {"XNNArgMaxPooling2d", "XNNScaledDotProductAttention"}


def test_constants_are_found_wherever_they_are() -> None:
    from pte_lint.harness.reference.xnnpack.constants import Constants, NotComputed

    entries = (
        ConstantDataOffset(),
        ConstantDataOffset(offset=2, size=4),
        ConstantDataOffset(named_key="weights"),
        ConstantDataOffset(named_key="others"),
    )
    graph = Graph(constant_data=entries, constant_buffer=(Buffer(), Buffer(Span(8, 4))))
    content = bytes(range(16))
    found = Constants(graph, content, Span(4, 8), {"weights": Span(1, 3)})
    assert (found.data(1, 4), found.data(2, 3)) == (bytes([6, 7, 8, 9]), bytes([1, 2, 3]))
    for index, size in ((1, 7), (2, 4), (3, 1), (4, 1)):
        with pytest.raises(NotComputed):
            found.data(index, size)
    inline = replace(found, area=None)
    assert inline.data(1, 4) == bytes([8, 9, 10, 11])
    for index, size in ((0, 1), (1, 5), (2, 1)):
        with pytest.raises(NotComputed):
            inline.data(index, size)
    assert found.scales(PerChannelQuant(scale_buffer_idx=1), 1) == bytes([6, 7, 8, 9])
    assert found.scales(PerChannelQuant(scale=Span(0, 8)), 2) == content[:8]
    assert found.scales(PerChannelGroupQuant(scale_buffer_idx=2), 1) == bytes([1, 2])
    with pytest.raises(NotComputed):
        found.scales(PerChannelQuant(scale=Span(0, 8)), 3)
