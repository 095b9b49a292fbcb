"""How far two tensors are apart. Imported by PyTorch's process only."""

from __future__ import annotations

from typing import Any

import torch


def apart(
    mine: torch.Tensor,
    theirs: torch.Tensor,
    relative: float,
    absolute: float,
    *,
    of_largest: bool,
) -> dict[str, Any] | None:
    """How far two tensors of equal type and sizes are apart; None if not beyond what is allowed.

    Args:
        mine: What was found.
        theirs: What was expected.
        relative: What is allowed: a share of the expected element.
        absolute: What is allowed besides.
        of_largest: Whether the share is of the largest expected element of all.
    """
    if mine.numel() == 0 or torch.equal(mine, theirs):
        return None
    if mine.dtype.is_complex:
        a, b = torch.view_as_real(mine).double(), torch.view_as_real(theirs).double()
    elif mine.dtype.is_floating_point:
        a, b = mine.double(), theirs.double()
    else:
        a, b = mine.to(torch.int64), theirs.to(torch.int64)
    difference = (a - b).abs().double()
    size = b.abs().double()
    finite = torch.where(size.isfinite(), size, torch.zeros(()).double())
    largest = float(finite.max())
    limit = absolute + relative * (largest if of_largest else finite)
    same = (a == b) | (a.isnan() & b.isnan()) | (difference <= limit)
    bad = ~same
    if not bool(bad.any()):
        return None
    if mine.dtype.is_complex:
        bad = bad.any(-1)
    where = [int(i) for i in bad.nonzero()[0]] if bad.dim() else []
    worst = difference.nan_to_num(nan=float("inf")).max()
    return {
        "element": where,
        "got": str(mine[tuple(where)].item()),
        "expected": str(theirs[tuple(where)].item()),
        "max_absolute": float(worst),
        "max_relative": float(worst) / largest if largest else float("inf"),
        "elements_different": int(bad.sum()),
        "elements": mine.numel(),
    }
