"""Turns frozen dataclasses into JSON values, through the gate for hostile names."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from pte_lint._version import __version__
from pte_lint.finding import Json
from pte_lint.report import sanitise

TOOL: dict[str, Json] = {"name": "pte-lint", "version": __version__}
"""The `tool` object of every JSON document."""


def jsonable(value: object, omit: frozenset[str] = frozenset()) -> Json:
    """Converts dataclasses, enums, tuples and mappings to what `json.dumps` takes.

    Args:
        value: what to convert.
        omit: names of dataclass fields to leave out, at any depth.
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
        return {
            f.name: jsonable(getattr(value, f.name), omit)
            for f in fields(value)
            if f.name not in omit
        }
    if isinstance(value, Mapping):
        return {sanitise.exact(str(k)): jsonable(v, omit) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(v, omit) for v in value]
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def document(content: Mapping[str, Json]) -> str:
    """Renders a whole JSON document, with the keys that all of ours begin with."""
    everything = {"schema_version": 1, "tool": TOOL, **content}
    return json.dumps(everything, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
