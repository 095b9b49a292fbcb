"""`pte-lint graph --svg`: the placement of a method as a picture of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pte_lint.picture.marks import Mark
from pte_lint.picture.placement import Entry, Fold, PlacementPicture
from pte_lint.picture.rows import Operand, Reach, Row, RowKind
from pte_lint.picture.scene import MethodScene
from pte_lint.picture.sheet import group, sheet, text
from pte_lint.picture.svg import cut, element
from pte_lint.picture.tracks import MOST_TRACKS
from pte_lint.report.phrases import human_bytes

_EDGE: Final = 20
_NUMBER: Final = 64
_TRACK: Final = 7
_HEAD: Final = 48
_CHIP: Final = 124
_STYLES: Final = {"error": "bad", "warning": "doubt", "info": "note"}
_QUIET = (RowKind.MOVE, RowKind.JUMP, RowKind.FREE, RowKind.UNKNOWN)


def render(title: str, scenes: Sequence[MethodScene]) -> str:
    """Draws the placement of some methods one below the other.

    Args:
        title: the artifact's name, safe to show.
        scenes: the methods.
    """
    elements: list[str] = []
    y, width = float(_EDGE), 0.0
    for scene in scenes:
        drawn = _Placement(scene.placement)
        y += 12
        elements.append(text(cut(f"{title}: {scene.name}", drawn.width, 15), _EDGE, y, "title"))
        elements.append(group(_EDGE, y + 10, drawn.draw()))
        y += 10 + drawn.height + 24
        width = max(width, drawn.width + 2 * _EDGE)
    return sheet(width or 400, y + 4, f"Placement in {title}", elements)


class _Placement:
    """One method: a header, then the rows."""

    def __init__(self, picture: PlacementPicture) -> None:
        self._picture = picture
        count = len(picture.lanes)
        self._lane = {1: 560, 2: 320}.get(count, 270)
        self._left = _NUMBER + (MOST_TRACKS * _TRACK + 10 if picture.has_jumps else 8)
        self._heights = [_row_height(entry) for entry in picture.entries]
        self.width = self._left + self._lane * count
        self.height = _HEAD + sum(self._heights) + 8

    def draw(self) -> Iterator[str]:
        bottom = self.height
        for lane in self._picture.lanes:
            x = self._center(lane.index)
            left = self._left + lane.index * self._lane
            yield text(cut(lane.name, self._lane, 14), x, 18, f"head lane{lane.colour}", "middle")
            planned = f"{human_bytes(lane.planned_bytes)} planned" if lane.arenas else ""
            yield text(planned, x, 34, "muted", "middle")
            yield element(
                "line",
                class_=f"rail lane{lane.colour}",
                x1=left,
                x2=left + self._lane,
                y1=42,
                y2=42,
            )
            yield element("line", class_="lifeline", x1=x, x2=x, y1=44, y2=bottom)
        y = float(_HEAD)
        for entry, height in zip(self._picture.entries, self._heights, strict=True):
            yield from self._tracks(entry, y, height)
            if entry.row is not None:
                yield from self._row(entry.row, y, height)
            elif entry.fold is not None:
                yield from self._fold(entry.fold, y, height)
            y += height

    def _center(self, lane: int) -> float:
        return self._left + (lane + 0.5) * self._lane

    # -- rows -------------------------------------------------------------------------------------

    def _row(self, row: Row, y: float, height: float) -> Iterator[str]:
        if row.severity in ("error", "warning"):
            yield element(
                "rect", class_=f"tint {row.severity}", x=0, y=y + 1, width=self.width,
                height=height - 2,
            )  # fmt: skip
        yield text(row.number, _NUMBER - 8, y + 16, "muted", "end")
        if row.crossing is not None:
            yield from self._crossing(row, y)
        else:
            for n, reach in enumerate(row.reaches):
                yield from self._reach(row, reach, y + 6 + 36 * n)
            yield from self._box(row, y, height)

    def _box(self, row: Row, y: float, height: float) -> Iterator[str]:
        x, room = self._center(row.lane), self._lane - 16
        style = f"box {row.kind} lane{self._picture.lanes[row.lane].colour} {row.severity}"
        if row.borrowed:
            style += " borrowed"
        yield element(
            "rect", class_=style, x=x - room / 2, y=y + 3, width=room, height=height - 6, rx=6
        )
        both = f"{row.title}, {row.note}" if row.note else row.title
        title = both if cut(both, room - 12, 12) == both else row.title
        yield text(cut(title, room - 12, 12), x, y + 18, "strong", "middle")
        line = 33.0
        operands = _operands(row)
        if operands:
            yield text(cut(operands, room - 12), x, y + line, "muted", "middle")
            line += 15
        for mark in _worst(row.marks):
            words = f"{mark.severity} {mark.rule}" + (f", {row.ending}" if row.ending else "")
            yield text(cut(words, room - 12), x, y + line, _STYLES[str(mark.severity)], "middle")

    def _crossing(self, row: Row, y: float) -> Iterator[str]:
        assert row.crossing is not None
        start, end = self._center(row.crossing.source), self._center(row.crossing.target)
        words = row.crossing.label
        style = "strong"
        for mark in _worst(row.marks):
            words += f" \u00b7 {mark.severity} {mark.rule}"
            words += f", {row.ending}" if row.ending else ""
            style = f"strong {_STYLES[str(mark.severity)]}"
        room = abs(end - start) + self._lane
        yield text(cut(words, room, 12), (start + end) / 2, y + 15, style, "middle")
        yield from self._arrow(start, end, y + 36, row.severity, _CHIP / 2)
        yield from self._chip(row.reads[0] if row.reads else None, start, y + 20)
        yield from self._chip(row.writes[0], end, y + 20)

    def _reach(self, row: Row, reach: Reach, y: float) -> Iterator[str]:
        box, far = self._center(row.lane), self._center(reach.operand.lane)
        start, end = (box, far) if reach.is_output else (far, box)
        gap = (_CHIP / 2, (self._lane - 16) / 2)
        gaps = gap[::-1] if reach.is_output else gap
        yield from self._arrow(start, end, y + 16, f"reach {row.severity}", *gaps)
        words = ("writes" if reach.is_output else "reads") + ", no copy"
        toward = 1 if far > box else -1
        middle = (box + toward * (self._lane - 16) / 2 + far - toward * _CHIP / 2) / 2
        yield text(words, middle, y + 10, _STYLES.get(row.severity, "muted"), "middle")
        yield from self._chip(reach.operand, far, y)

    def _arrow(self, start: float, end: float, y: float, style: str, *gaps: float) -> Iterator[str]:
        """A line between two lanes that ends outside of what stands at both sides."""
        first, last = gaps[0], gaps[-1]
        way = 1 if end > start else -1
        tip = end - way * last
        yield element(
            "line", class_=f"wire {style}", x1=start + way * first, x2=tip - way * 7, y1=y, y2=y
        )
        points = (
            f"{tip:.0f},{y:.0f} {tip - way * 9:.0f},{y - 5:.0f} {tip - way * 9:.0f},{y + 5:.0f}"
        )
        yield element("polygon", class_=f"point {style}", points=points)

    def _chip(self, operand: Operand | None, x: float, y: float) -> Iterator[str]:
        style = "box tensor" + (" borrowed" if operand is None else "")
        yield element("rect", class_=style, x=x - _CHIP / 2, y=y, width=_CHIP, height=32, rx=5)
        if operand is None:
            yield text("the caller's tensor", x, y + 20, "", "middle")
            return
        first = f"{operand.label} {operand.type}"
        yield text(cut(first, _CHIP - 6), x, y + 13, "", "middle")
        yield text(cut(operand.place, _CHIP - 6), x, y + 26, "muted", "middle")

    # -- folds and jumps --------------------------------------------------------------------------

    def _fold(self, fold: Fold, y: float, height: float) -> Iterator[str]:
        room = self.width - self._left
        yield text(f"{fold.first}-{fold.last}", _NUMBER - 8, y + 20, "muted", "end")
        yield element(
            "rect", class_="box fold", x=self._left + 4, y=y + 3, width=room - 8,
            height=height - 6, rx=5,
        )  # fmt: skip
        told = [f"{fold.count:,} instructions", *(t for t in fold.lanes if t), fold.crossings]
        words = " \u00b7 ".join(t for t in told if t)
        yield text(cut(words, room - 20, 12), self._left + 14, y + 18, "strong")
        yield text(cut(fold.operators, room - 20), self._left + 14, y + 33, "muted")

    def _tracks(self, entry: Entry, y: float, height: float) -> Iterator[str]:
        right = self._left - 2
        middle = y + height / 2
        for piece in entry.pieces:
            x = right - 6 - piece.track * _TRACK
            if piece.part == "through":
                yield element("path", class_="track", d=f"M{x:.1f} {y:.1f}V{y + height:.1f}")
                continue
            # A start leaves towards its goal, an end comes from where the jump starts.
            down = (piece.part == "start") != piece.up
            edge = y + height if down else y
            yield element("path", class_="track", d=f"M{right:.1f} {middle:.1f}H{x:.1f}V{edge:.1f}")
            if piece.part == "end":
                tip = f"{right + 4:.0f},{middle:.0f}"
                back = f"{right - 3:.0f},{middle - 4:.0f} {right - 3:.0f},{middle + 4:.0f}"
                yield element("polygon", class_="point track", points=f"{tip} {back}")


def _row_height(entry: Entry) -> float:
    row = entry.row
    if row is None:
        return 44
    if row.crossing is not None:
        return 58
    height = 28 + (15 if _operands(row) else 0) + (15 if row.marks else 0)
    if row.kind in _QUIET:
        height -= 2
    return max(height, 12 + 36 * len(row.reaches))


def _operands(row: Row) -> str:
    """`%0, %1 -> %2 f32[8,8] arena 1 + 0`."""
    if row.kind in (RowKind.INPUT, RowKind.OUTPUT):
        return ", ".join(map(_told, row.reads + row.writes))
    reads = ", ".join(o.label for o in row.reads)
    writes = ", ".join(map(_told, row.writes))
    more = f", and {row.more} more" if row.more else ""
    return f"{reads} \u2192 {writes}{more}" if writes else f"{reads}{more}"


def _told(operand: Operand) -> str:
    place = f", {operand.place}" if operand.place else ""
    return f"{operand.label} {operand.type}{place}"


def _worst(marks: Sequence[Mark]) -> Sequence[Mark]:
    return marks[:1]
