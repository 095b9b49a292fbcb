"""Element types by name, and the bytes of numbers in each of them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

from pte_lint.schema.enums import SCALAR_TYPES

Numbers = Sequence[float] | Sequence[int] | Sequence[bool]

_CODES = {name: code for code, (name, _) in SCALAR_TYPES.items()}
_PACKED = {
    "uint8": "B",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "bool": "?",
}


def scalar_type(dtype: str | int) -> int:
    """The format's code of a dtype such as ``"float32"``; a number is returned as it is.

    Raises:
        KeyError: No element type has that name.
    """
    return dtype if isinstance(dtype, int) else _CODES[dtype]


def tensor_bytes(sizes: Sequence[int], dtype: str | int) -> int:
    """Bytes of a dense tensor; element types the runtime rejects count as one byte."""
    _, size = SCALAR_TYPES.get(scalar_type(dtype), ("", 1))
    return prod(sizes) * size


def encoded(data: bytes | Numbers, dtype: str | int) -> bytes:
    """Little-endian bytes of some numbers; bytes are returned as they are.

    Raises:
        KeyError: Numbers of that dtype cannot be packed; give bytes.
    """
    if isinstance(data, bytes):
        return data
    name = SCALAR_TYPES[scalar_type(dtype)][0]
    return struct.pack(f"<{len(data)}{_PACKED[name]}", *data)
