"""What methods are given when their calls are compared: several contents, several sizes."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from struct import pack
from typing import Final

from pte_lint.interpret.choices import largest_sizes
from pte_lint.questions.method import Method
from pte_lint.schema.enums import dtype_name, element_size

CONTENTS: Final = ("ones", "ramps", "falling ramps", "normal values")
"""Ramps differ by position; falling ones are below zero and take the other way at conditions."""

_PERIOD: Final = 64
_SEED: Final = 20
Sizes = Mapping[int, tuple[int, ...]]
"""By position of the input."""


@dataclass(frozen=True, slots=True)
class InputSet:
    """One way to call a method.

    Attributes:
        name: What to call it: its contents, and sizes where they are not the largest.
        contents: The kind of contents.
        sizes: Sizes of inputs that are not those of the file.
    """

    name: str
    contents: str
    sizes: Sizes

    def data(self, method: Method) -> dict[int, bytes]:
        """Bytes by position of tensor inputs whose element type is known."""
        found = {}
        for position, v in enumerate(method.inputs):
            tensor = method.tensor(v)
            if tensor is None:
                continue
            count = prod(self.sizes.get(position, tensor.sizes or ()))
            made = content(self.contents, dtype_name(tensor.scalar_type), count, position)
            if made:
                found[position] = made
        return found


def content(kind: str, dtype: str, count: int, salt: int) -> bytes:
    """So many elements; whole numbers stay 0 or 1, which are valid indices nearly everywhere.

    Args:
        kind: one of `CONTENTS`.
        dtype: name of the element type; b"" for those without numbers.
        count: how many.
        salt: makes inputs differ from each other.
    """
    is_float = "float" in dtype and "8" not in dtype
    if not is_float and dtype not in _WHOLE:
        return b""
    if kind == "normal values" and is_float:
        draw = random.Random(_SEED + salt)
        return _floats(dtype, [draw.gauss(0, 1) for _ in range(count)])
    if kind == "normal values" and dtype in ("uint8", "int8"):
        return random.Random(_SEED + salt).randbytes(count)  # images and quantised values
    if kind == "normal values":
        draw = random.Random(_SEED + salt)
        return _wholes(dtype, [draw.getrandbits(1) for _ in range(count)])
    if is_float:
        sign = -1 if kind == "falling ramps" else 1
        steps = [sign * (0.5 + 0.25 * (salt % 4) + i / _PERIOD) for i in range(_PERIOD)]
        row = _floats(dtype, [1.0] if kind == "ones" else steps)
    else:
        turn = salt + (kind == "falling ramps")
        row = _wholes(dtype, [1] if kind == "ones" else [(i + turn) % 2 for i in range(_PERIOD)])
    width = element_size_of(dtype)
    return (row * (count * width // len(row) + 1))[: count * width]


_WHOLE: Final = {
    "bool": "B", "uint8": "B", "int8": "b", "int16": "h", "uint16": "H", "int32": "i",
    "uint32": "I", "int64": "q", "uint64": "Q",
}  # fmt: skip


def _wholes(dtype: str, values: Sequence[int]) -> bytes:
    return array(_WHOLE[dtype], values).tobytes()


def _floats(dtype: str, values: Sequence[float]) -> bytes:
    if dtype == "float16":
        return pack(f"<{len(values)}e", *values)
    if dtype == "bfloat16":
        wide = array("f", values).tobytes()
        return b"".join(wide[i + 2 : i + 4] for i in range(0, len(wide), 4))
    return array("f" if dtype == "float32" else "d", values).tobytes()


def element_size_of(dtype: str) -> int:
    """Bytes of an element of a type by name."""
    return next(n for code in range(30) if dtype_name(code) == dtype and (n := element_size(code)))


def size_choices(method: Method, named: Sequence[Sizes] = ()) -> Iterator[tuple[str, list[Sizes]]]:
    """Other sizes of inputs whose sizes may change: names, and sizes to try until one is taken.

    Those that findings name come first. Which dimensions are chosen is not in the file. Dimensions
    of equal size are taken for the same choice; then all of one position are. Sizes that the method
    refuses were never promised.
    """
    largest = {
        position: tuple(map(int, sizes))
        for position, v in enumerate(method.inputs)
        if (sizes := largest_sizes(method).get(v)) is not None
    }
    yield from (("named", [sizes]) for sizes in named)
    groups = _groups(largest)
    for name, shrink in (("smallest", (1, 2)), ("between", (-2,))):
        yield (
            name,
            [_shrunk(largest, group, to) for group in groups for to in shrink],
        )


def _groups(largest: Sizes) -> list[set[tuple[int, int]]]:
    """Sets of (input, dimension), the largest sets first: those that may be one choice."""
    places = {(p, d): n for p, sizes in largest.items() for d, n in enumerate(sizes) if n > 1}
    by_size = [{at for at, n in places.items() if n == size} for size in set(places.values())]
    by_dimension = [{at for at in places if at[1] == d} for d in {d for _, d in places}]
    every = [set(places)] if places else []
    return [*every, *sorted(by_dimension, key=len), *sorted(by_size, key=lambda g: -len(g))]


def _shrunk(largest: Sizes, group: set[tuple[int, int]], to: int) -> Sizes:
    return {
        p: tuple(
            [(n // 2 if to < 0 else min(to, n)) if (p, d) in group else n
             for d, n in enumerate(sizes)]
        )
        for p, sizes in largest.items()
    }  # fmt: skip
