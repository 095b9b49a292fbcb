"""Small things about English that messages share."""

from __future__ import annotations


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 key`, `2 keys`; `plural` where an s is not enough."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def article(noun: str) -> str:
    """`an Int`, `a Tensor`; None is no noun."""
    if noun == "None":
        return noun
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"
