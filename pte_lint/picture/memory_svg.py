"""`pte-lint memory --svg`: the memory plan as a picture of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.picture.chart import Chart, Frame
from pte_lint.picture.gauge import WIDTH as GAUGE
from pte_lint.picture.gauge import gauge
from pte_lint.picture.memory import ArenaPicture, facts, names
from pte_lint.picture.scene import MethodScene
from pte_lint.picture.sheet import group, sheet, text
from pte_lint.picture.strip import HEIGHT as STRIP
from pte_lint.picture.strip import draw as draw_strip
from pte_lint.picture.svg import cut
from pte_lint.report.phrases import human_bytes

_WIDTH = 960
_EDGE = 20
_HEIGHT = 190
_CAPTION = 40
"""Pixels of the two lines above a chart."""
_BETWEEN = 36
_MOST_ARENAS = 64


def render(title: str, scenes: Sequence[MethodScene]) -> str:
    """Draws the arenas of some methods one below the other.

    Args:
        title: the artifact's name, safe to show.
        scenes: the methods.
    """
    elements: list[str] = []
    y = float(_EDGE)
    for scene in scenes:
        y += 12
        elements.append(text(cut(f"{title}: {scene.name}", 900, 15), _EDGE, y, "title"))
        y += 14
        pictures = [a for a in scene.arenas if a.size or a.tenants]
        for picture in pictures[:_MOST_ARENAS]:
            elements.append(group(_EDGE, y, _arena(scene, picture)))
            y += _CAPTION + _HEIGHT + STRIP + 24 + 14
        rest = len(pictures) - _MOST_ARENAS
        if rest > 0 or not pictures:
            told = f"and {rest} more arenas" if pictures else "nothing is planned"
            elements.append(text(told, _EDGE, y + 12, "caption muted"))
            y += 24
    return sheet(_WIDTH, y + 8, f"Memory plan of {title}", elements)


def _arena(scene: MethodScene, picture: ArenaPicture) -> Iterator[str]:
    """One arena, and beside it what a fix makes of it."""
    room = _WIDTH - 2 * _EDGE
    change = scene.fix.arenas.get(picture.arena.memory_id) if scene.fix else None
    now = f"arena {picture.arena.memory_id} on {picture.device}"
    planned, *rest = facts(picture)
    if change is None or scene.fix is None:
        yield from _caption(f"{now}: {planned}", ", ".join(rest), 0, room)
        yield from _plot(scene, picture, room)
        return
    half = (room - _BETWEEN) / 2
    yield from _caption(f"{now} now: {planned}", ", ".join(rest), 0, half)
    yield from _plot(scene, picture, half)
    given = names(t.label for t in change.dropped)
    then = f"with {scene.fix.mark.rule} fixed: {human_bytes(change.size)} planned"
    told = f"{given} in the caller's memory" if given else ""
    yield from _caption(then, told, half + _BETWEEN, half, "good")
    if change.picture is not None:
        plot = _plot(scene, change.picture, half, before=picture)
        yield group(half + _BETWEEN, 0, plot)


def _caption(first: str, second: str, x: float, width: float, style: str = "") -> Iterator[str]:
    yield text(cut(first, width, 12), x, 16, f"strong {style}".strip())
    yield text(cut(second, width, 12), x, 32, "caption muted")


def _plot(
    scene: MethodScene, picture: ArenaPicture, width: float, before: ArenaPicture | None = None
) -> Iterator[str]:
    frame = Frame(_HEIGHT, width - GAUGE)
    chart = Chart(picture, frame, scene.method.index, linked=False, before=before)
    extent = max(picture.extent, before.extent if before is not None else 0) or 1
    yield group(0, _CAPTION, gauge(picture, _HEIGHT, extent))
    yield group(GAUGE, _CAPTION, chart.draw())
    yield group(GAUGE, _CAPTION + _HEIGHT + 2, draw_strip(scene.strip, frame))
    numbers = (
        text(words, part * (width - GAUGE), 0, "tick", anchor)
        for part, words, anchor in chart.ticks()
    )
    yield group(GAUGE, _CAPTION + _HEIGHT + STRIP + 16, numbers)
