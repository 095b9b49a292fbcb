"""Immutable records that cost as little as Python allows, for documents of a million tables.

A record looks like a frozen dataclass: declared fields with defaults, keyword arguments, equality
by class and content. Underneath it is a tuple, which is the one kind of object with fields that
is made without running Python code: a reader makes it with `tuple.__new__(cls, values)`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import Field

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        """Says nothing at run time; Python 3.10 does not have it."""
        return lambda decorated: decorated


T = TypeVar("T")

POSITION = "at"
"""The last field of every record: where its table is in the file; no part of the content."""

_MOST = 24
# A named tuple reads its fields through descriptors written in C, which any tuple can use.
_make_named: Callable[..., type] = namedtuple
_Any = _make_named("_Any", [f"f{n}" for n in range(_MOST)])
_GETTERS: list[object] = [vars(_Any)[f"f{n}"] for n in range(_MOST)]


class Record(tuple[Any, ...]):
    """Base of all records; `record` makes classes of it."""

    __slots__ = ()
    __match_args__: tuple[str, ...]
    __dataclass_fields__: Any
    _defaults: tuple[object, ...]

    if not TYPE_CHECKING:

        def __new__(cls, *args: object, **more: object) -> Record:
            """Takes fields in order or by name, as the `__init__` of a dataclass does."""
            names, values = cls.__match_args__, cls._defaults
            if len(args) >= len(values):
                raise TypeError(f"{cls.__name__} takes {len(values) - 1} positional arguments")
            row = [*args, *values[len(args) :]]
            for name, value in more.items():
                at = len(values) - 1 if name == POSITION else names.index(name)
                if at < len(args):
                    raise TypeError(f"{cls.__name__} is given {name} twice")
                row[at] = value
            return tuple.__new__(cls, row)

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-1])

    def __repr__(self) -> str:
        pairs = zip(self.__match_args__, self, strict=False)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __reduce__(self) -> tuple[object, ...]:
        return tuple.__new__, (type(self), tuple(self))

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError("records have no order")

    __gt__ = __le__ = __ge__ = __lt__


class _Fields:
    """Makes the fields of a record class known to `dataclasses` when it asks for them."""

    def __get__(self, instance: object, cls: type[Record]) -> dict[str, Field[Any]]:
        import dataclasses

        space: dict[str, object] = dict(zip(cls.__match_args__, cls._defaults, strict=False))
        space[POSITION] = dataclasses.field(default=0, compare=False, repr=False, kw_only=True)
        space["__annotations__"] = cls.__annotations__
        twin = type(cls.__name__, (), space)
        found: dict[str, Field[Any]] = vars(dataclasses.dataclass(twin))["__dataclass_fields__"]
        cls.__dataclass_fields__ = found
        return found


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Makes a record of a class that declares fields as a dataclass does, all with defaults.

    The last field is `at: int = 0`, to be given by keyword. `dataclasses.fields` and
    `dataclasses.replace` work on records.
    """
    names = tuple(cls.__annotations__)
    assert names[-1] == POSITION
    space = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
    space["_defaults"] = tuple(space[name] for name in names)
    space.update(zip(names, _GETTERS, strict=False))
    space["__slots__"] = ()
    space["__match_args__"] = names[:-1]
    space["__dataclass_fields__"] = _Fields()
    return type(cls.__name__, (Record,), space)
