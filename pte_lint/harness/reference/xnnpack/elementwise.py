"""Nodes of XNNPACK graphs that compute element by element.

Facts: XNNPACK's src/reference/unary-elementwise.cc and binary-elementwise.cc; what its kernels for
one processor do beyond, they do faster. Tables and whole-numbered kernels round what these give.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional

from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.schema.xnnpack_graph import PerTokenDynamicQuant
from pte_lint.schema.xnnpack_nodes import Elu, LeakyRelu, Node1x1, Node2x1
from pte_lint.schema.xnnpack_values import Dtype

Compute = Callable[[torch.Tensor], torch.Tensor]
Combine = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def unary(function: Compute) -> Callable[[Node1x1, Known], torch.Tensor]:
    """A node of one input that is told nothing."""

    def compute(node: Node1x1, known: Known) -> torch.Tensor:
        return function(known.numbers(node.input_id))

    return compute


def binary(function: Combine) -> Callable[[Node2x1, Known], torch.Tensor]:
    """A node of two inputs, which are repeated along dimensions of size 1."""

    def compute(node: Node2x1, known: Known) -> torch.Tensor:
        return function(*known.alike(node.input1_id, node.input2_id))

    return compute


def elu(node: Elu, known: Known) -> torch.Tensor:
    """`alpha` times exp(x) - 1 below zero."""
    x = known.numbers(node.input_id)
    return torch.where(x < 0, node.alpha * torch.expm1(x), x)


def leaky_relu(node: LeakyRelu, known: Known) -> torch.Tensor:
    """Less steep below zero."""
    return functional.leaky_relu(known.numbers(node.input_id), node.negative_slope)


def prelu(x: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
    """Less steep below zero, by channel."""
    return torch.where(x < 0, x * slope, x)


def hardswish(x: torch.Tensor) -> torch.Tensor:
    """x times a ramp from -3 to 3."""
    return x / 6 * (x + 3).clamp(0, 6)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Over channels."""
    return torch.softmax(x, -1)


def divide(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Plain division."""
    return a / b


def convert(node: Node1x1, known: Known) -> torch.Tensor:
    """Into the type of the output, by rows where that is quantised as it runs."""
    source, made = known.place(node.input_id), known.place(node.output_id)
    numbers = known.numbers(node.input_id)
    if made.dtype is not Dtype.QDINT8:
        return numbers
    if source.dtype not in (Dtype.FP32, Dtype.FP16):
        raise NotComputed(f"quantising {source.dtype.name.lower()} as it runs is not known")
    params = made.params
    dims = params.num_nonbatch_dims if isinstance(params, PerTokenDynamicQuant) else 1
    return known.rounding.by_rows(numbers, dims, half=source.dtype is Dtype.FP16)
