"""Reports as plain data and back: JSON, in which the type of everything follows from its place.

A dataclass is the list of its fields, in order; what kind it is, the field it stands in says. Where
a field holds any JSON value (`evidence`, `numbers`), lists, tuples, mappings and our enumerations
are told apart by a number before their items. Reading makes nothing but these, and only where a
value has the very type that the field is annotated with; what does not fit is no report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from pte_lint.cache.store import ENTRY_BYTES
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast, Outcome, Stage, Verification
from pte_lint.claims.need import NeedKind
from pte_lint.claims.order import ExecuteStep, LoadMethodStep, LoadProgramStep, ValueStep
from pte_lint.claims.result import ArtifactReport

_DEPTH: Final = 40
"""Most lists within lists of any JSON value; a report's own depth is fixed by its types."""

_MOST_DIGITS: Final = 1 << 400
"""Whole numbers from here on are not kept; sizes of tensors are products of 64-bit numbers."""

_TABLES: Final = ("planned_bytes", "planned_bytes_with_fix", "copied_bytes")
_COUNTS: Final = ("bytes_duplicated", "redundant_copies", "redundant_bytes")
"""What `pte_lint.questions.numbers` sums up: by device or direction, and as a whole."""

_VERSIONS: Final = len(RUNTIME_VERSIONS)

_LIST, _TUPLE, _MAPPING, _ENUM = range(4)

_ENUMS: Final[tuple[type[Enum], ...]] = (
    Severity,
    Stage,
    Outcome,
    Verification,
    ExecuteStep,
    LoadMethodStep,
    LoadProgramStep,
    ValueStep,
    NeedKind,
)

Content = tuple[tuple[tuple[int, int], ...], str, ArtifactReport]
"""The ranges that the report depends on, their digest, and the report."""


class _Misfit(ValueError):  # noqa: N818 - it never leaves this module
    """A value is not what its place asks for."""


class _Codec(NamedTuple):
    """How values of one type are written and read; both raise `_Misfit` for any other value."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def pack(content: Content) -> bytes | None:
    """The content as bytes; None where it is too large, or would not come back the same."""
    try:
        raw = json.dumps(_codec(Content).write(content), separators=(",", ":")).encode()
    except (RecursionError, TypeError, ValueError):
        return None  # something of a rule that is no plain data
    return raw if len(raw) <= ENTRY_BYTES and unpack(raw) == content else None


def unpack(raw: bytes) -> Content | None:
    """Reads what `pack` wrote; None for anything else. Takes time in proportion to its length."""
    if len(raw) > ENTRY_BYTES:
        return None
    try:
        content: Content = _codec(Content).read(json.loads(raw))
    except (RecursionError, TypeError, ValueError):
        return None
    return content


@cache
def _codec(hint: Any) -> _Codec:
    """The codec of an annotation.

    Raises:
        TypeError: a report has no such thing.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _optional(hint, inner)
    if origin is tuple:
        return _tuple_of(inner)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_of(*inner)
    if hint is Any:
        return _Codec(_write_any, _read_any)
    if hint is float:
        return _Codec(_write_number, _read_number)
    if hint in (str, bool, int, NoneType):
        return _plain(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        index = _ENUMS.index(hint)
        return _Codec(lambda value: _enum_number(value, index), lambda told: _enum(index, told))
    if isinstance(hint, type) and is_dataclass(hint):
        return _instance_of(hint)
    raise TypeError(f"a report has no {hint}")


def _plain(kind: type) -> _Codec:
    def same(value: Any) -> Any:
        return _exactly(kind, value)

    def whole(value: Any) -> int:
        return _bounded(_exactly(int, value))

    return _Codec(whole, whole) if kind is int else _Codec(same, same)


def _bounded(value: int) -> int:
    if not -_MOST_DIGITS < value < _MOST_DIGITS:
        raise _Misfit
    return value


def _optional(hint: Any, inner: tuple[Any, ...]) -> _Codec:
    if len(inner) != 2 or NoneType not in inner:
        raise TypeError(f"a report has no {hint}")
    (kind,) = (each for each in inner if each is not NoneType)
    write, read = _codec(kind)
    return _Codec(
        lambda value: None if value is None else write(value),
        lambda told: None if told is None else read(told),
    )


def _tuple_of(inner: tuple[Any, ...]) -> _Codec:
    if inner[-1] is not Ellipsis:
        return _record([_codec(each) for each in inner], tuple, lambda value: value)
    write, read = _codec(inner[0])
    return _Codec(
        lambda value: [write(each) for each in _exactly(tuple, value)],
        lambda told: tuple([read(each) for each in _exactly(list, told)]),
    )


def _mapping_of(key: Any, item: Any) -> _Codec:
    if key is not str:
        raise TypeError("keys of a report are text")
    write, read = _codec(item)
    text = _plain(str).write
    return _Codec(
        lambda value: {text(k): write(v) for k, v in _exactly(dict, value).items()},
        lambda told: {k: read(v) for k, v in _exactly(dict, told).items()},
    )


def _instance_of(kind: type) -> _Codec:
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind)]
    values = [_codec(hints[name]) for name in names]

    def make(parts: tuple[Any, ...]) -> Any:
        made = kind(**dict(zip(names, parts, strict=True)))
        if isinstance(made, Forecast) and not len(made.full) == len(made.minimal) == _VERSIONS:
            raise _Misfit  # it is asked by the position of a version
        if isinstance(made, ArtifactReport):
            _check_numbers(made.numbers)
        return made

    def take(value: Any) -> tuple[Any, ...]:
        _exactly(kind, value)
        return tuple([getattr(value, name) for name in names])

    return _record(values, make, take)


def _check_numbers(numbers: Mapping[str, Any]) -> None:
    """The numbers of a report are JSON to its type, and whole numbers of bytes to its readers."""
    for key, value in numbers.items():
        inner = value.values() if key in _TABLES and type(value) is dict else (value,)
        if key in (*_TABLES, *_COUNTS) and any(type(each) is not int for each in inner):
            raise _Misfit


def _record(
    parts: list[_Codec], make: Callable[[Any], Any], take: Callable[[Any], tuple[Any, ...]]
) -> _Codec:
    """Of a fixed number of parts, each with a type of its own."""
    count = len(parts)

    def write(value: Any) -> list[Any]:
        inner = _exactly(tuple, take(value))
        if len(inner) != count:
            raise _Misfit
        return [part.write(each) for part, each in zip(parts, inner, strict=True)]

    def read(told: Any) -> Any:
        if len(_exactly(list, told)) != count:
            raise _Misfit
        return make(tuple([part.read(each) for part, each in zip(parts, told, strict=True)]))

    return _Codec(write, read)


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise _Misfit
    return value


def _write_number(value: Any) -> Any:
    """Also of whole numbers, enumerations of them and truth values: an `Order` has them all."""
    if not isinstance(value, int | float):
        raise _Misfit
    return _write_any(value)


def _read_number(told: Any) -> Any:
    value = _read_any(told)
    if not isinstance(value, int | float):
        raise _Misfit
    return value


def _write_any(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        return _bounded(value)
    if depth > _DEPTH:
        raise _Misfit
    if kind in (list, tuple):
        return [_LIST if kind is list else _TUPLE, *(_write_any(each, depth + 1) for each in value)]
    if kind is dict:
        pairs = (_write_any(each, depth + 1) for pair in value.items() for each in pair)
        return [_MAPPING, *pairs]
    if kind in _ENUMS:
        index = _ENUMS.index(kind)
        return [_ENUM, index, _enum_number(value, index)]
    raise _Misfit


def _read_any(told: Any, depth: int = 0) -> Any:
    kind = type(told)
    if told is None or kind in (bool, float, str):
        return told
    if kind is int:
        return _bounded(told)
    if kind is not list or not told or depth > _DEPTH or type(told[0]) is not int:
        raise _Misfit
    if told[0] == _ENUM:
        if len(told) != 3:
            raise _Misfit
        return _enum(told[1], told[2])
    inner = [_read_any(each, depth + 1) for each in told[1:]]
    if told[0] == _LIST:
        return inner
    if told[0] == _TUPLE:
        return tuple(inner)
    if told[0] != _MAPPING or len(inner) % 2 != 0:
        raise _Misfit
    return dict(zip(inner[::2], inner[1::2], strict=True))


def _enum_number(value: Any, index: int) -> int:
    return list(_ENUMS[index]).index(_exactly(_ENUMS[index], value))


def _enum(index: Any, number: Any) -> Enum:
    if type(index) is not int or type(number) is not int or min(index, number) < 0:
        raise _Misfit
    try:
        return list(_ENUMS[index])[number]
    except IndexError:
        raise _Misfit from None
