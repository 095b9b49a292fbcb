"""Ties the tables of a layout to the records that a decoded document is made of.

A record repeats its table field for field, in slot order (a union's type before its value),
and adds `at`. How a vector of scalars is delivered follows from the annotation: a tuple, `bytes`,
or a `Span` that is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from pte_lint.schema.errors import LayoutError
from pte_lint.schema.fbs import FieldLayout, Form, Layout
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.record import POSITION, Record


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


@dataclass(frozen=True, slots=True, eq=False)
class BoundTable:
    """A table and its record class; None for a table that `UNKEPT` stands for.

    Each is itself and no other: what is known of one is kept by identity.
    """

    name: str
    fields: tuple[BoundField, ...]
    record: type[Record] | None
    defaults: tuple[object, ...]

    def make(self, *values: object) -> object:
        """Makes the record of one table: a value a slot, then `at`."""
        return tuple.__new__(self.record, values) if self.record is not None else UNKEPT


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
    expected = (*(slot.name for slot in slots), POSITION)
    if not issubclass(cls, Record) or (*cls.__match_args__, POSITION) != expected:
        raise LayoutError(f"{cls.__name__} is no record that repeats table {name}: {expected}")
    bound = []
    for slot, annotation in zip(slots, cls.__annotations__.values(), strict=False):
        delivery = Delivery.TUPLE
        if slot.form is Form.SCALARS:
            delivery = Delivery(str(annotation).partition(" ")[0].partition("[")[0])
        bound.append(BoundField(slot, delivery))
    return BoundTable(name, tuple(bound), cls, tuple(slot.default for slot in slots))


def _unkept(name: str, slots: tuple[FieldLayout, ...]) -> BoundTable:
    fields = tuple(BoundField(slot, Delivery.SPAN) for slot in slots)
    return BoundTable(name, fields, None, tuple(slot.default for slot in slots))


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
