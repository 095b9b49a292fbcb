"""Small things about English that messages share."""

from __future__ import annotations


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 key`, `2 keys`; `plural` where an s is not enough."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
