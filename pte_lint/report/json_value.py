"""Turns what rules put into evidence and numbers into strict JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from pte_lint.claims.finding import Json
from pte_lint.text.sanitise import exact

_DEPTH: Final = 16
"""Nesting kept; what is deeper becomes `"..."`."""


def json_value(value: Json, depth: int = 0) -> Json:
    """Returns `value` as str, int, float, bool, None, lists and dicts with sorted text keys.

    NaN and the infinities, which JSON does not have, become text; so does anything unknown.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return exact(str(value))
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        return exact(str(value))
    if depth >= _DEPTH:
        return "..."
    if isinstance(value, Mapping):
        pairs = {exact(str(k)): json_value(v, depth + 1) for k, v in value.items()}
        return dict(sorted(pairs.items()))
    items = [json_value(v, depth + 1) for v in value]
    return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
