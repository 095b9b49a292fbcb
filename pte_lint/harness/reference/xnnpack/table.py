"""What each node of an XNNPACK graph computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.nn import functional

from pte_lint.harness.reference.xnnpack import elementwise, layers, moving, windows
from pte_lint.harness.reference.xnnpack.elementwise import binary, unary
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.harness.reference.xnnpack.values import TIE


@dataclass(frozen=True, slots=True)
class Rule:
    """How a kind of node is computed.

    Attributes:
        compute: Its result from what it is told and the values so far.
        has_limits: Whether its result is cut to the node's limits.
        off: By which part of a step kernels for quantised values may be off before they round:
            some work with scales of 8 to 11 bits.
    """

    compute: Callable[[Any, Known], torch.Tensor]
    has_limits: bool = False
    off: float = TIE


_COARSE: Final = 0.3
"""Scales of 8 bits: half of the last one, times up to 128 steps."""

RULES: Final[Mapping[str, Rule]] = {
    "XNNAbs": Rule(unary(torch.abs)),
    "XNNCeiling": Rule(unary(torch.ceil)),
    "XNNClamp": Rule(moving.copy, has_limits=True),
    "XNNCos": Rule(unary(torch.cos)),
    "XNNELU": Rule(elementwise.elu),
    "XNNExp": Rule(unary(torch.exp)),
    "XNNFloor": Rule(unary(torch.floor)),
    "XNNGelu": Rule(unary(functional.gelu)),
    "XNNHardswish": Rule(unary(elementwise.hardswish), off=_COARSE),
    "XNNLeakyReLU": Rule(elementwise.leaky_relu, off=_COARSE),
    "XNNLog": Rule(unary(torch.log)),
    "XNNNegate": Rule(unary(torch.neg)),
    "XNNReciprocalSquareRoot": Rule(unary(torch.rsqrt)),
    "XNNSigmoid": Rule(unary(torch.sigmoid)),
    "XNNSin": Rule(unary(torch.sin)),
    "XNNSoftmax": Rule(unary(elementwise.softmax)),
    "XNNSquare": Rule(unary(torch.square)),
    "XNNSquareRoot": Rule(unary(torch.sqrt)),
    "XNNTanh": Rule(unary(torch.tanh)),
    "XNNConvert": Rule(elementwise.convert, off=_COARSE),
    "XNNAdd": Rule(binary(torch.add), has_limits=True),
    "XNNSubtract": Rule(binary(torch.sub), has_limits=True),
    "XNNMultiply": Rule(binary(torch.mul), has_limits=True),
    "XNNDiv": Rule(binary(torch.div), has_limits=True),
    "XNNMinimum": Rule(binary(torch.minimum)),
    "XNNMaximum": Rule(binary(torch.maximum)),
    "XNNPReLU": Rule(binary(elementwise.prelu), off=_COARSE),
    "XNNFullyConnected": Rule(layers.fully_connected, has_limits=True),
    "XNNBatchMatrixMultiply": Rule(layers.matrix_product),
    "XNNConv2d": Rule(layers.convolution, has_limits=True),
    "XNNDepthwiseConv2d": Rule(layers.depthwise, has_limits=True),
    "XNNConvTranspose2d": Rule(layers.transposed, has_limits=True),
    "XNNMaxPooling2d": Rule(windows.max_pooling, has_limits=True),
    "XNNAvgPooling2d": Rule(windows.average_pooling, has_limits=True),
    "XNNGlobalAvgPooling2d": Rule(windows.global_average, has_limits=True),
    "XNNStaticResizeBilinear2D": Rule(windows.resize, off=_COARSE),
    "XNNStaticReshape": Rule(moving.reshape),
    "XNNStaticTranspose": Rule(moving.transpose),
    "XNNStaticSlice": Rule(moving.cut),
    "XNNStaticConstantPad": Rule(moving.pad),
    "XNNCopy": Rule(moving.copy),
    **{f"XNNConcatenate{count}": Rule(moving.concatenate(count)) for count in (2, 3, 4, 5)},
}
"""By the name of the node; `XNNArgMaxPooling2d`, of two results, is not computed."""
