"""Changes one field of a frozen program, named by the path that findings use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from pte_lint.schema.record import Record

_STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[(-?\d+)\]")
T = TypeVar("T")


def replaced(root: T, path: str, value: Any) -> T:
    """Returns a copy of ``root`` with the field at ``path`` set to ``value``.

    Args:
        root: A record of ``pte_lint.schema``.
        path: Such as ``execution_plan[0].values[3].val.sizes``.
        value: The new value; a callable gets the old one and returns the new one.

    Raises:
        ValueError: The path is malformed.
        AttributeError, IndexError, TypeError: There is no such field.
    """
    steps: list[str | int] = []
    end = 0
    while end < len(path):
        match = _STEP.match(path, end)
        if match is None:
            raise ValueError(f"no path: {path!r} at {end}")
        steps.append(match[1] if match[1] is not None else int(match[2]))
        end = match.end()
    return cast(T, _set(root, steps, value))


def _set(node: Any, steps: list[str | int], value: Any) -> Any:
    if not steps:
        return cast(Callable[[Any], Any], value)(node) if callable(value) else value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        return replace(node, **{step: _set(getattr(node, step), rest, value)})
    if isinstance(node, Record):
        raise TypeError(f"{type(node).__name__} has fields, not items")
    items = list(node)
    items[step] = _set(items[step], rest, value)
    return tuple(items)
