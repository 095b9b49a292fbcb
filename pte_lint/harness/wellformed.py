"""Whether what a probe's record was made into is what its types say.

A child that ran wild may have written anything into its record. It is JSON by then, of bounded
depth; here every value of every field is looked at, once, so that nothing behind needs to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_LONGEST = 1 << 16
"""Characters of a text: the probe cuts all of its own at 4096 bytes."""

_LARGEST = 1 << 64
"""Of whole numbers: the runtime has none beyond."""

Check = Callable[[Any], bool]


def is_wellformed(value: object) -> bool:
    """Whether a dataclass holds what its annotations say, all the way down."""
    kind: Any = type(value)
    return _check_of(kind)(value)


@cache
def _check_of(hint: Any) -> Check:
    """A test for one annotation.

    Raises:
        TypeError: it is of a kind that no record has.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        checks = [_check_of(each) for each in inner]
        return lambda value: any(check(value) for check in checks)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in inner
    if origin is tuple and inner[-1] is Ellipsis:
        every = _check_of(inner[0])
        return lambda value: type(value) is tuple and all(map(every, value))
    if origin is tuple:
        parts = [_check_of(each) for each in inner]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(parts)
            and all(check(each) for check, each in zip(parts, value, strict=True))
        )
    if isinstance(hint, type) and is_dataclass(hint):
        return _check_of_class(hint)
    if hint is str:
        return lambda value: type(value) is str and len(value) <= _LONGEST
    if hint is int:
        return lambda value: type(value) is int and -_LARGEST < value < _LARGEST
    if hint is float:
        # A whole number is written without a point.
        return lambda value: (
            type(value) is float or (type(value) is int and -_LARGEST < value < _LARGEST)
        )
    if hint in (bool, NoneType):
        return lambda value: type(value) is hint
    raise TypeError(f"a record has no {hint}")


def _check_of_class(kind: type) -> Check:
    hints = get_type_hints(kind)
    checks: tuple[Check, ...] = ()

    def check(value: object) -> bool:
        nonlocal checks
        if not checks:
            # Only now: a class may hold others of its kind. All at once: other threads may ask.
            checks = tuple(map(_check_of, hints.values()))
        return type(value) is kind and all(
            one(getattr(value, name)) for name, one in zip(hints, checks, strict=True)
        )

    return check
