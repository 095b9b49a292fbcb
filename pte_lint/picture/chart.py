"""The chart of an arena: instructions from left to right, bytes from bottom to top.

It is drawn for two frames: in a page as wide as there is room, with places in percent so that text
keeps its size; and in a picture of its own in pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pte_lint.picture import anchors
from pte_lint.picture.marks import Overlap
from pte_lint.picture.memory import ArenaPicture, Role, Tenant
from pte_lint.picture.svg import cut, element, number, text_node
from pte_lint.report.phrases import human_bytes
from pte_lint.schema.frozen import dataclass

MANY = 160
"""Tenants of an arena from which on those without findings are drawn as one shape."""

MOST = 20_000
"""Tenants that are drawn; beyond that the largest."""

_PIXELS = 700
"""Pixels that a chart is wide at least where it matters that nothing gets too thin to be seen."""

_DENSE = 1_500
"""Tenants in one shape from which on they are not outlined."""

_LABEL = 0.05
"""Part of the width that a tenant with a label has at least."""

_LINE = 14
"""Pixels of a line of text."""

_TICKS = 16
"""Columns that all have their number below them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a chart: `height` in pixels; `width` in pixels, None for 100 percent."""

    height: float
    width: float | None = None

    def x(self, part: float) -> str:
        """A place or a length, given as a part of the width."""
        if self.width is None:
            return f"{number(part * 100)}%"
        return number(part * self.width)


class Chart:
    """Draws one arena."""

    def __init__(
        self,
        picture: ArenaPicture,
        frame: Frame,
        method: int,
        *,
        linked: bool,
        before: ArenaPicture | None = None,
    ) -> None:
        """Prepares the scales.

        Args:
            picture: the arena.
            frame: the size.
            method: the method's index, for anchors.
            linked: link tenants to their findings and give them ids.
            before: the arena before a fix; it gives the scale, and what it had more is outlined.
        """
        self._picture, self._frame, self._method, self._linked = picture, frame, method, linked
        self._before = before
        self._extent = max(picture.extent, before.extent if before is not None else 0) or 1
        self.columns = picture.steps + 2

    def x(self, step: int) -> float:
        """Where the column of a step begins, as a part of the width; step -1 sets the inputs."""
        return (step + 1) / self.columns

    def y(self, byte: int) -> float:
        """Where a byte is, in pixels from the top."""
        return self._frame.height * (1 - byte / self._extent)

    def draw(self) -> Iterator[str]:
        """Yields the elements of the plot, from back to front."""
        frame, picture = self._frame, self._picture
        top = self.y(picture.size)
        if self._before is not None and self._before.size > picture.size:
            yield from self._saved(self._before.size, top)
        yield element(
            "rect", class_="arena", x=0, y=top, width=frame.x(1), height=frame.height - top
        )
        drawn = singles(picture)
        chosen = {t.values for t in drawn}
        quiet = [t for t in _visible(picture) if t.values not in chosen]
        yield from self._merged(quiet)
        for tenant in drawn:
            yield self._tenant(tenant)
        yield from self._peak()
        for overlap in picture.overlaps:
            yield self._overlap(overlap)
        for tenant in drawn:
            yield from self._label(tenant)
        if picture.extent > picture.size:
            yield element("line", class_="limit", x1=0, x2=frame.x(1), y1=top, y2=top)

    def _peak(self) -> Iterator[str]:
        """A line where most bytes are needed at once; a short method needs none."""
        picture = self._picture
        if picture.steps < _TICKS // 2 or not picture.peak:
            return
        at = self._frame.x(self.x(picture.peak_at) + 0.5 / self.columns)
        told = f"peak: {human_bytes(picture.peak)} at {_moment(picture.peak_at, picture.steps)}"
        yield element(
            "line", element("title", text_node(told)), class_="peak", x1=at, x2=at, y1=0,
            y2=self._frame.height,
        )  # fmt: skip

    def _saved(self, size: int, bottom: float) -> Iterator[str]:
        """Outlines what the arena had before the fix."""
        top = self.y(size)
        yield element(
            "rect", class_="saved", x=0, y=top, width=self._frame.x(1), height=bottom - top
        )
        if bottom - top >= 18:
            told = f"{human_bytes(size - self._picture.size)} saved"
            yield element(
                "text", text_node(told), class_="saved-label", x=self._frame.x(0.5),
                y=(top + bottom) / 2 + 4, text_anchor="middle",
            )  # fmt: skip

    def _merged(self, tenants: Iterable[Tenant]) -> Iterator[str]:
        paths: dict[Role, list[str]] = {}
        scale = 1000 / self._extent
        least = 1000 / self._frame.height, self.columns / _PIXELS
        for t in tenants:
            top, height = 1000 - t.end * scale, max(t.nbytes * scale, least[0])
            width = number(max(t.last - t.first + 1, least[1]))
            paths.setdefault(t.role, []).append(
                f"M{t.first + 1} {number(top)}h{width}v{number(height)}h-{width}z"
            )
        if not paths:
            return
        # Outlines of shapes that are as thin as lines would leave nothing of them.
        style = "dense" if sum(map(len, paths.values())) > _DENSE else "quiet"
        shapes = (
            element("path", class_=f"tenant {role} {style}", d="".join(paths[role]))
            for role in Role
            if role in paths
        )
        yield element(
            "svg",
            *shapes,
            x=0,
            y=0,
            width=self._frame.x(1),
            height=self._frame.height,
            viewBox=f"0 0 {self.columns} 1000",
            preserveAspectRatio="none",
        )

    def _tenant(self, tenant: Tenant) -> str:
        worst = f" {tenant.marks[0].severity}" if tenant.marks else ""
        linked = self._linked and bool(tenant.marks)
        inside = [
            element("title", text_node(describe(tenant, self._picture.steps))),
            element(
                "rect", class_=f"tenant {tenant.role}{worst}", width="100%", height="100%", rx=2
            ),
        ]
        if tenant.marks:
            style = f"hatch {tenant.marks[0].severity}"
            inside.append(element("rect", class_=style, width="100%", height="100%", rx=2))
        anchor = anchors.value(self._method, tenant.values[0]) if linked else None
        box = self._allocation(tenant, inside, "allocation", anchor)
        if not linked:
            return box
        rules = ", ".join(dict.fromkeys(m.rule for m in tenant.marks))
        label = f"{tenant.label}: {tenant.marks[0].severity} {rules}"
        return element("a", box, href=f"#{tenant.marks[0].anchor}", aria_label=label)

    def _allocation(
        self, tenant: Tenant, inside: Iterable[str], style: str, anchor: str | None = None
    ) -> str:
        """A frame at a tenant's place, which cuts off what does not fit."""
        return element(
            "svg",
            *inside,
            x=self._frame.x(self.x(tenant.first)),
            y=self.y(tenant.end),
            width=self._frame.x(self._width(tenant)),
            height=self._height(tenant),
            class_=style,
            id=anchor,
        )

    def _width(self, tenant: Tenant) -> float:
        """As a part of the width."""
        return self.x(tenant.last + 1) - self.x(tenant.first)

    def _height(self, tenant: Tenant) -> float:
        """In pixels; what is too thin to be seen is drawn thicker."""
        return max(self.y(tenant.start) - self.y(tenant.end), 1.5)

    def _label(self, tenant: Tenant) -> Iterator[str]:
        """The lines of text that a tenant has room for."""
        part, height = self._width(tenant), self._height(tenant)
        if part < _LABEL or height < _LINE:
            return
        room = part * (self._frame.width or _PIXELS) - 10
        size = f"{human_bytes(tenant.nbytes)}, {tenant.type}"
        lines = [("name", tenant.label), ("size", size)]
        if tenant.marks:
            rules = ", ".join(dict.fromkeys(m.rule for m in tenant.marks))
            told = f"{tenant.marks[0].severity} {rules}"
            lines.append(("told", told))
            if height < 3 * _LINE + 4:
                lines = [("name", f"{tenant.label}: {told}"), ("size", size)]
        if cut(lines[0][1], room) != lines[0][1]:
            lines[0] = ("name", tenant.label.split(" and ")[0])
        texts: list[str] = []
        for style, words in lines:
            y = float(_LINE * (len(texts) + 1))
            if cut(words, room) == words and y + 4 <= max(height, _LINE + 4):
                y = y if height >= _LINE + 4 else height / 2 + 4
                texts.append(element("text", text_node(words), class_=f"label {style}", x=6, y=y))
        if texts:
            yield self._allocation(tenant, texts, "words")

    def _overlap(self, overlap: Overlap) -> str:
        """The bytes that two tensors need, for as long as both do."""
        at = -1 if overlap.step is None else overlap.step
        lives = [t for t in self._picture.tenants if not overlap.values.isdisjoint(t.values)]
        until = max(at, min((t.last for t in lives), default=at))
        top = self.y(overlap.end)
        box = element(
            "rect",
            class_="overlap",
            x=self._frame.x(self.x(at)),
            y=top,
            width=self._frame.x(self.x(until + 1) - self.x(at)),
            height=max(self.y(overlap.start) - top, 3),
        )
        if not self._linked:
            return box
        label = f"overlap: {overlap.mark.severity} {overlap.mark.rule}"
        return element("a", box, href=f"#{overlap.mark.anchor}", aria_label=label)

    # -- the axis of instructions -----------------------------------------------------------------

    def ticks(self) -> Iterator[tuple[float, str, str]]:
        """Where numbers stand below the chart, the number, and which part of it stands there."""
        half, n = 0.5 / self.columns, self._picture.steps
        long = n > _TICKS
        yield (0, "in", "start") if long else (self.x(-1) + half, "in", "middle")
        stride = _stride(n)
        for step in range(0, n, stride):
            # The names of the two ends need room.
            if not long or 0.04 < self.x(step) < 0.93:
                yield self.x(step) + half, f"{step:,}", "middle"
        yield (1, "out", "end") if long else (self.x(n) + half, "out", "middle")


def singles(picture: ArenaPicture) -> tuple[Tenant, ...]:
    """The tenants that are drawn one by one, with a label; the others are one shape."""
    visible = _visible(picture)
    if len(visible) <= MANY:
        return tuple(visible)
    return tuple(t for t in visible[:MANY] if t.marks or t.role is not Role.OTHER)


def _visible(picture: ArenaPicture) -> list[Tenant]:
    """The tenants that are drawn: those with findings first, then the largest."""
    visible = [t for t in picture.tenants if t.last >= t.first and t.nbytes > 0]
    if len(visible) <= MANY:
        return visible
    visible.sort(key=lambda t: (not t.marks, -t.nbytes * (t.last - t.first + 1), t.values))
    return visible[:MOST]


def describe(tenant: Tenant, steps: int) -> str:
    """A tenant in one sentence."""
    said = f"{tenant.label}: {tenant.type}, bytes {tenant.start:,} to {tenant.end:,}"
    if tenant.last < tenant.first:
        return f"{said}, never used"
    return f"{said}, needed {when(tenant.first, tenant.last, steps)}"


def when(first: int, last: int, steps: int) -> str:
    """A time in words: `from set_input to instruction 3`."""
    if first == last:
        return f"at {_moment(first, steps)}"
    return f"from {_moment(first, steps)} to {_moment(last, steps)}"


def _moment(step: int, steps: int) -> str:
    if step < 0:
        return "set_input"
    return "get_output" if step >= steps else f"instruction {step}"


def _stride(steps: int) -> int:
    """The distance of numbers on the axis: 1, 2, 5, 10, 20, ..."""
    ten = 1
    while True:
        for factor in (1, 2, 5):
            if steps <= _TICKS * ten * factor:
                return ten * factor
        ten *= 10
