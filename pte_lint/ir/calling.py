"""The calling convention: which arguments of an instruction are written.

The file does not say; it follows from how the exporter's emitter lays arguments out
(exir/emit/_emitter.py: `_Emitter.call_function`, `_emit_argument`) and from the prim ops that are
registered by hand (kernels/prim_ops/register_prim_ops.cpp). Every schema argument comes first, in
order; what follows is the call's return: the same out argument again, a list of the out arguments,
or, for an in-place operator, its first argument again. Where the operator's schema is known it
decides; kernels write where their schema says, whatever the return names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.ops import prims
from pte_lint.ops.operators import OUTPUT_MASK
from pte_lint.ops.schemas import operator_schema
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import BoolList, EValue, IntList, OptionalTensorList, TensorList

ET_VIEW: Final = prims.ET_VIEW
ET_COPY_INDEX: Final = prims.ET_COPY_INDEX
H2D_COPY: Final = "et_copy::_h2d_copy.out"
D2H_COPY: Final = "et_copy::_d2h_copy.out"
LOCAL_SCALAR: Final = prims.LOCAL_SCALAR
CUDA_BACKEND: Final = "CudaBackend"
"""A backend that takes each of its arguments for a tensor."""

_SLOT_OPERATORS: Final = frozenset({prims.SYM_SIZE, prims.SYM_NUMEL, LOCAL_SCALAR})
_PRIM_PREFIX: Final = "executorch_prim::"
_CONVOLUTION_BACKWARD: Final = "aten::convolution_backward.out"

_COPY_SIZE = 3
"""Arguments of a boundary copy: source, target, and the slot for the return."""


def is_scalar_valued(operator: str) -> bool:
    """True for operators that write one scalar slot, their last argument, without a duplicate."""
    return operator in _SLOT_OPERATORS or (
        operator.startswith(_PRIM_PREFIX) and operator not in (ET_VIEW, ET_COPY_INDEX)
    )


def has_usual_outputs(operator: str) -> bool:
    """True for operators whose calls end in an out argument, given twice, unless it is a list."""
    return operator not in (ET_COPY_INDEX, ET_VIEW) and not is_scalar_valued(operator)


def list_items(value: EValue | None) -> tuple[int, ...]:
    """The value indices in a tensor list or an IntList, absent elements left out.

    An IntList holds the indices of Int values, which may be written at run time (symbolic sizes).
    """
    if value is None or not isinstance(value.val, TensorList | OptionalTensorList | IntList):
        return ()
    return tuple(i for i in value.val.items or () if i >= 0)


def kernel_outputs(
    operator: str, args: Sequence[int], values: Sequence[EValue]
) -> tuple[int, tuple[int, ...]]:
    """Says where a kernel call's outputs begin and which positions are written.

    Returns:
        `(first, written)`: `args[:first]` are inputs; `written` are the argument positions that
        are written, which for an in-place operator lie among the inputs.
    """
    n = len(args)
    if n == 0:
        return 0, ()
    if operator == ET_COPY_INDEX:
        return n, (0,)
    if operator == ET_VIEW or is_scalar_valued(operator):
        return n - 1, (n - 1,)
    if operator in (H2D_COPY, D2H_COPY) and n == _COPY_SIZE:
        return 1, (1,)
    schema = operator_schema(operator)
    if schema is not None and schema.call_size == n:
        first = schema.inputs
        if first == n - 1:
            return first, (0,)
        outs = tuple(range(first, n - 1))
        if operator == _CONVOLUTION_BACKWARD:
            left_out = _left_out(args, values)
            outs = tuple(at for at in outs if at - first not in left_out)
        return first, outs
    return _by_convention(args, values)


def _left_out(args: Sequence[int], values: Sequence[EValue]) -> set[int]:
    """Outputs of convolution_backward that it leaves as they are, not being asked for them.

    Source: kernels/portable/cpu/op_convolution_backward.cpp.
    """
    mask = args[OUTPUT_MASK]
    content = values[mask].val if 0 <= mask < len(values) else None
    asked = content.items or () if isinstance(content, BoolList) else ()
    return {n for n, flag in enumerate(asked) if not flag}


def _by_convention(args: Sequence[int], values: Sequence[EValue]) -> tuple[int, tuple[int, ...]]:
    n = len(args)
    if n == 1:
        return 0, (0,)
    last = args[-1]
    kind = values[last].val_type if 0 <= last < len(values) else None
    if kind in (KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST):
        items = list_items(values[last])
        before = args[-2]
        if 0 <= before < len(values) and (
            before == last
            or (
                values[before].val_type == KernelTypes.TENSOR_LIST
                and list_items(values[before]) == items
            )
        ):
            return n - 2, (n - 2,)
        k = len(items)
        if 0 < k < n and tuple(args[n - 1 - k : n - 1]) == items:
            return n - 1 - k, tuple(range(n - 1 - k, n - 1))
        return n - 1, (n - 1,)
    if args[-2] == last:
        return n - 2, (n - 2,)
    if args[0] == last:
        return n - 1, (0,)
    return n - 1, (n - 1,)
