"""Writes SVG as text.

Text and attribute values go through the gate for hostile names and are escaped.
"""

from __future__ import annotations

from html import escape

from pte_lint.text import sanitise

Attribute = str | int | float | None


def element(tag: str, *children: str, **attributes: Attribute) -> str:
    """One element.

    Args:
        tag: the tag's name.
        children: finished markup; make text with `text_node`.
        attributes: None leaves one out; `_` in a name stands for `-`, a final one is dropped
            (`class_`).
    """
    head = tag + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = "".join(children)
    return f"<{head}>{body}</{tag}>" if body else f"<{head}/>"


def text_node(text: str) -> str:
    """Text, made safe."""
    return escape(sanitise.prose(text), quote=False)


def number(value: float) -> str:
    """A number without needless digits, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def cut(text: str, width: float, size: float = 11) -> str:
    """Shortens a text that would be wider than `width` pixels at a font size of `size`."""
    fits = max(int(width / (size * 0.6)), 1)
    return text if len(text) <= fits else f"{text[: max(fits - 1, 0)]}\u2026"


def _value(value: Attribute) -> str:
    if isinstance(value, float):
        return number(value)
    text = str(value)
    # Shapes may be long; what cannot be printed is a name.
    return escape(text if text.isprintable() else sanitise.prose(text))
