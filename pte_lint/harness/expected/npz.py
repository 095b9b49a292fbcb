"""Cases from .npz files, without numpy: a zip archive of arrays with a small header each.

The format of the arrays is numpy's own (numpy.lib.format). The names of arrays say what they are:
`input_0`, `output_0`, and with a method in front of it `forward.input_0`.
"""

from __future__ import annotations

import ast
import re
import sys
import zipfile
from array import array
from math import prod
from pathlib import Path
from typing import Final

from pte_lint.harness.expected.cases import Case, GivenTensor, NotUnderstood

_MAGIC: Final = b"\x93NUMPY"
_NAME: Final = re.compile(r"(?:(?P<method>.+)\.)?(?P<what>input|output)_(?P<position>\d{1,4})")
_MOST_BYTES: Final = 4 << 30
_DTYPES: Final = {
    "b1": "bool", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16", "i4": "int32",
    "u4": "uint32", "i8": "int64", "u8": "uint64", "f2": "float16", "f4": "float32",
    "f8": "float64", "c8": "complex64", "c16": "complex128", "V2": "bfloat16",
}  # fmt: skip
"""numpy has no bfloat16 of its own: it stores that of others as two bytes without a meaning."""


def read_npz(path: Path) -> list[Case]:
    """The cases of a file, one for each method that it names.

    Raises:
        NotUnderstood: it is no such file, or names arrays otherwise.
        OSError: it cannot be read.
    """
    cases: dict[str | None, Case] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(each.file_size for each in archive.infolist()) > _MOST_BYTES:
                raise NotUnderstood(f"{path.name} holds more than {_MOST_BYTES} bytes")
            for name in archive.namelist():
                found = _NAME.fullmatch(name.removesuffix(".npy"))
                if found is None:
                    raise NotUnderstood(
                        f"{path.name} has an array {name!r}: they are named input_0, output_0, or "
                        "METHOD.input_0"
                    )
                case = cases.setdefault(found["method"], Case(path.name, found["method"], {}, {}))
                place = case.inputs if found["what"] == "input" else case.outputs
                place[int(found["position"])] = read_npy(archive.read(name), name)
    except zipfile.BadZipFile as error:
        raise NotUnderstood(f"{path.name} is no .npz file: {error}") from error
    if not any(case.outputs for case in cases.values()):
        raise NotUnderstood(f"{path.name} has no output to compare with (output_0)")
    return list(cases.values())


def read_npy(data: bytes, name: str) -> GivenTensor:
    """One array.

    Raises:
        NotUnderstood: it is none, or of a type that programs do not have.
    """
    try:
        if data[:6] != _MAGIC or data[6] not in (1, 2, 3):
            raise ValueError("no magic number")
        wide = 2 if data[6] == 1 else 4
        start = 8 + wide + int.from_bytes(data[8 : 8 + wide], "little")
        header = ast.literal_eval(data[8 + wide : start].decode("utf-8"))
        descr, is_fortran, sizes = (header[key] for key in ("descr", "fortran_order", "shape"))
        order, code = descr[0], descr[1:]
        dtype = _DTYPES[code]
        if not all(isinstance(n, int) and n >= 0 for n in sizes):
            raise ValueError(f"sizes {sizes}")
        count = prod(sizes)
    except (ValueError, KeyError, TypeError, IndexError, SyntaxError, RecursionError) as error:
        raise NotUnderstood(f"{name} is no array that can be read: {error}") from error
    width = int(code[1:])
    body = data[start : start + count * width]
    if len(body) < count * width or len(sizes) > 16:
        raise NotUnderstood(f"{name} is cut off")
    if order == ">" or (order == "=" and sys.byteorder == "big"):
        body = _swapped(body, width // 2 if code[0] == "c" else width)
    if is_fortran and len(sizes) > 1:
        from pte_lint.harness.elements import in_logical_order

        body = in_logical_order(body, width, sizes, list(reversed(range(len(sizes)))))
    return GivenTensor(dtype, tuple(sizes), body)


def _swapped(body: bytes, width: int) -> bytes:
    if width == 1:
        return body
    words = array({2: "H", 4: "I", 8: "Q"}[width], body)
    words.byteswap()
    return words.tobytes()
