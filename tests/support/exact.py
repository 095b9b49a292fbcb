"""A decoded table as plain tuples that compare bit for bit."""

from __future__ import annotations

import struct
from dataclasses import fields, is_dataclass
from typing import Any

from pte_lint.schema.program import Span


def exact(item: Any, content: bytes) -> Any:
    """Everything a table stores, union codes included; positions and `Span`s are looked through.

    Floats become their bit patterns, so NaN equals itself and -0.0 is not 0.0.

    Args:
        item: A decoded or built table, or part of one.
        content: What its spans point into.
    """
    if isinstance(item, Span):
        return content[item.start : item.start + item.size]
    if is_dataclass(item):
        stored = (
            exact(getattr(item, each.name), content) for each in fields(item) if each.name != "at"
        )
        return (type(item).__name__, *stored)
    if isinstance(item, tuple):
        return ["vector", *(exact(each, content) for each in item)]
    if isinstance(item, float):
        return struct.pack("<d", item)
    return item
