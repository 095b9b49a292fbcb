"""The memory plan as the page shows it: charts in SVG that are as wide as there is room."""

from __future__ import annotations

from markupsafe import Markup

from pte_lint.picture.chart import Chart, Frame, describe
from pte_lint.picture.gauge import WIDTH as GAUGE
from pte_lint.picture.gauge import gauge
from pte_lint.picture.memory import ArenaPicture, Replanned, Role, Tenant, facts, names
from pte_lint.picture.scene import MethodScene
from pte_lint.picture.strip import HEIGHT as STRIP
from pte_lint.picture.strip import draw as draw_strip
from pte_lint.picture.svg import element, text_node
from pte_lint.report.phrases import human_bytes
from pte_lint.schema.frozen import dataclass

HEIGHT = 168.0
"""Pixels of an arena's chart."""

_AXIS = 18
_MOST_ARENAS = 24
_MOST_ROWS = 200
_LEGEND = (Role.INPUT, Role.OUTPUT, Role.STATE, Role.OTHER)


@dataclass(frozen=True, slots=True)
class ArenaView:
    """One arena: its chart, and the same in words."""

    anchor: str
    title: str
    facts: tuple[str, ...]
    svg: Markup
    tenants: tuple[tuple[Tenant, str], ...]
    unlisted: int


@dataclass(frozen=True, slots=True)
class AfterView:
    """An arena after a fix."""

    rule: str
    href: str
    title: str
    given: str
    """Who is no longer planned here."""
    svg: Markup | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The arena as it is and, where a finding tells, as it would be."""

    now: ArenaView
    after: AfterView | None


@dataclass(frozen=True, slots=True)
class MemoryView:
    """All arenas of a method that are shown."""

    plans: tuple[Plan, ...]
    hidden: int
    legend: tuple[str, ...]
    """The roles of tensors that are there, and `wasted` where something is."""


def memory_view(scene: MethodScene) -> MemoryView:
    """Draws the arenas of a method: all of them, or the first and those with findings."""
    pictures = [a for a in scene.arenas if a.size or a.tenants]
    chosen = [
        a
        for n, a in enumerate(pictures)
        if n < _MOST_ARENAS or (any(t.marks for t in a.tenants) and n < 4 * _MOST_ARENAS)
    ]
    roles = {t.role for a in chosen for t in a.tenants}
    legend = [str(role) for role in _LEGEND if role in roles]
    if any(a.wasted for a in chosen):
        legend.append("wasted")
    plans = tuple(_plan(scene, a) for a in chosen)
    return MemoryView(plans, len(pictures) - len(chosen), tuple(legend))


def _plan(scene: MethodScene, picture: ArenaPicture) -> Plan:
    change = scene.fix.arenas.get(picture.arena.memory_id) if scene.fix else None
    after = _after(scene, picture, change) if change is not None else None
    told = sorted(picture.tenants, key=lambda t: (not t.marks, t.first, t.start, t.values))
    shown = told[:_MOST_ROWS]
    return Plan(
        ArenaView(
            arena_anchor(scene, picture),
            f"arena {picture.arena.memory_id} on {picture.device}",
            facts(picture),
            _figure(scene, picture),
            tuple((t, describe(t, picture.steps)) for t in shown),
            len(told) - len(shown),
        ),
        after,
    )


def arena_anchor(scene: MethodScene, picture: ArenaPicture) -> str:
    """The id of an arena's chart."""
    return f"{scene.anchor}-a{picture.arena.memory_id}"


def _after(scene: MethodScene, picture: ArenaPicture, change: Replanned) -> AfterView:
    assert scene.fix is not None
    svg = None
    if change.picture is not None:
        svg = _figure(scene, change.picture, before=picture)
    given = names(t.label for t in change.dropped)
    return AfterView(
        scene.fix.mark.rule,
        scene.fix.mark.anchor,
        human_bytes(change.size),
        f"{given} in the caller's memory" if given else "",
        svg,
    )


def _figure(
    scene: MethodScene, picture: ArenaPicture, before: ArenaPicture | None = None
) -> Markup:
    """Gauge and plot side by side; below the plot the band of instructions and their numbers."""
    frame, height = Frame(HEIGHT), HEIGHT
    extent = max(picture.extent, before.extent if before is not None else 0) or 1
    chart = Chart(picture, frame, scene.method.index, linked=before is None, before=before)
    label = f"arena {picture.arena.memory_id} on {picture.device}, {', '.join(facts(picture))}"
    left = element(
        "svg", *gauge(picture, height, extent), class_="gauge", width=GAUGE, height=height + 2,
        aria_hidden="true",
    )  # fmt: skip
    plot = element(
        "svg", *chart.draw(), class_="plot", width="100%", height=height, role="group",
        aria_label=label,
    )  # fmt: skip
    band = element(
        "svg", *draw_strip(scene.strip, frame), class_="band", width="100%", height=STRIP,
        aria_hidden="true",
    )  # fmt: skip
    numbers = (
        element("text", text_node(text), class_="tick", x=frame.x(at), y=13, text_anchor=anchor)
        for at, text, anchor in chart.ticks()
    )
    axis = element("svg", *numbers, class_="axis", width="100%", height=_AXIS, aria_hidden="true")
    right = element("div", plot, band, axis, class_="plots")
    return Markup(element("div", left, right, class_="chart"))
