"""What the kernels of operators that make a tensor from numbers refuse.

Sources: kernels/portable/cpu/op_full.cpp, op_full_like.cpp, op_arange.cpp, op_zeros.cpp,
op_ones.cpp, op_empty.cpp, op_rand.cpp, op_randn.cpp, op_scalar_tensor.cpp, util/arange_util.cpp.
"""

from __future__ import annotations

import math
from typing import Final

from pte_lint.ops.checks.call import Call, End
from pte_lint.ops.checks.conditions import (
    default_order,
    goes_into,
    need,
    of_types,
    one_order,
    rank,
    resize,
    support,
)
from pte_lint.ops.checks.scalars import Number
from pte_lint.ops.promotion import FLOATING, REAL, REAL_OR_BOOL


def sized(call: Call) -> None:
    """zeros.out(size, *, out) and empty.out(size, *, memory_format, out)."""
    resize(call.out(), call.numbers(0))


def ones(call: Call) -> None:
    """ones.out(size, *, out)."""
    sized(call)
    of_types(REAL_OR_BOOL, call.out())


def random(call: Call) -> None:
    """rand.out(size, *, out) and randn.out(size, *, out)."""
    sized(call)
    of_types(FLOATING, call.out())


def full(call: Call) -> None:
    """full.out(size, fill_value, *, out)."""
    ones(call)
    goes_into(call, 1, call.out())


def full_like(call: Call) -> None:
    """full_like.out(self, fill_value, *, memory_format, out)."""
    source, out, layout = call.tensor(0), call.out(), call.number(2)
    kept = layout is None or layout % 256 in {0, 1}
    support(kept, "the memory format is neither contiguous nor preserved")
    one_order(source, out)
    default_order(source)
    resize(out, source.sizes if source is not None else None)
    of_types(REAL_OR_BOOL, out)
    goes_into(call, 1, out)


def scalar(call: Call) -> None:
    """scalar_tensor.out(s, *, out)."""
    resize(call.out(), ())
    of_types(REAL_OR_BOOL, call.out())
    goes_into(call, 0, call.out())


def arange(call: Call) -> None:
    """arange.out(end, *, out)."""
    _arange(call, 0.0, call.scalar(0), 1.0)


def arange_from(call: Call) -> None:
    """arange.start_out(start, end, step=1, *, out)."""
    _arange(call, call.scalar(0), call.scalar(1), call.scalar(2))


_LONGEST: Final = 2**31 - 1


def _arange(call: Call, start: Number | None, end: Number | None, step: Number | None) -> None:
    out = call.out()
    rank(out, 1)
    support(not any(isinstance(n, bool) for n in (start, end, step)), "a limit is a bool")
    if start is None or end is None or step is None:
        return
    good = (step > 0 and end >= start) or (step < 0 and end <= start)
    need(good, f"no range goes from {start:g} to {end:g} in steps of {step:g}")
    default_order(out)
    count = (float(end) - float(start)) / float(step)
    if math.isfinite(count) and math.ceil(count) <= _LONGEST:
        resize(out, (math.ceil(count),))
    elif not math.isnan(count):
        need(False, "the range has more numbers than an int32 counts", End.ABORT)
    of_types(REAL, out)
