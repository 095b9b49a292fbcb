"""Programs with one XNNPACK delegate each, for every kind of node that the backend defines."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pte_lint.schema.fbs import layout

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.schema.layout_writer import write_document

NO_ID = 0xFFFFFFFF
_NHWC = (0, 2, 3, 1)
_QUANTIZED = {"qint8": 3, "quint8": 4, "qint32": 5}


@dataclass
class GraphBuilder:
    """Values, nodes and constants of a graph in the making; sizes are in memory order."""

    values: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    constants: bytearray = field(default_factory=bytearray)
    places: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    externals: int = 0

    def value(self, sizes: Sequence[int], dtype: int = 1, **fields: Any) -> int:
        """Adds a value; returns its id."""
        number = len(self.values)
        tensor = {"datatype": dtype, "num_dims": len(sizes), "dims": list(sizes)}
        tensor |= {"external_id": NO_ID, "id_out": number, **fields}
        self.values.append({"xvalue_union_type": 1, "xvalue_union": tensor})
        return number

    def external(self, flag: int, sizes: Sequence[int], dtype: int = 1) -> int:
        """Adds an input (1) or output (2)."""
        number = self.value(sizes, dtype, external_id=self.externals, flags=flag)
        self.externals += 1
        return number

    def constant(self, sizes: Sequence[int], dtype: int = 1, content: bytes = b"") -> int:
        """Adds a constant of small numbers."""
        count = 1
        for size in sizes:
            count *= size
        content = content or struct.pack(f"<{count}f", *(0.1 * (n % 7) for n in range(count)))
        self.constants += bytes(-len(self.constants) % 16)
        self.places.append({"offset": len(self.constants), "size": len(content)})
        self.constants += content
        return self.value(sizes, dtype, constant_buffer_idx=len(self.places) - 1)

    def quantize(self, number: int, kind: int, **params: Any) -> None:
        """Gives a value quantisation parameters of a kind of XNNQuantParams."""
        content = self.values[number]["xvalue_union"]
        self.values[number] = {
            "xvalue_union_type": 2,
            "xvalue_union": {
                "tensor_value": content, "quant_params_type": kind, "quant_params": params,
            },
        }  # fmt: skip

    def node(self, name: str, **fields: Any) -> None:
        """Adds a node by its name in XNodeUnion, without XNN."""
        unions = layout("xnnpack").unions["XNodeUnion"]
        names = {**unions, **layout("xnnpack").union_names["XNodeUnion"]}
        code = next(code for code, each in names.items() if each == f"XNN{name}")
        limits = {"output_min": -3e38, "output_max": 3e38}
        self.nodes.append(
            {"xnode_union_type": code, "xnode_union": fields, "output_min_max": limits}
            if fields.pop("limited", False)
            else {"xnode_union_type": code, "xnode_union": fields}
        )

    def blob(self) -> bytes:
        """The blob with its header."""
        content = {
            "version": "0", "xnodes": self.nodes, "xvalues": self.values,
            "num_externs": self.externals, "constant_data": self.places,
        }  # fmt: skip
        document = write_document(layout("xnnpack"), content, b"XN01")
        document += bytes(-len(document) % 16)
        at = 32 + len(document)
        head = struct.pack(
            "<4s4sHIIIQ", b"", b"XH00", 30, 32, len(document), at, len(self.constants)
        )
        return head + bytes(2) + document + bytes(self.constants) + bytes(32)


_UNARY = (
    "Softmax", "Sigmoid", "Clamp", "Floor", "SquareRoot", "Ceiling", "Hardswish", "Negate",
    "Square", "Abs", "ReciprocalSquareRoot", "Log", "Gelu", "Tanh", "Exp", "Sin", "Cos", "Copy",
)  # fmt: skip
_BINARY = ("Add", "Div", "Minimum", "Multiply", "Subtract", "Maximum")
_WINDOW = {
    "kernel_height": 3, "kernel_width": 3, "subsampling_height": 1, "subsampling_width": 1,
    "dilation_height": 1, "dilation_width": 1, "padding_top": 1, "padding_left": 1,
    "padding_bottom": 1, "padding_right": 1,
}  # fmt: skip
_POOL = {
    "pooling_height": 2, "pooling_width": 2, "stride_height": 2, "stride_width": 2,
    "dilation_height": 1, "dilation_width": 1,
}  # fmt: skip


def node_programs() -> Iterator[tuple[str, bytes]]:
    """Yields a name and a program for every kind of node, and for quantised layers."""
    for name in _UNARY:
        yield name, _unary(name, (2, 3, 4), (2, 3, 4))
    yield "ELU", _unary("ELU", (2, 3), (2, 3), alpha=1.0)
    yield "LeakyReLU", _unary("LeakyReLU", (2, 3), (2, 3), negative_slope=0.1)
    for name in _BINARY:
        yield name, _binary(name, (2, 3), (1, 3), (2, 3))
    yield "PReLU", _prelu()
    yield "BatchMatrixMultiply", _binary("BatchMatrixMultiply", (2, 3, 4), (2, 4, 5), (2, 3, 5))
    reshape = {"num_dims": 2, "new_shape": [0, 4]}
    yield "StaticReshape", _unary("StaticReshape", (2, 3, 4), (6, 4), **reshape)
    transpose = {"num_dims": 3, "perm": [2, 0, 1]}
    yield "StaticTranspose", _unary("StaticTranspose", (2, 3, 4), (4, 2, 3), **transpose)
    cut = {"num_dims": 2, "offsets": [0, 1], "sizes": [2, 2]}
    yield "StaticSlice", _unary("StaticSlice", (2, 4), (2, 2), **cut)
    pad = {"pre_paddings": [0, 1], "post_paddings": [1, 0], "padding_value": 0.5}
    yield "StaticConstantPad", _unary("StaticConstantPad", (2, 4), (3, 5), **pad)
    resize = {"new_height": 6, "new_width": 8}
    yield "Resize", _image("StaticResizeBilinear2D", (1, 3, 4, 2), (1, 6, 8, 2), **resize)
    for pooling in ("MaxPooling2d", "AvgPooling2d"):
        yield pooling, _image(pooling, (1, 4, 4, 2), (1, 2, 2, 2), **_POOL)
        one = {**_POOL, "pooling_height": 1, "pooling_width": 1}
        yield f"{pooling} of one element", _image(pooling, (1, 4, 4, 2), (1, 2, 2, 2), **one)
    yield "GlobalAvgPooling2d", _image("GlobalAvgPooling2d", (1, 4, 4, 2), (1, 1, 1, 2), flags=0x40)
    for count in (2, 3, 4, 5):
        yield f"Concatenate{count}", _concatenate(count)
    yield "FullyConnected", _layer(1, 1)
    yield "Conv2d", _convolution("Conv2d", (4, 3, 3, 2), 2, 4, 1)
    yield "DepthwiseConv2d", _convolution("DepthwiseConv2d", (1, 3, 3, 2), 1, 1, 2)
    yield "ConvTranspose2d", _convolution("ConvTranspose2d", (4, 3, 3, 2), 2, 4, 1)
    yield "Convert", _quantized()
    yield "dynamically quantised FullyConnected", _dynamically_quantized()


def graph_program(
    graph: GraphBuilder, images: bool = False, named_data: Mapping[str, bytes] | None = None
) -> bytes:
    """A program that calls a graph with its inputs and outputs."""
    b = MethodBuilder()
    kept: Mapping[str, Any] = {"dim_order": _NHWC} if images else {}
    inputs, outputs = [], []
    for value in graph.values:
        content = value["xvalue_union"]
        tensor = content.get("tensor_value", content)
        sizes = tensor["dims"]
        if images and tensor.get("flags"):
            sizes = [sizes[0], sizes[3], sizes[1], sizes[2]]
        if tensor.get("flags") == 1:
            inputs.append(b.input(sizes, **kept))
        elif tensor.get("flags") == 2:
            outputs.append(b.tensor(sizes, **kept))
    for made in b.delegate("XnnpackBackend", inputs, outputs, blob=graph.blob()):
        b.output(made)
    return build_program(b, named_data=named_data).bytes()


def _unary(name: str, source: Sequence[int], result: Sequence[int], **fields: Any) -> bytes:
    g = GraphBuilder()
    given, made = g.external(1, source), g.external(2, result)
    g.node(name, input_id=given, output_id=made, limited=name == "Clamp", **fields)
    return graph_program(g)


def _image(name: str, source: Sequence[int], result: Sequence[int], **fields: Any) -> bytes:
    g = GraphBuilder()
    given, made = g.external(1, source), g.external(2, result)
    g.node(name, input_id=given, output_id=made, limited=True, **fields)
    return graph_program(g, images=True)


def _binary(name: str, left: Sequence[int], right: Sequence[int], made: Sequence[int]) -> bytes:
    g = GraphBuilder()
    one, other, result = g.external(1, left), g.external(1, right), g.external(2, made)
    limited = name in ("Add", "Div", "Multiply", "Subtract")
    g.node(name, input1_id=one, input2_id=other, output_id=result, limited=limited)
    return graph_program(g)


def _prelu() -> bytes:
    g = GraphBuilder()
    # No constant: it would be freed before it is read.
    given, slope, made = g.external(1, (2, 3)), g.external(1, (3,)), g.external(2, (2, 3))
    g.node("PReLU", input1_id=given, input2_id=slope, output_id=made)
    return graph_program(g)


def _concatenate(count: int) -> bytes:
    g = GraphBuilder()
    parts = [g.external(1, (2, n + 1)) for n in range(count)]
    made = g.external(2, (2, count * (count + 1) // 2))
    named = {f"input{n + 1}_id": part for n, part in enumerate(parts)}
    g.node(f"Concatenate{count}", axis=1, output_id=made, **named)
    return graph_program(g)


def _layer(dtype: int, made_type: int) -> bytes:
    g = GraphBuilder()
    given, made = g.external(1, (2, 4), dtype), g.external(2, (2, 3), made_type)
    weight, bias = g.constant((3, 4)), g.constant((3,))
    g.node(
        "FullyConnected", input1_id=given, filter_id=weight, bias_id=bias, output_id=made,
        limited=True,
    )  # fmt: skip
    return graph_program(g)


def _convolution(name: str, kernel: Sequence[int], ins: int, outs: int, groups: int) -> bytes:
    g = GraphBuilder()
    channels = outs * groups
    given, made = g.external(1, (1, 5, 5, ins * groups)), g.external(2, (1, 5, 5, channels))
    weight, bias = g.constant(kernel), g.constant((channels,))
    g.node(
        name, input1_id=given, filter_id=weight, bias_id=bias, output_id=made, groups=groups,
        group_input_channels=ins, group_output_channels=outs, limited=True, **_WINDOW,
    )  # fmt: skip
    return graph_program(g, images=True)


def _quantized() -> bytes:
    """A layer in 8 bits between two conversions."""
    g = GraphBuilder()
    given, made = g.external(1, (2, 4)), g.external(2, (2, 3))
    source, result = g.value((2, 4), 3), g.value((2, 3), 3)
    for number in (source, result):
        g.quantize(number, 2, scale=0.05, zero_point=3)
    weight, bias = g.constant((3, 4), 6, bytes(range(12))), g.constant((3,), 7, bytes(12))
    g.quantize(weight, 1, scale=[0.1, 0.2, 0.3], channel_dim=0)
    g.quantize(bias, 1, scale=[0.005, 0.01, 0.015], channel_dim=0)
    g.node("Convert", input_id=given, output_id=source)
    g.node("FullyConnected", input1_id=source, filter_id=weight, bias_id=bias, output_id=result)
    g.node("Convert", input_id=result, output_id=made)
    return graph_program(g)


def _dynamically_quantized() -> bytes:
    g = GraphBuilder()
    given, made = g.external(1, (2, 4)), g.external(2, (2, 3))
    source = g.value((2, 4), 9)
    g.quantize(source, 3, num_nonbatch_dims=1)
    weight, bias = g.constant((3, 4), 6, bytes(range(12))), g.constant((3,))
    g.quantize(weight, 1, scale=[0.1, 0.2, 0.3], channel_dim=0)
    g.node("Convert", input_id=given, output_id=source)
    g.node("FullyConnected", input1_id=source, filter_id=weight, bias_id=bias, output_id=made)
    return graph_program(g)
