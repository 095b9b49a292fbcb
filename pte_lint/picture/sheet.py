"""A picture of its own: an SVG document with its style, for the light and the dark."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.picture.style import picture_style
from pte_lint.picture.svg import element, text_node

_HATCHED = ("error", "warning", "info", "wasted")


def sheet(width: float, height: float, title: str, elements: Iterable[str]) -> str:
    """Puts elements on a sheet.

    Args:
        width: pixels.
        height: pixels.
        title: what the picture shows, for those who cannot see it.
        elements: finished markup.
    """
    hatches = (
        element(
            "pattern",
            element("rect", class_=f"hatch-line {kind}", width=2, height=7),
            id=f"hatch-{kind}",
            width=7,
            height=7,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        )
        for kind in _HATCHED
    )
    root = element(
        "svg",
        element("title", text_node(title)),
        element("style", f"\n{picture_style()}"),
        element("defs", *hatches),
        element("rect", class_="paper", width="100%", height="100%"),
        *(f"\n{each}" for each in elements),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
    )
    return f"{root}\n"


def text(words: str, x: float, y: float, style: str, anchor: str = "start") -> str:
    """A line of text; `style` are classes of `pictures.css`."""
    return element("text", text_node(words), class_=style, x=x, y=y, text_anchor=anchor)


def group(x: float, y: float, elements: Iterable[str]) -> str:
    """Moves elements."""
    return element("g", *elements, transform=f"translate({x:.0f} {y:.0f})")
