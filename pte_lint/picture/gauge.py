"""The scale beside an arena's chart: how much of it is ever needed at once, and how much is not."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.picture.memory import ArenaPicture
from pte_lint.picture.svg import element, text_node
from pte_lint.report.phrases import human_bytes

WIDTH = 74
"""Pixels of a gauge with its numbers."""

_BAR = 8
_ROOM = 13
"""Pixels that one number needs."""


def gauge(picture: ArenaPicture, height: float, extent: int) -> Iterator[str]:
    """Yields the elements of a gauge `WIDTH` wide; the bar is at its right edge.

    Args:
        picture: the arena.
        height: pixels.
        extent: the bytes that the height stands for.
    """
    left = WIDTH - _BAR
    size_y = height * (1 - picture.size / extent)
    peak_y = height * (1 - min(picture.peak, picture.size) / extent)
    if picture.wasted:
        yield element(
            "rect", class_="gauge-wasted", x=left, y=size_y, width=_BAR, height=peak_y - size_y
        )
    yield element("rect", class_="gauge-peak", x=left, y=peak_y, width=_BAR, height=height - peak_y)
    for y, text in _numbers(picture, height, size_y, peak_y):
        yield element("text", text_node(text), class_="scale", x=left - 5, y=y, text_anchor="end")


def _numbers(
    picture: ArenaPicture, height: float, size_y: float, peak_y: float
) -> Iterator[tuple[float, str]]:
    """The numbers that there is room for, from the top: size, peak, 0."""
    yield size_y + 9, human_bytes(picture.size).replace(" bytes", " B")
    last = size_y + 9
    if picture.wasted and peak_y - last >= _ROOM - 4 and height - peak_y >= _ROOM + 6:
        last = peak_y + 9
        yield last, human_bytes(picture.peak).replace(" bytes", " B")
    if height - last >= _ROOM:
        yield height, "0"
