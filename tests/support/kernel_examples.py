"""Calls that work, of every operator whose kernel's checks are followed."""

from __future__ import annotations

from typing import Final

from pte_lint.schema.enums import KernelTypes

from pte_lint.ops.checks.elementwise import LAWS
from pte_lint.ops.schemas import operator_schema
from tests.support.kernel_calls import Argument, KernelCall, T
from tests.support.rare_examples import RARE


def _call(operator: str, *args: Argument) -> KernelCall:
    return KernelCall(operator, args)


_IMAGE = T((1, 4, 6, 6))
_MATRIX = T((3, 4))

EXAMPLES: Final[tuple[KernelCall, ...]] = (
    _call("aten::_adaptive_avg_pool2d.out", _IMAGE, [3, 3], T((1, 4, 3, 3))),
    _call("aten::_log_softmax.out", _MATRIX, 1, False, _MATRIX),
    _call(
        "aten::_native_batch_norm_legit_no_training.out",
        *(_IMAGE, T((4,)), T((4,)), T((4,)), T((4,)), 0.1, 1e-5),
        *(_IMAGE, T((0,)), T((0,))),
    ),
    _call("aten::_softmax.out", _MATRIX, 1, False, _MATRIX),
    _call("aten::addmm.out", T((5,)), _MATRIX, T((4, 5)), 1, 1, T((3, 5))),
    _call("aten::amax.out", T((2, 3, 4)), [1], False, T((2, 4))),
    _call("aten::amin.out", T((2, 3, 4)), [0, 2], True, T((1, 3, 1))),
    _call("aten::argmax.out", _MATRIX, 1, False, T((3,), "int64")),
    _call("aten::argmin.out", _MATRIX, None, False, T((), "int64")),
    _call(
        "aten::avg_pool2d.out",
        *(_IMAGE, [2, 2], [2, 2], [0, 0], False, True, None),
        T((1, 4, 3, 3)),
    ),
    _call("aten::bmm.out", T((2, 3, 4)), T((2, 4, 5)), T((2, 3, 5))),
    _call("aten::cat.out", [_MATRIX, T((2, 4)), T((0,))], 0, T((5, 4))),
    _call("aten::clone.out", _MATRIX, None, _MATRIX),
    _call(
        "aten::convolution.out",
        *(_IMAGE, T((6, 2, 3, 3)), T((6,)), [1, 1], [1, 1], [1, 1], False, [0, 0], 2),
        T((1, 6, 6, 6)),
    ),
    _call(
        "aten::convolution.out",
        *(T((2, 3, 8)), T((4, 3, 3)), None, [2], [0], [1], False, [0], 1),
        T((2, 4, 3)),
    ),
    _call(
        "aten::convolution_backward.out",
        *(T((1, 6, 6, 6)), _IMAGE, T((6, 2, 3, 3)), [6], [1, 1], [1, 1], [1, 1], False, [0, 0], 2),
        *([True, True, True], _IMAGE, T((6, 2, 3, 3)), T((6,))),
    ),
    _call("aten::copy_", _MATRIX, T((4,)), False),
    _call("aten::embedding.out", _MATRIX, T((2,), "int64"), -1, False, False, T((2, 4))),
    _call("aten::expand_copy.out", T((3, 1)), [2, -1, 4], False, T((2, 3, 4))),
    _call("aten::linear.out", T((2, 3, 4)), T((5, 4)), T((5,)), T((2, 3, 5))),
    _call(
        "aten::max_pool2d_with_indices.out",
        *(_IMAGE, [2, 2], [], [0, 0], [1, 1], False),
        *(T((1, 4, 3, 3)), T((1, 4, 3, 3), "int64")),
    ),
    _call("aten::mean.out", T((2, 3, 4)), [-1], True, None, T((2, 3, 1))),
    _call("aten::mm.out", _MATRIX, T((4, 5)), T((3, 5))),
    _call(
        "aten::native_layer_norm.out",
        *(_MATRIX, [4], T((4,)), T((4,)), 1e-5),
        *(_MATRIX, T((3, 1)), T((3, 1))),
    ),
    _call("aten::permute_copy.out", T((2, 3, 4)), [2, 0, 1], T((4, 2, 3))),
    _call("aten::select_copy.int_out", T((2, 3, 4)), 1, 2, T((2, 4))),
    _call("aten::slice_copy.Tensor_out", T((2, 6)), 1, 1, 6, 2, T((2, 3))),
    _call("aten::split_copy.Tensor_out", T((5, 2)), 2, 0, [T((2, 2)), T((2, 2)), T((1, 2))]),
    _call("aten::split_with_sizes_copy.out", T((5, 2)), [3, 2], 0, [T((3, 2)), T((2, 2))]),
    _call("aten::squeeze_copy.dim_out", T((2, 1, 3)), 1, T((2, 3))),
    _call("aten::squeeze_copy.dims_out", T((2, 1, 3, 1)), [1, 3], T((2, 3))),
    _call("aten::stack.out", [_MATRIX, _MATRIX], 1, T((3, 2, 4))),
    _call("aten::sum.IntList_out", T((2, 3, 4)), [1], False, None, T((2, 4))),
    _call("aten::t_copy.out", _MATRIX, T((4, 3))),
    _call("aten::transpose_copy.int_out", T((2, 3, 4)), 0, 2, T((4, 3, 2))),
    _call("aten::unbind_copy.int_out", T((2, 3)), 0, [T((3,)), T((3,))]),
    _call("aten::unsqueeze_copy.out", _MATRIX, 1, T((3, 1, 4))),
    _call("aten::view_copy.out", _MATRIX, [2, -1], T((2, 6))),
    _call("aten::_to_copy.out", _MATRIX, False, None, T((3, 4), "int64")),
    _call("aten::alias_copy.out", _MATRIX, _MATRIX),
    _call("aten::any.all_out", _MATRIX, T((), "bool")),
    _call("aten::any.dims_out", T((2, 3, 4)), [0, 2], False, T((3,), "bool")),
    _call("aten::any.out", _MATRIX, -1, True, T((3, 1), "bool")),
    _call("aten::arange.out", 5, T((5,), "int64")),
    _call("aten::arange.start_out", 1, 6, 2, T((3,), "int64")),
    _call("aten::avg_pool2d.out", T((2, 5, 5)), [2], [], [1], True, False, 3, T((2, 3, 3))),
    _call("aten::constant_pad_nd.out", _MATRIX, [1, 2], 0.0, T((3, 7))),
    _call(
        "aten::convolution.out",
        *(T((1, 4, 5, 5)), T((4, 3, 3, 3)), T((6,)), [2, 1], [1, 0], [1, 1], True, [1, 0], 2),
        T((1, 6, 10, 7)),
    ),
    _call("aten::copy.out", _MATRIX, T((4,)), False, _MATRIX),
    _call("aten::cumsum.out", _MATRIX, 1, None, _MATRIX),
    _call("aten::detach_copy.out", _MATRIX, _MATRIX),
    _call("aten::empty.out", [2, 3], None, T((2, 3))),
    _call("aten::flip.out", _MATRIX, [0, -1], _MATRIX),
    _call("aten::full.out", [2, 3], 1, T((2, 3))),
    _call("aten::full_like.out", _MATRIX, 1, None, _MATRIX),
    _call("aten::gather.out", _MATRIX, 1, T((2, 5), "int64"), False, T((2, 5))),
    _call("aten::glu.out", T((3, 4)), 1, T((3, 2))),
    _call("aten::index.Tensor_out", T((3, 4)), [None, T((2,), "int64")], T((3, 2))),
    _call(
        "aten::index.Tensor_out",
        *(T((3, 4, 5)), [T((2, 1), "int64"), None, T((3,), "int32")]),
        T((2, 3, 4)),
    ),
    _call(
        "aten::index_put.out",
        *(T((3, 4)), [T((2,), "int64"), T((1,), "int64")], T((2,)), True),
        T((3, 4)),
    ),
    _call("aten::index_put_", T((3, 4)), [None, T((2,), "int64")], T((3, 2)), False),
    _call("aten::index_select.out", _MATRIX, 1, T((3,), "int64"), T((3, 3))),
    _call("aten::lift_fresh_copy.out", _MATRIX, _MATRIX),
    _call("aten::max.dim_max", T((2, 3, 4)), 1, False, T((2, 4)), T((2, 4), "int64")),
    _call("aten::max.unary_out", _MATRIX, T(())),
    _call(
        "aten::max_pool2d_with_indices.out",
        *(T((2, 5, 6)), [3], [2, 1], [1, 1], [1], True),
        *(T((2, 3, 6)), T((2, 3, 6), "int64")),
    ),
    _call("aten::min.dim_min", T((2, 3)), -1, True, T((2, 1)), T((2, 1), "int64")),
    _call("aten::min.unary_out", _MATRIX, T(())),
    _call(
        "aten::native_group_norm.out",
        *(T((2, 4, 3)), T((4,)), T((4,)), 2, 4, 3, 2, 1e-5),
        *(T((2, 4, 3)), T((2, 2)), T((2, 2))),
    ),
    _call("aten::ones.out", [2, 3], T((2, 3))),
    _call("aten::pixel_shuffle.out", T((1, 8, 2, 3)), 2, T((1, 2, 4, 6))),
    _call("aten::repeat.out", _MATRIX, [2, 1, 3], T((2, 3, 12))),
    _call("aten::roll.out", _MATRIX, [1, 2], [0, 1], _MATRIX),
    _call("aten::scalar_tensor.out", 1, T(())),
    _call(
        "aten::scatter.src_out",
        *(_MATRIX, 1, T((2, 3), "int64"), T((2, 5)), _MATRIX),
    ),
    _call("aten::scatter.value_out", _MATRIX, 1, T((2, 3), "int64"), 1, _MATRIX),
    _call(
        "aten::scatter_add.out",
        *(_MATRIX, 0, T((2, 3), "int64"), T((2, 3)), _MATRIX),
    ),
    _call("aten::select_scatter.out", _MATRIX, T((3,)), 1, 2, _MATRIX),
    _call("aten::slice_scatter.out", T((2, 6)), T((2, 3)), 1, 1, 6, 2, T((2, 6))),
    _call("aten::masked_select.out", T((2, 3)), T((2, 3), "bool"), T((6,), bounded=True)),
    _call("aten::nonzero.out", T((2, 3)), T((6, 2), "int64", bounded=True)),
    _call("aten::topk.values", T((2, 5)), 3, 1, True, True, T((2, 3)), T((2, 3), "int64")),
    _call("aten::tril.out", _MATRIX, 0, _MATRIX),
    _call(
        "aten::upsample_bilinear2d.vec_out",
        *(T((1, 2, 3, 4)), [6, 4], True, None),
        T((1, 2, 6, 4)),
    ),
    _call("aten::upsample_nearest2d.vec_out", T((1, 2, 3, 4)), None, [2.0, 1.5], T((1, 2, 6, 6))),
    _call("aten::var.correction_out", T((2, 3, 4)), [1], 1, False, T((2, 4))),
    _call("aten::var.out", T((2, 3, 4)), [1, 2], True, True, T((2, 1, 1))),
    _call("aten::zeros.out", [2, 3], T((2, 3))),
    _call(
        "quantized_decomposed::dequantize_per_tensor.out",
        *(T((2, 3), "int8"), 0.05, 3, -8, 100, 1, None, T((2, 3))),
    ),
    _call(
        "quantized_decomposed::quantize_per_tensor.out",
        *(T((2, 3)), 0.05, 3, -8, 100, 1, T((2, 3), "int8")),
    ),
    _call("dim_order_ops::_clone_dim_order.out", T((1, 2, 3, 4)), False, None, T((1, 2, 3, 4))),
    _call(
        "dim_order_ops::_to_dim_order_copy.out",
        *(T((1, 2, 3, 4)), False, [0, 2, 3, 1]),
        T((1, 2, 3, 4), "int64", (0, 2, 3, 1)),
    ),
)
"""Calls of operators with arguments of their own kinds."""


_MASKS: Final = {"aten::masked_fill.Scalar_out": 1, "aten::where.self_out": 0}
"""Positions of tensors that tell where to do something."""


def elementwise(operator: str, dtype: str = "", out_dtype: str = "") -> KernelCall:
    """A call of an elementwise operator, arguments as its schema wants them."""
    schema = operator_schema(operator)
    assert schema is not None
    name = operator.removeprefix("aten::").partition(".")[0]
    if not dtype:
        dtype = "int64" if name.startswith("bitwise") else "float32"
    if not out_dtype:
        out_dtype = "bool" if name in {"isinf", "isnan"} else dtype
    args: list[Argument] = []
    for position, parameter in enumerate(schema.parameters):
        if parameter.is_out:
            args.append(T((2, 3), out_dtype))
        elif KernelTypes.TENSOR in parameter.accepted:
            kind = "bool" if _MASKS.get(operator) == position else dtype
            # A fill value is a tensor without dimensions.
            args.append(T(() if name == "fill" and args else (2, 3), kind))
        else:
            args.append(_number(parameter.accepted))
    return KernelCall(operator, tuple(args))


def _number(accepted: frozenset[KernelTypes]) -> Argument:
    if KernelTypes.INT in accepted:
        return 1
    if KernelTypes.NULL in accepted:
        return None
    if KernelTypes.DOUBLE in accepted:
        return 1.0
    return True if KernelTypes.BOOL in accepted else "none"


ALL: Final = (*EXAMPLES, *RARE, *(elementwise(operator) for operator in sorted(LAWS)))
"""A call, or several, of every operator whose checks are followed."""
