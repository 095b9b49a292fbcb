"""Which nodes of an XNNPACK graph the backend and XNNPACK refuse to define.

Facts: backends/xnnpack/runtime/XNNCompiler.cpp (the define*Node functions), and XNNPACK's
src/subgraph/*.c (the xnn_define_* functions) and, for element types that no kernel takes, the
create functions that xnn_create_runtime calls: src/operators/unary-elementwise-nc.c and
binary-elementwise-nd.c, which fall back to src/reference on every platform.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

from pte_lint.schema.xnnpack_graph import Node
from pte_lint.schema.xnnpack_layers import convolution, depthwise, fully_connected, transposed
from pte_lint.schema.xnnpack_refusals import (
    ANY,
    BF16,
    F16,
    F32,
    Q8,
    QB4,
    QC4,
    QC8,
    QD8,
    QU8,
    REAL,
    TRANSIENT,
    RefusedNodeError,
    UnknownNodeError,
    Values,
    check_flags,
    check_limits,
    check_padding,
    need,
    types,
)
from pte_lint.schema.xnnpack_values import MAX_DIMS, MISREADS, Defined, Dtype

_LEGACY: Final = 4
_ALIGNED: Final = 8

_PACKED = {Dtype.INVALID, Dtype.PFP32, QB4, QC4, Dtype.QPINT8}
"""Types whose elements have no address of their own."""


def check_node(name: str, node: Node, values: Values) -> None:
    """Passes where a node is defined and its operator created.

    Args:
        name: Its name in XNodeUnion.
        node: The node, with content.
        values: The values.

    Raises:
        RefusedNodeError: It is not.
        UnknownNodeError: It may not be.
    """
    check = _CHECKS.get(name)
    if check is None:
        raise UnknownNodeError
    check(node, node.xnode_union, values)


def _unary(kinds: set[Dtype]) -> Callable[[Node, Any, Values], None]:
    def check(node: Node, content: Any, values: Values) -> None:
        values.mapped(content.input_id, content.output_id)
        source = values.get(content.input_id, "input")
        made = values.get(content.output_id, "output")
        if {source.dtype, made.dtype} == {F32, BF16}:
            raise UnknownNodeError  # Some operators convert on the way.
        is_taken = source.dtype == made.dtype and source.dtype in kinds
        need(is_taken, f"has no kernel for {types(source, made)}", is_late=True)

    return check


def _clamp(node: Node, content: Any, values: Values) -> None:
    """One without limits is left out, or copies (optimize_common_subgraphs_spurious_clamps)."""
    limits = node.output_min_max
    if limits is not None and (limits.output_min != -inf or limits.output_max != inf):
        _unary(ANY)(node, content, values)
        return
    values.mapped(content.input_id, content.output_id)
    source, made = values.get(content.input_id, "input"), values.get(content.output_id, "output")
    if source.dtype != made.dtype:
        message = f"has no limits and is left out, although it changes {types(source, made)}"
        raise RefusedNodeError(message, MISREADS, is_late=True)
    if source.dtype not in ANY:
        raise UnknownNodeError


def _convert(node: Node, content: Any, values: Values) -> None:
    values.mapped(content.input_id, content.output_id)
    source, made = values.get(content.input_id, "input"), values.get(content.output_id, "output")
    if made.dtype is QD8 and source.dtype in (F32, F16):
        return
    if made.dtype is QD8 and source.dtype is BF16:
        raise UnknownNodeError
    if made.dtype is QD8 and (source.dtype is Dtype.PFP32 or source is made):
        raise UnknownNodeError  # No operator is made where a layer packs what it is given itself.
    if source.dtype is Q8 and made.dtype is QC8:
        raise UnknownNodeError
    is_taken = source.dtype in ANY and made.dtype in ANY
    need(is_taken, f"has no kernel for {types(source, made)}", is_late=True)


def _binary(kinds: set[Dtype]) -> Callable[[Node, Any, Values], None]:
    def check(node: Node, content: Any, values: Values) -> None:
        values.mapped(content.input1_id, content.input2_id, content.output_id)
        left = values.get(content.input1_id, "first input")
        right = values.get(content.input2_id, "second input")
        made = values.get(content.output_id, "output")
        why = f"has no kernel for {types(left, right, made)}"
        need(left.dtype == right.dtype == made.dtype, why)
        need(left.dtype in kinds, why, is_late=True)

    return check


def _softmax(node: Node, content: Any, values: Values) -> None:
    values.mapped(content.input_id, content.output_id)
    source, made = values.get(content.input_id, "input"), values.get(content.output_id, "output")
    is_taken = source.dtype in (F16, F32) and made.dtype == source.dtype
    need(is_taken, f"has no kernel for {types(source, made)}")
    if source.dtype is F16:
        raise UnknownNodeError


def _copied(source: Defined, made: Defined) -> None:
    """What all nodes that move elements want of an input and the output."""
    need(source.dtype not in _PACKED, f"moves elements of type {source.dtype.name.lower()}")
    need(source.dtype == made.dtype, f"moves elements of {types(source, made)}")
    _same_quantization(source, made)


def _same_quantization(source: Defined, made: Defined) -> None:
    if made.dtype in (Q8, QU8):
        need(
            source.zero_point == made.zero_point and source.scale == made.scale,
            "has an input and an output of different scales or zero points",
        )


def _moved(before: Callable[[Any], None]) -> Callable[[Node, Any, Values], None]:
    def check(node: Node, content: Any, values: Values) -> None:
        before(content)
        values.mapped(content.input_id, content.output_id)
        source = values.get(content.input_id, "input")
        made = values.get(content.output_id, "output")
        _copied(source, made)

    return check


def _given(*lists: tuple[int, ...] | None) -> None:
    if any(each is None for each in lists):
        raise RefusedNodeError("lacks a list of numbers", "InvalidProgram", "1.3")


def _reshape(content: Any) -> None:
    _given(content.new_shape)
    need(len(content.new_shape) <= MAX_DIMS, f"makes {len(content.new_shape)} dimensions")


def _transpose(content: Any) -> None:
    _given(content.perm)
    order = content.perm
    need(0 < len(order) <= MAX_DIMS, f"orders {len(order)} dimensions")
    need(sorted(order) == list(range(len(order))), f"has no order of dimensions: {list(order)}")


def _slice(content: Any) -> None:
    _given(content.offsets, content.sizes)
    if len(content.offsets) != len(content.sizes):
        raise RefusedNodeError("has lists of different lengths", "InvalidProgram", "1.3")
    need(len(content.offsets) <= MAX_DIMS, f"cuts {len(content.offsets)} dimensions")


def _pad(node: Node, content: Any, values: Values) -> None:
    _given(content.pre_paddings, content.post_paddings)
    values.mapped(content.input_id, content.output_id)
    source, made = values.get(content.input_id, "input"), values.get(content.output_id, "output")
    if min(len(content.pre_paddings), len(content.post_paddings)) < len(source.sizes):
        have = min(len(content.pre_paddings), len(content.post_paddings))
        message = f"takes {len(source.sizes)} paddings, and has {have}"
        raise RefusedNodeError(message, MISREADS)
    _copied(source, made)


def _concatenate(count: int) -> Callable[[Node, Any, Values], None]:
    def check(node: Node, content: Any, values: Values) -> None:
        numbers = (
            content.input1_id, content.input2_id, content.input3_id, content.input4_id,
            content.input5_id,
        )[:count]  # fmt: skip
        values.mapped(*numbers, content.output_id)
        made = values.get(content.output_id, "output")
        for number in numbers:
            source = values.get(number, "input")
            need(source.dtype == made.dtype, f"moves elements of {types(source, made)}")
            _same_quantization(source, made)
        if made.dtype in _PACKED:
            raise UnknownNodeError

    return check


def _resize(node: Node, content: Any, values: Values) -> None:
    values.mapped(content.input_id, content.output_id)
    height, width = content.new_height, content.new_width
    need(min(height, width) > 0 and max(height, width) < 1 << 24, f"makes {height} x {width}")
    check_flags(content.flags, _LEGACY | _ALIGNED | TRANSIENT)
    both = _LEGACY | _ALIGNED
    need(content.flags & both != both, "has flags that exclude each other")
    source, made = values.get(content.input_id, "input"), values.get(content.output_id, "output")
    kinds = (F32, F16, Q8, QU8)
    is_taken = source.dtype in kinds and made.dtype in kinds
    need(is_taken, f"has no kernel for {types(source, made)}")
    _same_quantization(source, made)
    if source.dtype != made.dtype or source.dtype is F16:
        raise UnknownNodeError


def _pooling(kinds: tuple[Dtype, ...], *, is_maximum: bool) -> Callable[[Node, Any, Values], None]:
    def check(node: Node, content: Any, values: Values) -> None:
        values.mapped(content.input_id, content.output_id)
        area = content.pooling_height * content.pooling_width % (1 << 32)
        need(area != 0, "has a window of no size")
        need(content.stride_height * content.stride_width != 0, "has steps of 0")
        if is_maximum:
            need(content.dilation_height * content.dilation_width != 0, "has a dilation of 0")
        check_limits(node)
        check_padding(content)
        source = values.get(content.input_id, "input")
        made = values.get(content.output_id, "output")
        is_taken = source.dtype in kinds and made.dtype in kinds
        need(is_taken, f"has no kernel for {types(source, made)}")
        if is_maximum:
            need(source.dtype == made.dtype, f"has no kernel for {types(source, made)}")
            _same_quantization(source, made)
        if source.dtype != made.dtype or source.dtype is F16:
            raise UnknownNodeError
        limits = node.output_min_max
        if limits is not None and not limits.output_min < limits.output_max:
            raise UnknownNodeError
        if is_maximum and source.dtype is not F32:
            raise UnknownNodeError

    return check


def _largest(node: Node, content: Any, values: Values) -> None:
    """A pooling that tells where the largest elements were."""
    numbers = content.input_id, content.output_value_id, content.output_index_id
    values.mapped(*numbers)
    area = content.pooling_height * content.pooling_width % (1 << 32)
    need(area != 0, "has a window of no size")
    source, made = values.get(numbers[0], "input"), values.get(numbers[1], "output")
    values.get(numbers[2], "second output")
    need(source.dtype is made.dtype is F32, f"has no kernel for {types(source, made)}")


def _global_average(node: Node, content: Any, values: Values) -> None:
    values.mapped(content.input_id, content.output_id)
    source = values.get(content.input_id, "input")
    kinds = (F32, F16, Q8, QU8)
    need(source.dtype in kinds, f"has no kernel for {source.dtype.name.lower()}")
    made = values.get(content.output_id, "output")
    limits = node.output_min_max
    if limits is not None and (limits.output_min > -inf or limits.output_max < inf):
        # The mean is cut by an operator of its own, of the output's element type.
        need(made.dtype in ANY, f"has no kernel for {made.dtype.name.lower()}", is_late=True)
    if source.dtype is not F32 or made.dtype is not F32 or len(source.sizes) < 3:
        raise UnknownNodeError
    if limits is not None and not limits.output_min < limits.output_max:
        raise UnknownNodeError


_MATRICES: Final = {
    (BF16, BF16, F32), (F16, F16, F16), (F32, F32, F32), (QD8, QC8, F32), (F32, QC8, F32),
    (Q8, Q8, Q8),
}  # fmt: skip
"""First input, second input and output of a matrix product."""


def check_factor(right: Defined) -> None:
    """Raises `RefusedNodeError` for a constant that no matrix product multiplies with."""
    if right.is_static:
        rank = len(right.sizes)
        need(rank >= 2, f"multiplies with a constant of {rank} dimensions", is_late=True)


def _matrix_product(node: Node, content: Any, values: Values) -> None:
    values.mapped(content.input1_id, content.input2_id, content.output_id)
    left = values.get(content.input1_id, "first input")
    right = values.get(content.input2_id, "second input")
    made = values.get(content.output_id, "output")
    is_taken = (left.dtype, right.dtype, made.dtype) in _MATRICES
    need(is_taken, f"has no kernel for {types(left, right, made)}")
    check_factor(right)
    if (left.dtype, right.dtype, made.dtype) != (F32, F32, F32):
        raise UnknownNodeError


_UNARY = (
    "Ceiling", "ELU", "Exp", "Floor", "Gelu", "Hardswish", "LeakyReLU", "Log", "Sigmoid",
    "SquareRoot", "ReciprocalSquareRoot", "Tanh", "Cos", "Sin",
)  # fmt: skip
_WHOLE_TOO = ("Abs", "Negate", "Square")
_BINARY = ("Add", "Subtract", "Multiply", "Div", "Minimum", "Maximum")

_CHECKS: Final[Mapping[str, Callable[[Node, Any, Values], None]]] = {
    **{f"XNN{name}": _unary(REAL) for name in _UNARY},
    **{f"XNN{name}": _unary(ANY) for name in _WHOLE_TOO},
    **{f"XNN{name}": _binary(ANY) for name in _BINARY},
    **{f"XNNConcatenate{count}": _concatenate(count) for count in (2, 3, 4, 5)},
    "XNNClamp": _clamp,
    "XNNPReLU": _binary(REAL),
    "XNNConvert": _convert,
    "XNNSoftmax": _softmax,
    "XNNCopy": _moved(lambda content: None),
    "XNNStaticReshape": _moved(_reshape),
    "XNNStaticTranspose": _moved(_transpose),
    "XNNStaticSlice": _moved(_slice),
    "XNNStaticConstantPad": _pad,
    "XNNStaticResizeBilinear2D": _resize,
    "XNNMaxPooling2d": _pooling((F32, F16, Q8, QU8), is_maximum=True),
    "XNNArgMaxPooling2d": _largest,
    "XNNAvgPooling2d": _pooling((F32, F16), is_maximum=False),
    "XNNGlobalAvgPooling2d": _global_average,
    "XNNBatchMatrixMultiply": _matrix_product,
    "XNNFullyConnected": fully_connected,
    "XNNConv2d": convolution,
    "XNNDepthwiseConv2d": depthwise,
    "XNNConvTranspose2d": transposed,
}
