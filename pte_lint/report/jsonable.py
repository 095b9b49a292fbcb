"""Turns frozen dataclasses into JSON, through the gate for hostile names."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from pte_lint.claims.finding import Json
from pte_lint.text import sanitise


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
        return {f.name: jsonable(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {sanitise.exact(str(k)): jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def dumps(document: object) -> str:
    """Renders a whole document with its keys in alphabetical order."""
    # ASCII only: what is invisible or turns text around is spelt out.
    return json.dumps(jsonable(document), indent=2, sort_keys=True, allow_nan=False) + "\n"
