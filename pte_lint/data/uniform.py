"""Tensors of which all elements are surely equal, so that it does not matter where one lies.

A normalisation by (0.5, 0.5, 0.5) comes out right even if channels are mixed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pte_lint.data.segments import has_constants, segment_at
from pte_lint.ops.operators import broadcasts
from pte_lint.schema.enums import element_size

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method

_FILLS: Final = frozenset(
    f"aten::{name}"
    for name in (
        *("fill.Scalar_out", "full.out", "full_like.out", "ones.out", "scalar_tensor.out"),
        "zeros.out",
    )
)
_COPIES: Final = frozenset(
    (
        *("aten::clone.out", "aten::copy_", "aten::copy.out", "aten::expand_copy.out"),
        *("aten::view_copy.out", "aten::_to_copy.out", "dim_order_ops::_clone_dim_order.out"),
        "dim_order_ops::_to_dim_order_copy.out",
    )
)
_CHUNK: Final = 1 << 16
_DEEPEST: Final = 16
"""Steps that are followed back from one tensor."""


class UniformTensors:
    """Answers for one method; remembers what it has found."""

    def __init__(self, method: Method, context: Context) -> None:
        """Reads nothing yet."""
        self._method = method
        self._context = context
        self._known: dict[int, bool] = {}

    def __call__(self, v: int) -> bool:
        """True when all elements of value `v` are surely equal."""
        return self._is_uniform(v, _DEEPEST)

    def _is_uniform(self, v: int, deep: int) -> bool:
        known = self._known.get(v)
        if known is None:
            self._known[v] = False  # whatever comes round to itself is not followed further
            known = self._known[v] = self._find(v, deep)
        return known

    def _find(self, v: int, deep: int) -> bool:
        method = self._method
        if method.nbytes(v) == 0:
            return True
        writers = method.writers(v)
        if method.is_constant(v):
            return not writers and self._is_constant_uniform(v)
        if not writers or not deep or method.is_input[v] or method.residency.is_rebound(v):
            return False
        return all(self._writes_uniform(w, deep) for w in writers)

    def _writes_uniform(self, index: int, deep: int) -> bool:
        method = self._method
        step = method.steps[index]
        if step.operator in _FILLS:
            return True
        if step.operator not in _COPIES and not broadcasts(step.operator):
            return False
        read = [v for v in step.args[: step.first_output] if method.tensor(v) is not None]
        return bool(read) and all(self._is_uniform(v, deep - 1) for v in read)

    def _is_constant_uniform(self, v: int) -> bool:
        context, tensor = self._context, self._method.tensor(v)
        loaded = context.loaded
        program = loaded.program if loaded is not None else None
        if tensor is None or loaded is None or program is None or not has_constants(program):
            return False
        reference = program.constant_segment
        segment = segment_at(program, reference.segment_index) if reference is not None else None
        span = loaded.container.segment_range(segment) if segment is not None else None
        offsets = (reference.offsets or ()) if reference is not None else ()
        width, nbytes = element_size(tensor.scalar_type), self._method.nbytes(v)
        if span is None or not width or not 0 <= tensor.data_buffer_idx < len(offsets):
            return False
        start = span.start + offsets[tensor.data_buffer_idx]
        if start + nbytes > span.start + span.size:
            return False
        buffer = context.artifact.buffer
        first = bytes(buffer[start : start + width])
        for at in range(start, start + nbytes, _CHUNK):
            chunk = bytes(buffer[at : min(at + _CHUNK, start + nbytes)])
            if chunk != first * (len(chunk) // width):
                return False
        return True
