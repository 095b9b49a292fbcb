"""Where every field of every table of a document is, by kind of table and field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pte_lint.testing.layout import SLOTS


@dataclass(frozen=True, slots=True)
class Place:
    """One field of one table.

    Attributes:
        path: The field, as findings write it.
        table: Path of its table.
        value: What it holds.
    """

    path: str
    table: str
    value: Any


@dataclass(frozen=True, slots=True)
class FieldKind:
    """A field of a kind of table.

    Attributes:
        table: The dataclass.
        name: The field.
        word: Its type word; see `pte_lint.testing.layout`.
    """

    table: type[Any]
    name: str
    word: str


FieldMap = dict[FieldKind, list[Place]]


def field_map(root: Any) -> FieldMap:
    """Lists the fields of every table under ``root``, the root included."""
    found: FieldMap = defaultdict(list)
    for path, table in tables(root):
        for name, word in SLOTS[type(table)]:
            here = f"{path}.{name}" if path else name
            found[FieldKind(type(table), name, word)].append(
                Place(here, path, getattr(table, name))
            )
    return dict(found)


def tables(root: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every table under ``root`` with its path, the root (path as given) first."""
    yield path, root
    for name, word in SLOTS[type(root)]:
        value = getattr(root, name)
        if value is None:
            continue
        here = f"{path}.{name}" if path else name
        if word in ("table", "union"):
            yield from tables(value, here)
        elif word == "[table]":
            for index, each in enumerate(value):
                if each is not None:
                    yield from tables(each, f"{here}[{index}]")
