"""Sizes that are known without running the program."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.interpret.residency import residency_of
from pte_lint.ir.method import Method
from pte_lint.schema.enums import ShapeDynamism


def known_sizes(method: Method, v: int) -> Sequence[int] | None:
    """The sizes of a tensor that cannot change: static, and not replaced by a move."""
    tensor = method.tensor(v)
    if tensor is None or tensor.shape_dynamism != ShapeDynamism.STATIC or tensor.sizes is None:
        return None
    return None if residency_of(method).is_rebound(v) else tensor.sizes
