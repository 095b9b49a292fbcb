"""Which kernels' own checks are known, by operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.ops.checks import (
    broadcast_path,
    convolution,
    elementwise,
    fills,
    index,
    layers,
    lists,
    matrix,
    picking,
    pool,
    quantised,
    reductions,
    rows,
    views,
)
from pte_lint.ops.checks.call import Call
from pte_lint.ops.checks.laws import has_room


def _with_room(check: Callable[[Call], None]) -> Callable[[Call], None]:
    def checks(call: Call) -> None:
        check(call)
        has_room(call)
        if call.operator in broadcast_path.OPERATORS:
            broadcast_path.rank_kept(call)

    return checks


_CHECKS: Final[Mapping[str, Callable[[Call], None]]] = {
    **{operator: _with_room(check) for operator, check in elementwise.LAWS.items()},
    "aten::_adaptive_avg_pool2d.out": pool.adaptive_average_pool,
    "aten::_log_softmax.out": layers.log_softmax,
    "aten::_native_batch_norm_legit_no_training.out": layers.batch_norm,
    "aten::_softmax.out": layers.softmax,
    "aten::_to_copy.out": views.to_copy,
    "aten::addmm.out": matrix.addmm,
    "aten::alias_copy.out": views.copy_whole,
    "aten::amax.out": reductions.extreme,
    "aten::amin.out": reductions.extreme,
    "aten::any.all_out": reductions.any_of_all,
    "aten::any.dims_out": reductions.any_of_dims,
    "aten::any.out": reductions.any_of_dim,
    "aten::arange.out": fills.arange,
    "aten::arange.start_out": fills.arange_from,
    "aten::argmax.out": reductions.position,
    "aten::argmin.out": reductions.position,
    "aten::avg_pool2d.out": pool.average_pool,
    "aten::bmm.out": matrix.bmm,
    "aten::cat.out": lists.cat,
    "aten::clone.out": views.clone,
    "aten::constant_pad_nd.out": rows.constant_pad,
    "aten::convolution.out": convolution.convolution,
    "aten::convolution_backward.out": convolution.convolution_backward,
    "aten::copy.out": views.copy,
    "aten::copy_": views.copy_in_place,
    "aten::cumsum.out": rows.cumulative_sum,
    "aten::detach_copy.out": views.copy_whole,
    "aten::embedding.out": index.embedding,
    "aten::empty.out": fills.sized,
    "aten::expand_copy.out": views.expand,
    "aten::flip.out": rows.flip,
    "aten::full.out": fills.full,
    "aten::full_like.out": fills.full_like,
    "aten::gather.out": index.gather,
    "aten::glu.out": rows.gated_linear_unit,
    "aten::index.Tensor_out": index.index,
    "aten::index_put.out": index.index_put,
    "aten::index_put_": index.index_put_in_place,
    "aten::index_select.out": index.index_select,
    "aten::lift_fresh_copy.out": views.copy_whole,
    "aten::linear.out": matrix.linear,
    "aten::max.dim_max": reductions.extreme_with_position,
    "aten::max.unary_out": reductions.extreme_of_all,
    "aten::max_pool2d_with_indices.out": pool.max_pool,
    "aten::mean.out": reductions.mean,
    "aten::min.dim_min": reductions.extreme_with_position,
    "aten::min.unary_out": reductions.extreme_of_all,
    "aten::mm.out": matrix.mm,
    "aten::masked_select.out": picking.masked_select,
    "aten::native_group_norm.out": layers.group_norm,
    "aten::native_layer_norm.out": layers.layer_norm,
    "aten::ones.out": fills.ones,
    "aten::permute_copy.out": views.permute,
    "aten::nonzero.out": picking.nonzero,
    "aten::pixel_shuffle.out": rows.pixel_shuffle,
    "aten::repeat.out": rows.repeat,
    "aten::roll.out": rows.roll,
    "aten::scalar_tensor.out": fills.scalar,
    "aten::scatter.src_out": index.scatter,
    "aten::scatter.value_out": index.scatter_value,
    "aten::scatter_add.out": index.scatter_add,
    "aten::select_copy.int_out": views.select,
    "aten::select_scatter.out": index.select_scatter,
    "aten::slice_copy.Tensor_out": views.slice_,
    "aten::slice_scatter.out": index.slice_scatter,
    "aten::split_copy.Tensor_out": lists.split,
    "aten::split_with_sizes_copy.out": lists.split_with_sizes,
    "aten::squeeze_copy.dim_out": views.squeeze,
    "aten::squeeze_copy.dims_out": views.squeeze,
    "aten::stack.out": lists.stack,
    "aten::sum.IntList_out": reductions.sum_,
    "aten::t_copy.out": views.matrix_transpose,
    "aten::topk.values": rows.top,
    "aten::transpose_copy.int_out": views.transpose,
    "aten::tril.out": rows.lower_triangle,
    "aten::unbind_copy.int_out": lists.unbind,
    "aten::unsqueeze_copy.out": views.unsqueeze,
    "aten::upsample_bilinear2d.vec_out": pool.bilinear_upsample,
    "aten::upsample_nearest2d.vec_out": pool.nearest_upsample,
    "aten::var.correction_out": reductions.variance,
    "aten::var.out": reductions.biased_variance,
    "aten::view_copy.out": views.view,
    "aten::zeros.out": fills.sized,
    "dim_order_ops::_clone_dim_order.out": views.clone_dim_order,
    "dim_order_ops::_to_dim_order_copy.out": views.to_dim_order,
    "quantized_decomposed::dequantize_per_tensor.out": quantised.dequantize,
    "quantized_decomposed::quantize_per_tensor.out": quantised.quantize,
}

KNOWN: Final = frozenset(_CHECKS)
"""Operators whose kernels' checks are followed."""


def check_of(operator: str) -> Callable[[Call], None] | None:
    """What follows an operator's kernel's checks, if they are known; it raises `Refused`."""
    return _CHECKS.get(operator)
