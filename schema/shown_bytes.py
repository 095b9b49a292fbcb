"""Bytes of a file as messages show them."""

from __future__ import annotations


def shown(raw: bytes) -> str:
    """`XN00` where all of it is printable ASCII, else hexadecimal: `58 4e 00 00`."""
    if raw and raw.isascii() and raw.decode("ascii").isprintable():
        return raw.decode("ascii")
    return raw.hex(" ") or "(nothing)"
