"""How far a kernel's result may be from that of PyTorch's operator, by element type and operator.

`docs/values.md` shows this table. Both are given the same inputs, so what is left is the order of
summation and how functions are approximated.
"""

from __future__ import annotations

from typing import Final

from pte_lint.ops.operators import base_name

Allowed = tuple[float, float]
"""Relative to the expected value, and absolute."""

BY_DTYPE: Final[dict[str, Allowed]] = {
    "float64": (1e-9, 1e-10),
    "float32": (2e-4, 2e-5),
    "float16": (1e-2, 1e-2),
    "bfloat16": (4e-2, 4e-2),
    "complex64": (2e-4, 2e-4),
    "complex128": (1e-9, 1e-10),
}
"""Types that are not named must be equal."""

OF_DELEGATES: Final[dict[str, Allowed]] = {
    "fp32": (2e-4, 2e-5),
    "pfp32": (2e-4, 2e-5),
    "fp16": (1e-2, 1e-3),
    "bf16": (4e-2, 1e-2),
}
"""Floats that XNNPACK delegates give, by the least precise type inside: relative to the largest
expected value of the output. Whole numbers may be one step off; where numbers are rounded to steps
inside, more is allowed as far as roundings decide (`xnnpack/answer.py`)."""

IN_FLOAT32: Final = frozenset(
    {
        "aten::_adaptive_avg_pool2d",
        "aten::native_group_norm",
        "aten::native_layer_norm",
        "aten::remainder",
        "aten::sum",
        "aten::upsample_bilinear2d",
        "aten::upsample_nearest2d",
    }
)
"""Kernels that compute float64 in float32: they are allowed what float32 is."""

_NAMES: Final = (
    "_adaptive_avg_pool2d _cdist_forward _fft_c2r _fft_r2c _log_softmax "
    "_native_batch_norm_legit _native_batch_norm_legit_no_training _pdist_forward "
    "_softmax addmm avg_pool1d avg_pool2d bmm convolution convolution_backward cumsum "
    "grid_sampler_2d linear mean mm native_batch_norm native_group_norm "
    "native_layer_norm prod sum upsample_bilinear2d var var_mean"
)
SUMMING: Final = frozenset({f"aten::{name}" for name in _NAMES.split()})
"""Results that many elements add up to: relative to the largest expected value of the tensor."""

ONE_STEP: Final = frozenset(
    {
        "aten::upsample_bilinear2d",
        "quantized_decomposed::add",
        "quantized_decomposed::choose_qparams",
        "quantized_decomposed::choose_qparams_per_token_asymmetric",
        "quantized_decomposed::quantize_per_channel",
        "quantized_decomposed::quantize_per_tensor",
        "quantized_decomposed::quantize_per_token",
    }
)
"""Whole numbers that are rounded: a number between two may fall to either."""


def allowed(operator: str, dtype: str) -> tuple[float, float, bool]:
    """What is allowed: relative, absolute, and whether relative to the largest of all elements.

    Args:
        operator: The kernel's full name.
        dtype: Name of the result's element type.
    """
    name = base_name(operator)
    if dtype not in BY_DTYPE:
        return 0.0, 1.0 if name in ONE_STEP else 0.0, False
    known = "float32" if dtype == "float64" and name in IN_FLOAT32 else dtype
    relative, absolute = BY_DTYPE[known]
    return relative, absolute, name in SUMMING
