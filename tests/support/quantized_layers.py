"""XNNPACK graphs of two linear layers, quantised or not, and a third layer on the host."""

from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.xnnpack_seeds import GraphBuilder

FP32, QCINT8 = 1, 6
WIDTH = 16
_ELEMENTS = WIDTH * WIDTH


def two_layers(second: int, first: int = QCINT8, *, host: str = "") -> bytes:
    """A program of two layers of 16 x 16 with weights of these types.

    Args:
        second: the type of the second layer's weight.
        first: of the first one's.
        host: the element type of a third weight, which a kernel takes; none if empty.
    """
    graph = GraphBuilder()
    taken, given = graph.external(1, (1, WIDTH)), graph.external(2, (1, WIDTH))
    middle = graph.value((1, WIDTH))
    _layer(graph, first, taken, middle)
    _layer(graph, second, middle, given)
    b = MethodBuilder()
    (x,) = b.delegate("XnnpackBackend", [b.input((1, WIDTH))], [(1, WIDTH)], blob=graph.blob())
    if host:
        weight = b.constant([n % 7 for n in range(_ELEMENTS)], (WIDTH, WIDTH), host)
        turned = b.call(
            "aten::permute_copy.out", weight, b.ints((1, 0)), out=(WIDTH, WIDTH), dtype=host
        )
        x = b.call("aten::mm.out", x, turned, out=(1, WIDTH))
    b.output(x)
    return build_program(b).bytes()


def _layer(graph: GraphBuilder, kind: int, source: int, result: int) -> None:
    """One layer; a quantised one quantises its input as it runs."""
    bias = graph.constant((WIDTH,))
    if kind == FP32:
        weight = graph.constant((WIDTH, WIDTH))
    else:
        weight = graph.constant((WIDTH, WIDTH), kind, bytes(n % 7 for n in range(_ELEMENTS)))
        graph.quantize(weight, 1, scale=[0.5] * WIDTH, channel_dim=0)
        quantised = graph.value((1, WIDTH), 9)
        graph.quantize(quantised, 3, num_nonbatch_dims=1)
        graph.node("Convert", input_id=source, output_id=quantised)
        source = quantised
    ids = {"input1_id": source, "filter_id": weight, "bias_id": bias, "output_id": result}
    graph.node("FullyConnected", **ids)
