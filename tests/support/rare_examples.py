"""Calls that work of operators that exports seldom leave to kernels, and of quantised ones."""

from __future__ import annotations

from typing import Final

from tests.support.kernel_calls import Argument, KernelCall, T

_IMAGE = T((2, 3, 4, 5))
_MASK = T((2, 3, 4, 5), "bool")
_MATRIX = T((3, 4))
_Q: Final = "quantized_decomposed::"


def _call(operator: str, *args: Argument) -> KernelCall:
    return KernelCall(operator, args)


def _aten(operator: str, *args: Argument) -> KernelCall:
    return KernelCall(f"aten::{operator}", args)


_PIECES: Final = (
    _aten("as_strided_copy.out", _MATRIX, [2, 3], [4, 1], 1, T((2, 3))),
    _aten("diagonal_copy.out", _IMAGE, 0, 1, 2, T((2, 5, 3))),
    _aten("diagonal_copy.out", _MATRIX, -1, 0, -1, T((2,))),
    _aten("masked_scatter.out", _IMAGE, _MASK, _IMAGE, _IMAGE),
    _aten("masked_scatter.out", T((3, 1)), T((1, 4), "bool"), T((12,)), T((3, 4))),
    _aten("narrow_copy.out", _IMAGE, 1, 1, 2, T((2, 2, 4, 5))),
    _aten("narrow_copy.out", _IMAGE, 0, 1, 1, T((1, 3, 4, 5))),
    _aten("pixel_unshuffle.out", T((2, 2, 4, 6)), 2, T((2, 8, 2, 3))),
    _aten(
        "repeat_interleave.Tensor_out",
        T((3,), "int64", zeros=True),
        None,
        T((6,), "int64", bounded=True),
    ),
    _aten("unfold_copy.out", _IMAGE, 1, 2, 1, T((2, 2, 4, 5, 2))),
    _aten("view_as_real_copy.out", T((2, 3), "complex64"), T((2, 3, 2))),
)

_REDUCED: Final = (
    _aten("mean.dtype_out", _IMAGE, None, T(())),
    _aten("prod.int_out", _IMAGE, 1, True, None, T((2, 1, 4, 5))),
    _aten("prod.out", _MATRIX, None, T(())),
    _aten("prod.out", T((3,), "int32"), None, T((), "int64")),
    _aten("var_mean.correction_out", _IMAGE, [1, 2], 1, True, T((2, 1, 1, 5)), T((2, 1, 1, 5))),
)

_IMAGES: Final = (
    _aten("_upsample_bilinear2d_aa.out", _IMAGE, [2, 3], False, None, None, T((2, 3, 2, 3))),
    _aten("grid_sampler_2d.out", _IMAGE, T((2, 6, 2, 2)), 0, 0, False, T((2, 3, 6, 2))),
    _aten(
        "max_pool2d_with_indices_backward.grad_input",
        # It adds to what it does not clear, so that only an empty batch is safe.
        *(T((0, 2, 2, 3)), T((0, 2, 4, 6)), [2, 2], [], [0, 0], [1, 1], False),
        *(T((0, 2, 2, 3), "int64", zeros=True), T((0, 2, 4, 6))),
    ),
    _aten("reflection_pad1d.out", T((2, 3, 5)), [1, 2], T((2, 3, 8))),
    _aten("reflection_pad2d.out", _IMAGE, [1, 2, 0, 1], T((2, 3, 5, 8))),
    _aten("reflection_pad3d.out", _IMAGE, [1, 2, 0, 1, 1, 0], T((2, 4, 5, 8))),
    _aten("replication_pad1d.out", T((2, 3, 5)), [1, 2], T((2, 3, 8))),
    _aten("replication_pad2d.out", _IMAGE, [1, 2, 0, 1], T((2, 3, 5, 8))),
    _aten("replication_pad3d.out", _IMAGE, [1, 2, 0, 1, 1, 0], T((2, 4, 5, 8))),
)

_LAYERS: Final = (
    _aten("_cdist_forward.out", T((2, 3, 4)), T((2, 5, 4)), 2.0, None, T((2, 3, 5))),
    _aten("_conj_physical.out", T((2, 3), "complex64"), T((2, 3), "complex64")),
    _aten("_fft_c2r.out", T((2, 3), "complex64"), [1], 2, 4, T((2, 4))),
    _aten("_fft_r2c.out", T((2, 4)), [1], 0, True, T((2, 3), "complex64")),
    _aten(
        "_native_batch_norm_legit.no_stats_out",
        *(_IMAGE, T((3,)), T((3,)), False, 0.1, 1e-5, _IMAGE, T((3,)), T((3,))),
    ),
    _aten(
        "_native_batch_norm_legit.out",
        *(_IMAGE, T((3,)), T((3,)), T((3,)), T((3,)), False, 0.1, 1e-5),
        *(_IMAGE, T((0,)), T((0,))),
    ),
    _aten("_pdist_forward.out", T((4, 3)), 2.0, T((6,))),
    _aten("native_dropout.out", _MATRIX, 0.5, True, _MATRIX, T((3, 4), "bool")),
    _aten("rand.out", [2, 3], T((2, 3))),
    _aten("randn.out", [2, 3], T((2, 3))),
    _call("dim_order_ops::_empty_dim_order.out", [2, 3], None, T((2, 3))),
)

_SCALES, _ZEROS = T((3,), "float64"), T((3,), "int64")
_LEVELS = T((2, 3, 4), "int8")
_TABLE, _INDEX = T((6, 4), "uint8"), T((2, 3), "int64", zeros=True)

_QUANTISED: Final = (
    _call(
        f"{_Q}add.out",
        *(T((2, 3), "uint8"), 0.1, 3, 0, 255, T((2, 3), "uint8"), 0.2, 1, 0, 255),
        *(0.3, 2, 0, 255, T((2, 3), "uint8")),
    ),
    _call(
        f"{_Q}choose_qparams.Tensor_out",
        *(_MATRIX, -128, 127, 1e-5, 1, T((1,), "float64"), T((1,), "int64")),
    ),
    _call(
        f"{_Q}choose_qparams_per_token_asymmetric.out",
        *(T((2, 3, 4)), 1, T((2, 3, 1), "float64"), T((2, 3, 1), "int64")),
    ),
    _call(
        f"{_Q}dequantize_per_channel.out",
        *(_LEVELS, _SCALES, _ZEROS, 1, -128, 127, 1, None, T((2, 3, 4))),
    ),
    _call(
        f"{_Q}dequantize_per_channel.out",
        *(T((2, 3), "int32"), _SCALES, None, -1, -128, 127, 3, 6, T((2, 3))),
    ),
    _call(
        f"{_Q}dequantize_per_tensor.Tensor_out",
        *(_LEVELS, T((1,), "float64"), T((1,), "int64"), -8, 100, 1, None, T((2, 3, 4))),
    ),
    _call(
        f"{_Q}dequantize_per_token.out",
        *(T((3, 4), "int8"), T((3, 1), "float64"), T((3, 1), "int64"), -128, 127, 1, 6, _MATRIX),
    ),
    _call(
        f"{_Q}quantize_per_channel.out",
        *(T((2, 3, 4)), _SCALES, _ZEROS, 1, -128, 127, 1, _LEVELS),
    ),
    _call(
        f"{_Q}quantize_per_tensor.Tensor_out",
        *(T((2, 3, 4)), T((1,), "float64"), T((1,), "int64"), -8, 100, 1, _LEVELS),
    ),
    _call(
        f"{_Q}quantize_per_token.out",
        *(_MATRIX, T((3, 1), "float64"), T((3, 1), "int64"), -128, 127, 1, T((3, 4), "int8")),
    ),
    *(
        _call(
            f"{_Q}embedding_{name}.{overload}",
            *(_TABLE, T((6, 2)), T((6, 2)), 0, 255, _INDEX, *dtype, T((2, 3, width))),
        )
        for name, width in (("2bit", 16), ("4bit", 8), ("byte", 4))
        for overload, dtype in (("out", ()), ("dtype_out", (None,)))
    ),
    _call(
        f"{_Q}mixed_linear.out",
        *(_MATRIX, T((5, 4), "int8"), T((5, 2)), None, None, T((3, 5))),
    ),
    _call(f"{_Q}mixed_mm.out", _MATRIX, T((4, 5), "int8"), T((4,)), None, T((3, 5))),
)

RARE: Final[tuple[KernelCall, ...]] = (*_PIECES, *_REDUCED, *_IMAGES, *_LAYERS, *_QUANTISED)
"""A call, or several, of each of these operators."""
