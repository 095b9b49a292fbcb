"""Strings as the runtime reads them: up to the first zero byte.

A flatbuffer's string may hold zero bytes; the runtime asks for `c_str()` nearly everywhere (method,
operator and backend names, keys).
"""

from __future__ import annotations


def c_string(text: str) -> str:
    """The part of a string before its first zero byte."""
    return text.partition("\0")[0]


def operator_name(name: str | None, overload: str | None) -> str:
    """The name that an operator is looked up by (populate_operator_name, method.cpp).

    Whether there is an overload is told from its stored length, zero bytes counted.
    """
    base = c_string(name or "")
    return f"{base}.{c_string(overload)}" if overload else base
