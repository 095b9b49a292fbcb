"""Turns what rules put into evidence and numbers into strict JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from pte_lint.finding import Json
from pte_lint.report.sanitise import exact

_DEPTH: Final = 16
"""Nesting kept; deeper evidence is spelt out as text."""


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
    if depth < _DEPTH:
        if isinstance(value, Mapping):
            pairs = {exact(str(k)): json_value(v, depth + 1) for k, v in value.items()}
            return dict(sorted(pairs.items()))
        if isinstance(value, list | tuple):
            return [json_value(v, depth + 1) for v in value]
        if isinstance(value, set | frozenset):
            return sorted((json_value(v, depth + 1) for v in value), key=repr)
    return exact(str(value))
