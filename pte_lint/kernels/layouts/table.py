"""By operator, how its kernels find their way through memory.

Measured for the kernels of the 1.5.1 and 1.4.1 wheels (scripts/measure_values.py, docs/values.md);
that the sources of 1.2 and 1.3 do the same was read, not run. An operator that is not here was
never seen to depend on the order of dimensions, or its checks let only the default through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pte_lint.kernels.layouts import patterns as p
from pte_lint.kernels.layouts.patterns import Pattern

_ELEMENTWISE: Final = (
    *"abs acos acosh add.Scalar asin asinh atan atan2 atanh bitwise_and.Scalar".split(),
    *"bitwise_and.Tensor bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar".split(),
    *"bitwise_not bitwise_or.Scalar bitwise_or.Tensor bitwise_right_shift.Tensor".split(),
    *"bitwise_right_shift.Tensor_Scalar bitwise_xor.Scalar bitwise_xor.Tensor ceil clamp".split(),
    *"clamp.Tensor copy cos cosh div.Scalar div.Scalar_mode elu eq.Scalar eq.Tensor erf".split(),
    *"exp expm1 floor floor_divide fmod.Scalar fmod.Tensor ge.Scalar ge.Tensor gelu".split(),
    *"gt.Scalar gt.Tensor hardtanh isinf isnan le.Scalar leaky_relu log log10".split(),
    *"log1p log2 logical_and logical_not logical_or logical_xor logit lt.Scalar lt.Tensor".split(),
    *"masked_fill.Scalar maximum minimum mul.Scalar ne.Scalar ne.Tensor neg pow.Scalar".split(),
    *"pow.Tensor_Scalar pow.Tensor_Tensor reciprocal relu remainder.Scalar".split(),
    *"remainder.Tensor round rsqrt rsub.Scalar sigmoid sign sin sinh sqrt sub.Scalar tan".split(),
    *"tanh trunc where.self alias_copy clone detach_copy lift_fresh_copy".split(),
)


def _out(name: str) -> str:
    return f"aten::{name}_out" if "." in name else f"aten::{name}.out"


_Q: Final = "quantized_decomposed::"

_PLAIN: Final = p.both(p.need_one_order(0), p.need_default(0))
_PLAIN_PAIR: Final = p.both(p.need_one_order(0, 1), p.need_default(0))
_NORM: Final = p.both(p.need_default(0), p.need_one_order(0, 1, 2))

PATTERNS: Final[Mapping[str, Pattern]] = {
    **dict.fromkeys(map(_out, _ELEMENTWISE), p.elementwise),
    "aten::_cdist_forward.out": _PLAIN_PAIR,
    "aten::_conj_physical.out": p.both(p.need_one_order(0), p.elementwise),
    "aten::_fft_c2r.out": p.need_one_order(0),
    "aten::_fft_r2c.out": p.need_one_order(0),
    "aten::_log_softmax.out": p.along(1),
    "aten::_native_batch_norm_legit.no_stats_out": _NORM,
    "aten::_native_batch_norm_legit.out": _NORM,
    "aten::_pdist_forward.out": _PLAIN,
    "aten::_softmax.out": p.softmax,
    "aten::_upsample_bilinear2d_aa.out": p.one_known_order,
    "aten::add.out": p.arithmetic,
    "aten::amax.out": p.reduction(1),
    "aten::amin.out": p.reduction(1),
    "aten::any.dims_out": p.reduction(1),
    "aten::any.out": p.reduction(1, single=True),
    "aten::argmax.out": p.reduction(1, single=True),
    "aten::argmin.out": p.reduction(1, single=True),
    "aten::as_strided_copy.out": _PLAIN,
    "aten::bmm.out": p.batches,
    "aten::cat.out": p.concatenation,
    "aten::constant_pad_nd.out": p.padding,
    "aten::convolution_backward.out": p.gradients,
    "aten::copy_": p.elementwise,
    "aten::cumsum.out": p.along(1),
    "aten::diagonal_copy.out": _PLAIN,
    "aten::div.out": p.arithmetic,
    "aten::div.out_mode": p.elementwise,
    "aten::flip.out": p.reversal,
    "aten::gather.out": p.gather,
    "aten::glu.out": p.halves,
    "aten::grid_sampler_2d.out": p.need_default(0),
    "aten::index.Tensor_out": p.masks(1),
    "aten::index_put.out": p.masks(1),
    "aten::le.Tensor_out": p.arithmetic,
    "aten::linear.out": p.rows(1),
    "aten::masked_scatter.out": p.both(p.need_one_order(0, 1), p.everything),
    "aten::masked_select.out": p.need_one_order(0, 1),
    "aten::max.dim_max": p.reduction(1, single=True),
    "aten::max_pool2d_with_indices_backward.grad_input": p.both(p.need_known_order(0, 1), p.last(2, 0, 7)),
    "aten::mean.dtype_out": _PLAIN,
    "aten::min.dim_min": p.reduction(1, single=True),
    "aten::mm.out": p.everything,
    "aten::mul.out": p.arithmetic,
    "aten::narrow_copy.out": p.pieces(1),
    "aten::native_dropout.out": p.need_one_order(0),
    "aten::native_layer_norm.out": p.layer_norm,
    "aten::nonzero.out": p.everything,
    "aten::permute_copy.out": p.permutation,
    "aten::pixel_unshuffle.out": p.last(3),
    "aten::prod.int_out": p.both(p.need_known_order(0), p.reduction(1, single=True)),
    "aten::reflection_pad1d.out": _PLAIN,
    "aten::reflection_pad2d.out": _PLAIN,
    "aten::reflection_pad3d.out": _PLAIN,
    "aten::replication_pad1d.out": p.last(1),
    "aten::replication_pad2d.out": p.last(2),
    "aten::replication_pad3d.out": p.last(3),
    "aten::roll.out": p.rotation,
    "aten::scatter.src_out": p.scatter,
    "aten::scatter.value_out": p.scatter,
    "aten::slice_copy.Tensor_out": p.pieces(1),
    "aten::slice_scatter.out": p.slice_scatter,
    "aten::split_copy.Tensor_out": p.pieces(2),
    "aten::split_with_sizes_copy.out": p.pieces(2),
    "aten::sub.out": p.arithmetic,
    "aten::t_copy.out": p.transposition,
    "aten::topk.values": p.top,
    "aten::transpose_copy.int_out": p.transposition,
    "aten::unfold_copy.out": _PLAIN,
    "aten::unsqueeze_copy.out": p.insertion,
    "aten::var.correction_out": p.reduction(1),
    "aten::var_mean.correction_out": p.both(p.need_known_order(0), p.reduction(1)),
    "aten::view_as_real_copy.out": p.both(p.need_one_order(0), p.everything),
    f"{_Q}add.out": p.elementwise,
    f"{_Q}choose_qparams_per_token_asymmetric.out": p.everything,
    f"{_Q}dequantize_per_channel.out": p.by_channel,
    f"{_Q}dequantize_per_tensor.Tensor_out": p.by_position,
    f"{_Q}dequantize_per_tensor.out": p.by_position,
    f"{_Q}dequantize_per_token.out": p.rows(1, 2),
    f"{_Q}embedding_2bit.dtype_out": p.everything,
    f"{_Q}embedding_2bit.out": p.everything,
    f"{_Q}embedding_4bit.dtype_out": p.everything,
    f"{_Q}embedding_4bit.out": p.everything,
    f"{_Q}embedding_byte.dtype_out": p.everything,
    f"{_Q}embedding_byte.out": p.everything,
    f"{_Q}quantize_per_channel.out": p.by_channel,
    f"{_Q}quantize_per_tensor.Tensor_out": p.by_position,
    f"{_Q}quantize_per_tensor.out": p.by_position,
    f"{_Q}quantize_per_token.out": p.rows(1, 2),
}
