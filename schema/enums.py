"""Named values of the formats' enums and unions, and the sizes of element types.

Facts from schema/program.fbs of the format and from `runtime/core/exec_aten/util/
scalar_type_util.h` (element sizes; codes 8, 9, 10 and 18..21 are absent from the schema's enum but
accepted by the runtime's `isValid`).
"""

from __future__ import annotations

from enum import IntEnum


class KernelTypes(IntEnum):
    """Union codes of `EValue.val_type`."""

    NONE = 0
    NULL = 1
    INT = 2
    BOOL = 3
    DOUBLE = 4
    TENSOR = 5
    STRING = 6
    INT_LIST = 7
    DOUBLE_LIST = 8
    BOOL_LIST = 9
    TENSOR_LIST = 10
    OPTIONAL_TENSOR_LIST = 11


class InstructionKind(IntEnum):
    """Union codes of `Instruction.instr_args_type`."""

    NONE = 0
    KERNEL_CALL = 1
    DELEGATE_CALL = 2
    MOVE_CALL = 3
    JUMP_FALSE_CALL = 4
    FREE_CALL = 5


class ShapeDynamism(IntEnum):
    """How a tensor's sizes may change at run time."""

    STATIC = 0
    DYNAMIC_BOUND = 1
    DYNAMIC_UNBOUND = 2


class TensorDataLocation(IntEnum):
    """Where an unplanned tensor's bytes are: in the program's segments or in a .ptd."""

    SEGMENT = 0
    EXTERNAL = 1


class DeviceType(IntEnum):
    """Device types that the format knows."""

    CPU = 0
    CUDA = 1


class DataLocation(IntEnum):
    """Where a delegate's blob is."""

    INLINE = 0
    SEGMENT = 1


# code -> (name, bytes per element); the codes 0..29 are exactly those the runtime accepts.
SCALAR_TYPES: dict[int, tuple[str, int]] = {
    0: ("uint8", 1),
    1: ("int8", 1),
    2: ("int16", 2),
    3: ("int32", 4),
    4: ("int64", 8),
    5: ("float16", 2),
    6: ("float32", 4),
    7: ("float64", 8),
    8: ("complex32", 4),
    9: ("complex64", 8),
    10: ("complex128", 16),
    11: ("bool", 1),
    12: ("qint8", 1),
    13: ("quint8", 1),
    14: ("qint32", 4),
    15: ("bfloat16", 2),
    16: ("quint4x2", 1),
    17: ("quint2x4", 1),
    18: ("bits1x8", 1),
    19: ("bits2x4", 1),
    20: ("bits4x2", 1),
    21: ("bits8", 1),
    22: ("bits16", 2),
    23: ("float8_e5m2", 1),
    24: ("float8_e4m3fn", 1),
    25: ("float8_e5m2fnuz", 1),
    26: ("float8_e4m3fnuz", 1),
    27: ("uint16", 2),
    28: ("uint32", 4),
    29: ("uint64", 8),
}

# Largest tensor rank of the runtime (kTensorDimensionLimit, runtime/core/exec_aten/util/
# tensor_dimension_limit.h).
MAX_RANK = 16


def element_size(scalar_type: int) -> int | None:
    """Returns the bytes per element, or None for a code the runtime rejects."""
    known = SCALAR_TYPES.get(scalar_type)
    return known[1] if known else None


def dtype_name(scalar_type: int) -> str:
    """Returns a short dtype name such as `float32`, or `element-type-100`."""
    known = SCALAR_TYPES.get(scalar_type)
    return known[0] if known else f"element-type-{scalar_type}"
