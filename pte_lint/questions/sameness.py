"""When a copy that lands inside its own input changes nothing.

A pass can place the output of an operator inside the storage of one of its inputs
(`TensorSpec.storage_base`, exir/memory_planning.py), so that a slice, a view or a part of a
concatenation is already where it is to be copied: the kernel then copies bytes onto themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.interpret.numbers_known import known_int
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.operators import base_name
from pte_lint.questions.overlap import Conflict
from pte_lint.schema.enums import element_size
from pte_lint.schema.program import Tensor

_WHOLE = frozenset(
    {
        "aten::_reshape_alias_copy",
        "aten::alias_copy",
        "aten::clone",
        "aten::copy",
        "aten::copy_",
        "aten::detach_copy",
        "aten::expand_copy",
        "aten::lift_fresh_copy",
        "aten::squeeze_copy",
        "aten::unsqueeze_copy",
        "aten::view_copy",
        "dim_order_ops::_clone_dim_order",
    }
)
"""Operators whose output is their input's bytes in the same order, if it has as many."""

_PIECES = frozenset({"aten::slice_copy", "aten::select_copy", "aten::narrow_copy"})

_SPLITS = {"aten::split_copy": 2, "aten::split_with_sizes_copy": 2, "aten::unbind_copy": 1}
"""Operators with a list of outputs, parts of the input in order; where their dimension stands."""


def lands_on_itself(method: Method, step: Step, conflict: Conflict) -> bool:
    """True when `step` copies bytes of the conflict's victim onto exactly themselves."""
    name = base_name(step.operator)
    shift = conflict.written.start - conflict.needed.start
    source, target = method.tensor(conflict.victim), method.tensor(conflict.writer)
    if source is None or target is None or not step.args:
        return False
    if source.scalar_type != target.scalar_type or source.dim_order is None:
        return False
    if name in _WHOLE:
        same_size = method.nbytes(conflict.victim) == method.nbytes(conflict.writer)
        return shift == 0 and same_size and _is_plain(source) and _is_plain(target)
    if step.args[0] != conflict.victim:
        return False
    if name in _PIECES:
        return shift == _start_of_piece(method, step, source)
    if name in _SPLITS:
        return shift == _start_of_part(method, step, conflict, source)
    return False


def _is_plain(tensor: Tensor) -> bool:
    order: Sequence[int] = tensor.dim_order or ()
    return list(order) == sorted(order)


def _start_of_piece(method: Method, step: Step, source: Tensor) -> int | None:
    """The byte offset of a slice or row in its input; None unless it is one run of bytes there."""
    sizes, width = source.sizes or (), element_size(source.scalar_type)
    dim, start = _outermost(method, step, 1, source), _int(method, step.args, 2)
    if dim is None or start is None or width is None:
        return None
    if base_name(step.operator) == "aten::slice_copy" and _int(method, step.args, 4) != 1:
        return None
    start = start + sizes[dim] if start < 0 else start
    stride = width
    for size in sizes[dim + 1 :]:
        stride *= size
    return start * stride


def _start_of_part(method: Method, step: Step, conflict: Conflict, source: Tensor) -> int | None:
    """The byte offset of a part of a split in the input; None unless parts are runs of bytes."""
    position = _SPLITS[base_name(step.operator)]
    if _outermost(method, step, position, source) is None:
        return None
    start = 0
    for part in step.writes:
        if part == conflict.writer:
            return start
        start += method.nbytes(part)
    return None


def _outermost(method: Method, step: Step, position: int, source: Tensor) -> int | None:
    """The dimension given at a position, if what varies slowest in memory is that dimension."""
    sizes, dim = source.sizes or (), _int(method, step.args, position)
    if dim is None or not _is_plain(source):
        return None
    dim = dim + len(sizes) if dim < 0 else dim
    if not 0 <= dim < len(sizes) or any(size != 1 for size in sizes[:dim]):
        return None
    return dim


def _int(method: Method, args: Sequence[int], position: int) -> int | None:
    """The constant Int at a position of a call."""
    return known_int(method, args[position]) if position < len(args) else None
