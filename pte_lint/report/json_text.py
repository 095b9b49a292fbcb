"""Writes plain values as JSON text with line breaks, as `json.dumps(value, indent=2)` does.

The standard library writes text with line breaks in Python, a generator for each level; this takes
less than half its time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from io import StringIO
from json.encoder import encode_basestring_ascii as quoted

from pte_lint.claims.finding import Json

_WORDS = {None: "null", True: "true", False: "false"}


def json_text(value: Json, *, sort: bool = False, newline: str = "\n") -> str:
    """A value as ASCII, two blanks for each level.

    Args:
        value: Strings, numbers, booleans, None, sequences and dictionaries with strings as keys.
        sort: The keys in alphabetical order.
        newline: What to begin a line of the outermost level with.

    Raises:
        ValueError: A number that JSON has no form for.
        TypeError: Something else that it has none for.
    """
    if type(value) is str:
        return quoted(value)
    text = StringIO()
    _put(value, newline, text.write, sort)
    return text.getvalue()


def _put(value: Json, newline: str, put: Callable[[str], object], sort: bool) -> None:
    if isinstance(value, str):
        put(quoted(value))
    elif value is None or value is True or value is False:
        put(_WORDS[value])
    elif isinstance(value, int):
        put(int.__repr__(value))
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no form for {value!r}")
        put(float.__repr__(value))
    elif isinstance(value, list | tuple):
        if not value:
            put("[]")
            return
        before, inside = "[", newline + "  "
        for each in value:
            put(before + inside)
            before = ","
            _put(each, inside, put, sort)
        put(newline + "]")
    elif isinstance(value, dict):
        if not value:
            put("{}")
            return
        before, inside = "{", newline + "  "
        for key, each in sorted(value.items()) if sort else value.items():
            put(f"{before}{inside}{quoted(key)}: ")
            before = ","
            _put(each, inside, put, sort)
        put(newline + "}")
    else:
        raise TypeError(f"cannot write a {type(value).__name__} as JSON")
