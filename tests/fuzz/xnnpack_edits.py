"""Edits of the graph inside an XNNPACK blob: numbers in place, so that everything else stays.

Places are found with the layout of the format (`schema/xnnpack.fbs`): every scalar that is stored,
every element and the length of every vector of numbers, and the kinds of unions. A new number is
drawn by what the field is: an id among the ids, a datatype among the datatypes, sizes near the old.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from pte_lint.schema.fbs import FieldLayout, Form, layout

_WORDS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 64, 255, 4096, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_MOST_ELEMENTS = 64
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-40, 1e-6, 3e38, float("inf"), float("-inf"), float("nan"))


@dataclass(frozen=True, slots=True)
class Place:
    """A number of the graph.

    Attributes:
        path: Such as `xvalues[3].xvalue_union.dims[1]`, or `...dims.length`.
        at: Its first byte in the graph.
        code: Its struct format.
        name: The field.
        most: Largest length that the bytes after it allow; None for other numbers.
    """

    path: str
    at: int
    code: str
    name: str
    most: int | None = None


def places(graph: bytes) -> list[Place]:
    """All numbers of a sound graph."""
    (root,) = struct.unpack_from("<I", graph, 0)
    return list(_table(graph, root, "", "XNNGraph"))


def _table(graph: bytes, at: int, path: str, table: str) -> Iterator[Place]:
    (back,) = struct.unpack_from("<i", graph, at)
    vtable = at - back
    (size,) = struct.unpack_from("<H", graph, vtable)
    kinds: dict[str, int] = {}
    for field in layout("xnnpack").tables[table]:
        slot = 4 + 2 * field.slot
        offset = struct.unpack_from("<H", graph, vtable + slot)[0] if slot + 2 <= size else 0
        if not offset:
            continue
        here, where = f"{path}.{field.name}" if path else field.name, at + offset
        if field.form.is_inline:
            if field.form is Form.UNION_TYPE:
                kinds[field.name.removesuffix("_type")] = graph[where]
            yield Place(here, where, field.code, field.name)
            continue
        target = where + struct.unpack_from("<I", graph, where)[0]
        if field.form is Form.TABLE:
            yield from _table(graph, target, here, field.target)
        elif field.form is Form.UNION:
            name = layout("xnnpack").unions[field.target].get(kinds.get(field.name, 0))
            if name is not None:
                yield from _table(graph, target, here, name)
        elif field.form in (Form.SCALARS, Form.TABLES):
            yield from _vector(graph, target, here, field)


def _vector(graph: bytes, at: int, path: str, field: FieldLayout) -> Iterator[Place]:
    (length,) = struct.unpack_from("<I", graph, at)
    yield Place(f"{path}.length", at, "I", f"{field.name}.length", length)
    for index in range(length if field.form is Form.TABLES else min(length, _MOST_ELEMENTS)):
        where = at + 4 + field.size * index
        if field.form is Form.TABLES:
            where += struct.unpack_from("<I", graph, where)[0]
            yield from _table(graph, where, f"{path}[{index}]", field.target)
        else:
            yield Place(f"{path}[{index}]", where, field.code, field.name)


def edited(graph: bytes, choice: random.Random, known: list[Place]) -> tuple[bytes, str]:
    """The graph with one to three numbers changed, and which."""
    changed, said = bytearray(graph), []
    for _ in range(choice.choice((1, 1, 1, 1, 2, 3))):
        place = choice.choice(known)
        (old,) = struct.unpack_from(f"<{place.code}", changed, place.at)
        new = _number(place, old, choice)
        struct.pack_into(f"<{place.code}", changed, place.at, new)
        said.append(f"{place.path}: {old} -> {new}")
    return bytes(changed), "; ".join(said)


def _number(place: Place, old: float, choice: random.Random) -> float:
    if place.code in "fd":
        return choice.choice((*_FLOATS, max(-3e38, min(3e38, old * 2)), -old))
    if place.most is not None:
        return choice.randrange(place.most + 1) if place.most else 0
    width = struct.calcsize(place.code)
    if place.name.endswith("_type"):
        return choice.randrange(52)
    if place.name.endswith("datatype"):
        return choice.randrange(16)
    if place.name == "flags":
        return choice.choice((0, 1, 2, 3, 4, 8, 0x40, 0x80, 0x100, 0x400, 1 << 31))
    number = choice.choice(
        (int(old) + choice.choice((-2, -1, 1, 2)), choice.randrange(12), choice.choice(_WORDS))
    )
    number &= (1 << 8 * width) - 1
    if place.code.islower() and number >> (8 * width - 1):
        number -= 1 << 8 * width
    return number
