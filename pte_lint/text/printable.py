"""Strings from a file as valid Unicode."""

from __future__ import annotations


def printable(text: str) -> str:
    """Makes a string from a file valid Unicode; undecodable bytes become `\\xNN`."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogatepass" if _has_lone(text) else "surrogateescape")
        return raw.decode("utf-8", "backslashreplace")
    return text


def _has_lone(text: str) -> bool:
    """True when there are surrogates that surrogateescape cannot have made."""
    return any(0xD800 <= ord(c) <= 0xDFFF and not 0xDC80 <= ord(c) <= 0xDCFF for c in text)
