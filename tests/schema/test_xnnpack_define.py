"""Graphs that the real backend refuses are refused, and all others are not."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from pte_lint.schema.delegates import BlobFacts, describe_blob
from pte_lint.schema.program import Span
from pte_lint.schema.xnnpack_flow import raw_constants

from pte_lint.harness.batch import run_batch
from tests.fuzz.comparison import Kind
from tests.fuzz.xnnpack_hunt import CHUNK, chunk
from tests.fuzz.xnnpack_seeds import NO_ID, GraphBuilder, node_programs
from tests.rules.checks import report
from tests.support.runtime import need_runtime


def describe(graph: GraphBuilder) -> BlobFacts:
    content = graph.blob()
    return describe_blob("XnnpackBackend", content, Span(0, len(content)))


def problems(graph: GraphBuilder) -> list[tuple[str, str | None]]:
    return [(each.message, each.error) for each in describe(graph).problems]


def test_every_kind_of_node_runs_and_has_no_finding() -> None:
    need_runtime()
    programs = list(node_programs())
    assert len(programs) > 45
    for (name, content), run in zip(
        programs, run_batch([content for _, content in programs]), strict=True
    ):
        assert (name, run.methods[0].runs[0].outcome) == (name, "ok")
        assert (name, report(content, "PTE4").findings) == (name, ())


def test_a_sample_of_mutants_agrees_with_the_backend(tmp_path: Path) -> None:
    need_runtime()
    lines = chunk(0, CHUNK, 302, tmp_path)
    assert [line for line in lines if Kind(line["kind"]).is_difference] == []
    assert sum(line["kind"] == "agree: bad" for line in lines) > CHUNK // 3
    assert sum(line["kind"] == "agree: runs" for line in lines) > CHUNK // 5


def quantized(
    dtype: int, kind: int, sizes: tuple[int, ...] = (2, 3), **params: object
) -> GraphBuilder:
    g = GraphBuilder()
    number = g.value(sizes, dtype)
    g.quantize(number, kind, **params)
    return g


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (quantized(3, 2, scale=0.0), "has the scale 0 (number 0), which is not finite"),
        (quantized(3, 2, scale=1.0, zero_point=128), "of type qint8 has the zero point 128"),
        (quantized(4, 2, scale=1.0, zero_point=-1), "of type quint8 has the zero point -1"),
        (quantized(1, 2, scale=1.0), "of type fp32 cannot be quantised"),
        (quantized(6, 1, scale=[1.0] * 2, channel_dim=2), "has scales for dimension 2 of 2"),
        (quantized(6, 1, scale=[1.0, -1.0], channel_dim=0), "has the scale -1 (number 1)"),
        (quantized(9, 3, num_nonbatch_dims=3), "is quantised over 3 of 2 dimensions"),
        (quantized(3, 3, num_nonbatch_dims=1), "of type qint8 is quantised when the graph runs"),
        (quantized(10, 4, scale=[1.0], group_size=3), "has 1 scales for 2 groups"),
        (
            quantized(10, 4, (6,), scale=[1.0], group_size=3),
            "has scales for groups, and 1 dimensions",
        ),
    ],
)
def test_quantisation_that_is_refused(graph: GraphBuilder, message: str) -> None:
    ((said, error),) = problems(graph)
    assert said.startswith(f"value 0 {message}")
    assert error == "Internal"


def test_scales_that_are_missing_are_read_from_elsewhere() -> None:
    (problem,) = describe(quantized(6, 1, scale=[1.0], channel_dim=0)).problems
    assert problem.message == "value 0 takes 2 scales, and has 1"
    assert (problem.error, problem.misreads) == (None, True)


@pytest.mark.parametrize("scale", [2.0, -2.0, float("nan")])
def test_scales_among_the_constants(scale: float) -> None:
    g = quantized(6, 1, scale_buffer_idx=1, channel_dim=0)
    g.constant((2,), content=struct.pack("<2f", 1.0, scale))
    told = f"value 0 has the scale {scale:g} (number 1), which is not finite, normal and positive"
    assert problems(g) == [(told, "Internal")] * (not scale > 0)


def test_groups_of_no_elements() -> None:
    (problem,) = describe(quantized(10, 4, scale=[1.0], group_size=0)).problems
    assert problem.message == "value 0 divides by the size of its groups, which is 0"
    assert (problem.error, problem.misreads) == (None, True)


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        (6, "wants a scale for each channel of its weights, which have one"),
        (8, "wants a scale for each channel of its weights, which have one"),
        (10, "divides by the size of groups, which its weights lack"),
    ],
)
def test_weights_with_one_scale_where_channels_have_their_own(dtype: int, message: str) -> None:
    g = GraphBuilder()
    source, made = g.value((2, 4), 9), g.external(2, (2, 3))
    g.quantize(source, 3, num_nonbatch_dims=1)
    weights = g.constant((3, 4), dtype, bytes(12))
    g.quantize(weights, 2, scale=0.5, zero_point=0)
    g.node("Convert", input_id=g.external(1, (2, 4)), output_id=source)
    g.node("FullyConnected", input1_id=source, filter_id=weights, bias_id=NO_ID, output_id=made)
    (problem,) = describe(g).problems
    assert problem.message == f"node 1, XNNFullyConnected, {message}"
    assert (problem.error, problem.misreads) == (None, True)


def test_good_quantisation() -> None:
    for graph in (
        quantized(3, 2, scale=0.5, zero_point=-128),
        quantized(6, 1, scale=[1.0, 2.0], channel_dim=0),
        quantized(9, 3, num_nonbatch_dims=1),
        quantized(10, 4, scale=[1.0, 2.0], group_size=3),
    ):
        assert problems(graph) == []


def test_types_without_parameters() -> None:
    g = GraphBuilder()
    g.value((2,), 3)
    assert problems(g) == [("value 0 of type qint8 has no quantisation parameters", "Internal")]


def test_a_node_of_a_value_that_is_not_there() -> None:
    g = GraphBuilder()
    g.value((2,))
    g.node("Abs", input_id=0, output_id=7)
    (problem,) = describe(g).problems
    assert problem.message == "node 0, XNNAbs, names value 7: there is none"
    assert (problem.error, problem.since) == ("Internal", "1.3")


def test_a_node_without_a_kernel() -> None:
    g = GraphBuilder()
    g.external(1, (2,), 12)
    g.external(2, (2,), 12)
    g.node("Sigmoid", input_id=0, output_id=1)
    assert problems(g) == [("node 0, XNNSigmoid, has no kernel for int32 and int32", "Internal")]


def test_no_operator_is_made_for_what_no_output_depends_on() -> None:
    g = GraphBuilder()
    g.external(1, (2,), 12)
    g.external(2, (2,), 12)
    g.value((2,), 12)
    g.node("Sigmoid", input_id=0, output_id=2)
    g.node("Copy", input_id=0, output_id=1)
    assert problems(g) == []


def test_what_a_layer_packs_itself_needs_no_kernel() -> None:
    """A conversion to its input's dynamic quantisation is dropped, and so is what it would lack."""
    for dtype, is_refused in ((1, False), (13, False), (12, True)):
        g = quantized(9, 3, num_nonbatch_dims=1)
        g.external(1, (2, 2), dtype)
        g.node("Convert", input_id=1, output_id=0)
        g.external(2, (2, 2))
        g.node("Abs", input_id=0, output_id=2)
        told = [message for message, _ in problems(g) if "Convert" in message]
        kernel = ["node 0, XNNConvert, has no kernel for int32 and qdint8"]
        assert told == kernel * is_refused


@pytest.mark.parametrize("extra", [False, True])
def test_layers_quantise_what_they_take_themselves(extra: bool) -> None:
    """A conversion that only layers use is dropped; one more user, and it needs a kernel."""
    g = GraphBuilder()
    source, made = g.value((2, 4), 9), g.external(2, (2, 3))
    g.quantize(source, 3, num_nonbatch_dims=1)
    weights = g.constant((3, 4), 6, bytes(12))
    g.quantize(weights, 1, scale=[0.5] * 3, channel_dim=0)
    g.node("Convert", input_id=g.external(1, (2, 4), 12), output_id=source)
    g.node("FullyConnected", input1_id=source, filter_id=weights, bias_id=NO_ID, output_id=made)
    if extra:
        g.node("Convert", input_id=source, output_id=g.external(2, (2, 4)))
    told = [message for message, _ in problems(g)]
    assert ("node 0, XNNConvert, has no kernel for int32 and qdint8" in told) is extra
    assert bool(told) is extra


def test_what_is_made_of_a_graph_that_does_not_flow_is_not_known() -> None:
    g = GraphBuilder()
    g.external(1, (2,), 12)
    g.external(2, (2,), 12)
    lost = g.value((2,), 12)
    g.node("Sigmoid", input_id=lost, output_id=1)
    assert problems(g) == []


@pytest.mark.parametrize(("dtype", "limited", "is_refused"), [
    (13, True, True), (13, False, False), (1, True, False),
])  # fmt: skip
def test_a_mean_is_cut_in_its_own_type(dtype: int, limited: bool, is_refused: bool) -> None:
    g = GraphBuilder()
    g.external(1, (1, 4, 4, 2))
    g.external(2, (1, 1, 1, 2), dtype)
    g.node("GlobalAvgPooling2d", input_id=0, output_id=1, limited=limited)
    refused = [("node 0, XNNGlobalAvgPooling2d, has no kernel for pfp32", "Internal")]
    assert problems(g) == refused * is_refused


def test_weights_without_dimensions() -> None:
    g = GraphBuilder()
    given, made = g.external(1, (1, 4, 4, 2)), g.external(2, (1, 4, 4, 3))
    weights = g.constant(())
    g.node(
        "Conv2d", input1_id=given, filter_id=weights, bias_id=NO_ID, output_id=made, groups=1,
        kernel_height=1, kernel_width=1, subsampling_height=1, subsampling_width=1,
        dilation_height=1, dilation_width=1, group_input_channels=2, group_output_channels=3,
    )  # fmt: skip
    assert problems(g) == [
        ("node 0, XNNConv2d, of 3 output channels has weights for 0", "Internal")
    ]


def product(rank: int, order: list[int] | None, *, used_twice: bool = False) -> GraphBuilder:
    """A matrix product with a constant, transposed first where an order is given."""
    g = GraphBuilder()
    source, made = g.external(1, (4, 4)), g.external(2, (4, 4))
    factor = g.constant((4,) * rank)
    if order is not None:
        turned = g.value((4,) * len(order))
        g.node(
            "StaticTranspose", num_dims=len(order), perm=order, input_id=factor, output_id=turned
        )
        if used_twice:
            g.node("Abs", input_id=turned, output_id=g.external(2, (4,) * len(order)))
        factor = turned
    g.node("BatchMatrixMultiply", input1_id=source, input2_id=factor, output_id=made)
    return g


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        (product(2, None), []),
        (product(1, None), ["multiplies with a constant of 1 dimensions"]),
        (product(2, [1, 0]), []),
        (product(1, [1, 0]), ["multiplies with a constant of 1 dimensions"]),
        (product(1, [1, 0], used_twice=True), []),
        (product(1, [0, 1]), []),
        (product(2, [0]), ["takes what a transposition of fewer than two dimensions makes"]),
    ],
)
def test_what_a_matrix_product_multiplies_with(graph: GraphBuilder, told: list[str]) -> None:
    """A transposition of the last two dimensions for it alone is skipped."""
    found = [message.split(", ", 2)[2] for message, _ in problems(graph)]
    assert found == told


def test_biases_are_packed_with_constant_weights_only() -> None:
    for weights, is_read in ((True, False), (False, True)):
        g = GraphBuilder()
        source, made = g.external(1, (4, 4)), g.external(2, (4, 4))
        kernel = g.constant((4, 4)) if weights else source
        bias = g.constant((4,))
        g.node("FullyConnected", input1_id=source, filter_id=kernel, bias_id=bias, output_id=made)
        graph = describe(g).graph
        assert graph is not None
        assert [(each.value, each.is_packed) for each in raw_constants(graph)] == (
            [(bias, True)] * is_read
        )


@pytest.mark.parametrize(
    ("limited", "told"),
    [
        (True, [("node 0, XNNClamp, has no kernel for fp32 and fp16", "Internal")]),
        (
            False,
            [
                (
                    "node 0, XNNClamp, has no limits and is left out, although it changes fp32 and "
                    "fp16",
                    None,
                )
            ],
        ),
    ],
)
def test_cuts_without_limits_are_left_out(
    limited: bool, told: list[tuple[str, str | None]]
) -> None:
    g = GraphBuilder()
    g.node("Clamp", input_id=g.external(1, (2,)), output_id=g.external(2, (2,), 2), limited=limited)
    assert problems(g) == told
