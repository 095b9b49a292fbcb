"""Turns frozen dataclasses into JSON, through the gate for hostile names."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import count
from typing import Any, Final, TypeGuard

from pte_lint.claims.finding import Json
from pte_lint.report.json_text import json_text
from pte_lint.text import sanitise

_OUTER: Final = 4
"""Levels of a document that are written piece by piece: the document, its methods, a method, its
lists."""

_ALWAYS: Final = 16
"""Items of a list that are written even where there is no room."""


def jsonable(value: object) -> Json:
    """Converts dataclasses, enums, tuples and mappings to what `json.dumps` takes.

    Raises:
        TypeError: something that JSON has no form for.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return sanitise.exact(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if is_dataclass(value):
        return {name: jsonable(getattr(value, name)) for name in _names(value)}
    if isinstance(value, Mapping):
        return {sanitise.exact(str(k)): jsonable(v) for k, v in value.items()}
    if _is_list(value):
        return [jsonable(v) for v in value]
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def _names(value: object) -> tuple[str, ...]:
    """The fields of a dataclass, in alphabetical order."""
    kind: Any = type(value)
    return _names_of(kind)


@cache
def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(sorted(f.name for f in fields(kind)))


def dumps(document: object) -> str:
    """Renders a whole document with its keys in alphabetical order."""
    return "".join(pieces(document))


class Room:
    """Room for the items of a document's lists, which go into it as they are written.

    Attributes:
        left: Characters.
        unlisted: Items that are left out for want of room, by the path of their list.
    """

    def __init__(self, characters: int) -> None:
        """Has so much room."""
        self.left = characters
        self.unlisted: dict[str, int] = {}


def pieces(document: object, room: Room | None = None) -> Iterator[str]:
    """The same in pieces: the values of a large document take many times its text.

    In the outer levels of the document an iterator counts as a list, `Text` as JSON that is written
    already, and a function as what it gives when its turn comes. Turns go by the alphabet, too.
    """
    yield from _pieces(document, 0, "", room or Room(sys.maxsize))
    yield "\n"


class Text(str):
    """A value that is JSON already, on a line of its own."""

    __slots__ = ()


def line(value: object) -> Text:
    """A value as JSON without line breaks."""
    return Text(json.dumps(jsonable(value), sort_keys=True, allow_nan=False))


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Sequence | Iterator) and not isinstance(value, str | bytes)


def _pieces(value: object, level: int, path: str, room: Room) -> Iterator[str]:
    inside, outside = "\n" + "  " * (level + 1), "\n" + "  " * level
    if callable(value):
        value = value()
    if isinstance(value, Text):
        room.left -= len(value)
        yield value
        return
    members: Iterable[tuple[str, object]]
    if level >= _OUTER or not (is_dataclass(value) or _is_list(value)):
        # ASCII only: what is invisible or turns text around is spelt out.
        text = json_text(jsonable(value), sort=True, newline=outside)
        room.left -= len(text)
        yield text
        return
    if is_dataclass(value):
        names = _names(value)
        members, (begin, end) = ((f'"{each}": ', getattr(value, each)) for each in names), "{}"
        inner = (f"{path}.{each}".lstrip(".") for each in names)
    else:
        members, (begin, end) = (("", each) for each in value), "[]"
        inner = (f"{path}[{n}]" for n in count())
    yield begin
    listed = 0
    for (name, member), where in zip(members, inner, strict=False):
        if begin == "[" and room.left <= 0 and listed >= _ALWAYS:
            room.unlisted[path] = room.unlisted.get(path, 0) + 1
            continue
        room.left -= len(inside) + len(name)
        yield f",{inside}{name}" if listed else f"{inside}{name}"
        yield from _pieces(member, level + 1, where, room)
        listed += 1
    yield f"{outside}{end}" if listed else end
