"""Ties the tables of a layout to the dataclasses that a decoded document is made of.

A dataclass repeats its table field for field, in slot order (a union's type before its value),
and adds `at`. How a vector of scalars is delivered follows from the annotation: a tuple, `bytes`,
or a `Span` that is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, cast

from pte_lint.schema.errors import LayoutError
from pte_lint.schema.fbs import FieldLayout, Form, Layout

Maker = Callable[..., object]


class Unkept:
    """Stands for a table that was there and in order, and is of no further interest."""

    def __repr__(self) -> str:
        return "UNKEPT"


UNKEPT = Unkept()


class Delivery(Enum):
    """What a vector of scalars becomes."""

    TUPLE = "tuple"
    BYTES = "bytes"
    SPAN = "Span"


@dataclass(frozen=True, slots=True)
class BoundField:
    """A slot and how its content is delivered."""

    layout: FieldLayout
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class BoundTable:
    """A table and the constructor of its dataclass: one argument a slot, then `at`."""

    name: str
    fields: tuple[BoundField, ...]
    make: Maker
    defaults: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Binding:
    """All tables of a layout, bound.

    Attributes:
        layout: The layout.
        tables: Table name -> its binding.
        depth: Tables on the longest way from the root; None when a table contains itself.
    """

    layout: Layout
    tables: Mapping[str, BoundTable]
    depth: int | None


def bind(layout: Layout, classes: Mapping[str, type]) -> Binding:
    """Binds the tables of `layout` to their classes.

    Args:
        layout: The layout.
        classes: Table name -> class. A table without one is checked like the others, but only
            `UNKEPT` stands for it in the document.

    Raises:
        LayoutError: A class does not repeat its table.
    """
    tables = {
        name: _bound(name, slots, classes[name]) if name in classes else _unkept(name, slots)
        for name, slots in layout.tables.items()
    }
    return Binding(layout, tables, _depth(layout, layout.root, ()))


def _bound(name: str, slots: tuple[FieldLayout, ...], cls: type) -> BoundTable:
    declared = fields(cls)
    expected = [slot.name for slot in slots] + ["at"]
    if [item.name for item in declared] != expected:
        raise LayoutError(f"{cls.__name__} does not repeat table {name}: {expected}")
    bound = []
    for slot, item in zip(slots, declared, strict=False):
        annotation = str(item.type)
        delivery = Delivery.TUPLE
        if slot.form is Form.SCALARS:
            delivery = Delivery(annotation.partition(" ")[0].partition("[")[0])
        bound.append(BoundField(slot, delivery))
    defaults = tuple(slot.default for slot in slots)
    return BoundTable(name, tuple(bound), _maker(cls, expected), defaults)


def _unkept(name: str, slots: tuple[FieldLayout, ...]) -> BoundTable:
    fields_ = tuple(BoundField(slot, Delivery.SPAN) for slot in slots)
    return BoundTable(name, fields_, lambda *_: UNKEPT, tuple(slot.default for slot in slots))


def _maker(cls: type, names: list[str]) -> Maker:
    """Returns a constructor of a frozen, slotted class that is six times as fast as its own.

    A frozen dataclass sets each attribute through object.__setattr__. The twin made here has the
    same slots, sets them the plain way, and then becomes the frozen class: CPython allows that
    between classes of one layout. The names are those of our own classes, never of a file.
    """
    source = (
        "class Twin:\n"
        f"    __slots__ = {tuple(names)!r}\n"
        f"    def __init__(self, {', '.join(names)}):\n"
        + "".join(f"        self.{name} = {name}\n" for name in names)
        + "        self.__class__ = cls\n"
    )
    scope: dict[str, Any] = {"cls": cls, "__name__": __name__}
    exec(source, scope)
    return cast(Maker, scope["Twin"])


def _depth(layout: Layout, table: str, above: tuple[str, ...]) -> int | None:
    if table in above:
        return None
    deepest = 0
    for slot in layout.tables[table]:
        if slot.form in (Form.TABLE, Form.TABLES):
            children = [slot.target]
        elif slot.form is Form.UNION:
            children = list(layout.unions[slot.target].values())
        else:
            continue
        for child in children:
            below = _depth(layout, child, (*above, table))
            if below is None:
                return None
            deepest = max(deepest, below)
    return deepest + 1
