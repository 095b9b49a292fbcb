"""What is known about single operators beyond the calling convention.

Only facts that the analyses need: which operators look at a tensor's shape but not its bytes,
which in-place ones replace all of their target, and how a kernel walks over its input while it
writes its output, which decides whether the two may share memory. Names are without overload.
Sources: the operators' definitions (aten/src/ATen/native/native_functions.yaml of PyTorch), the
kernels (kernels/portable/cpu, kernels/optimized/cpu), and for the walks measurements: one call of
each operator for every alignment of output and input, on the kernels of the 1.5.1 wheel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pte_lint.schema.str_enum import StrEnum


class Walk(StrEnum):
    """The order in which a kernel reads its input and writes its output."""

    ELEMENTWISE = "elementwise"
    """Output element i needs only element i (after broadcasting); exact sharing is harmless."""
    MOVING = "moving"
    """Copies bytes unchanged; an output inside its input may be the same bytes."""
    RESCANNING = "rescanning"
    """Reads its inputs again and again while it writes; any sharing destroys them."""
    FORWARD = "forward"
    """Writes its output in order, but reads its input in another; sharing destroys what is read
    later, surely where the output does not start before the input."""
    UNKNOWN = "unknown"


def _aten(names: str) -> frozenset[str]:
    return frozenset(f"aten::{name}" for name in names.split())


OUTPUT_MASK: Final = 10
"""Position in convolution_backward.out of the list that says which outputs are asked for."""

_STANDARD: Final = frozenset(
    {"aten", "dim_order_ops", "et_copy", "executorch_prim", "quantized_decomposed"}
)
"""Namespaces whose operators keep to the calling convention: all that is written comes last."""

_SHAPE_ONLY: Final = frozenset(
    {
        "aten::empty_like",
        "aten::fill",
        "aten::full_like",
        "aten::ones_like",
        "aten::rand_like",
        "aten::randn_like",
        "aten::sym_numel",
        "aten::sym_size",
        "aten::zeros_like",
    }
)

_SIZES_OF_FIRST: Final = frozenset({"aten::copy"})
"""What is copied to gives the result's sizes (kernels/portable/cpu/op_copy.cpp)."""

_RANDOM: Final = _aten(
    "_fused_dropout bernoulli bernoulli_ cauchy_ dropout exponential exponential_ geometric_ "
    "log_normal_ multinomial native_dropout normal normal_ poisson rand rand_like randint "
    "randint_like randn randn_like random random_ randperm rrelu_with_noise uniform uniform_"
)

_REPLACING: Final = frozenset(
    {
        "aten::bernoulli_",
        "aten::copy_",
        "aten::exponential_",
        "aten::fill_",
        "aten::normal_",
        "aten::random_",
        "aten::uniform_",
        "aten::zero_",
    }
)

_ELEMENTWISE: Final = _aten(
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift "
    "bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp cos cosh div elu eq "
    "erf exp expm1 "
    "fill floor floor_divide fmod ge gelu gt hardsigmoid hardswish hardtanh isinf isnan le "
    "leaky_relu log log10 log1p log2 logical_and logical_not logical_or logical_xor logit lt "
    "masked_fill maximum minimum mul ne neg pow reciprocal relu relu6 remainder round rsqrt "
    "rsub sigmoid sign silu sin sinh sqrt sub tan tanh threshold trunc where"
)

_ALONG_A_DIMENSION: Final = _aten("_softmax cumsum")
"""Need all of a row, but read each element before they write it."""

_MOVING: Final = frozenset(
    {
        *_aten(
            "_reshape_alias_copy _to_copy alias_copy as_strided_copy cat clone copy copy_ "
            "detach_copy diagonal_copy expand_copy lift_fresh_copy narrow_copy select_copy "
            "select_scatter slice_copy slice_scatter split_copy split_with_sizes_copy "
            "squeeze_copy stack unbind_copy unfold_copy unsqueeze_copy view_copy"
        ),
        "dim_order_ops::_clone_dim_order",
        "dim_order_ops::_to_dim_order_copy",
    }
)

_RESCANNING: Final = _aten(
    "bmm convolution convolution_backward embedding gather index index_select linear matmul mm"
)
"""Those that take what an index says may be told to read what they have written over."""

_FORWARD: Final = _aten(
    "addmm avg_pool2d flip max_pool2d_with_indices permute_copy roll t_copy transpose_copy "
    "upsample_bilinear2d upsample_nearest2d"
)

_ONE_BY_ONE: Final = _aten(
    "abs acos asin asinh atan atanh cos cosh erf expm1 gt leaky_relu log log10 log1p log2 "
    "logical_not logical_xor lt reciprocal relu remainder round rsqrt sin sinh sqrt tan tanh"
)
"""Elementwise kernels that take one element at a time; measured with the release's kernels."""

_VECTOR: Final = 32
"""Bytes that kernels of float32 otherwise read before they write any; measured, too."""
_WIDEST: Final = 64
"""The most for any element type and build."""
_FLOAT32: Final = 6


@lru_cache(maxsize=4096)
def base_name(operator: str) -> str:
    """The operator's name without overload: `aten::add.out` gives `aten::add`."""
    space, colons, name = operator.rpartition("::")
    return space + colons + name.partition(".")[0]


def is_standard(operator: str) -> bool:
    """True for operators whose arguments before the outputs are surely only read."""
    return operator.partition("::")[0] in _STANDARD


def is_repeatable(operator: str) -> bool:
    """True for operators that write the same whenever they are given the same."""
    return is_standard(operator) and base_name(operator) not in _RANDOM


def is_pure(operator: str) -> bool:
    """True for operators that do nothing but write their outputs."""
    return is_standard(operator)


def reads_only_shape(operator: str) -> bool:
    """True when the operator looks at its tensor's sizes but never at its bytes."""
    return base_name(operator) in _SHAPE_ONLY


def ignores_first(operator: str) -> bool:
    """True when nothing depends on the bytes of the first argument, only on its sizes.

    The kernel may still fetch them, and throw them away.
    """
    return base_name(operator) in _SIZES_OF_FIRST


def replaces_target(operator: str) -> bool:
    """True for an in-place operator that overwrites its target whatever was in it."""
    return base_name(operator) in _REPLACING


def broadcasts(operator: str) -> bool:
    """True when the result has the sizes that the tensor inputs broadcast to."""
    return base_name(operator) in _ELEMENTWISE


@lru_cache(maxsize=4096)
def reads_ahead(operator: str, scalar_type: int, width: int) -> int:
    """Bytes that an elementwise kernel may read before it writes its first result.

    Args:
        operator: The operator's full name.
        scalar_type: Element type of the input.
        width: Bytes of one element.
    """
    if base_name(operator) in _ONE_BY_ONE:
        return width
    return _VECTOR if scalar_type == _FLOAT32 else _WIDEST


def walk(operator: str) -> Walk:
    """How the operator's kernel walks over input and output."""
    name = base_name(operator)
    if name in _ELEMENTWISE or name in _ALONG_A_DIMENSION:
        return Walk.ELEMENTWISE
    if name in _MOVING:
        return Walk.MOVING
    if name in _RESCANNING:
        return Walk.RESCANNING
    if name in _FORWARD:
        return Walk.FORWARD
    return Walk.UNKNOWN
