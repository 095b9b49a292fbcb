"""Everything that is drawn of one method, gathered once for all kinds of output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pte_lint.claims.finding import Finding
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.picture import anchors
from pte_lint.picture.lanes import Lanes, lanes_of
from pte_lint.picture.marks import Mark, MethodMarks, mark, method_marks, method_of
from pte_lint.picture.memory import ArenaPicture, Replanned, arena_pictures, replanned
from pte_lint.picture.placement import Budget, PlacementPicture, placement_picture
from pte_lint.picture.strip import Strip, strip_of
from pte_lint.questions.method import Method
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.questions.planning import arena_without
from pte_lint.schema.frozen import dataclass
from pte_lint.text.printable import printable
from pte_lint.text.sanitise import name


@dataclass(frozen=True, slots=True)
class Fix:
    """What a finding's fix does to the memory plan."""

    mark: Mark
    arenas: Mapping[int, Replanned]
    """By memory_id, the arenas that change."""


@dataclass(frozen=True, slots=True)
class MethodScene:
    """One method, ready to be drawn."""

    method: Method
    name: str
    marks: MethodMarks
    lanes: Lanes
    placement: PlacementPicture
    arenas: tuple[ArenaPicture, ...]
    strip: Strip
    fix: Fix | None
    blobs: Mapping[int, Blob]
    """What can be read of the method's delegates, by their index."""

    @property
    def anchor(self) -> str:
        """The id of the method's section."""
        return anchors.method(self.method.index)


def scenes(context: Context, findings: Sequence[Finding]) -> tuple[MethodScene, ...]:
    """Draws up every method of an opened artifact.

    Args:
        context: the artifact that was judged.
        findings: what was found in it.
    """
    mine: dict[int, list[Finding]] = {}
    for finding in findings:
        index = method_of(finding, context.methods)
        if index is not None:
            mine.setdefault(index, []).append(finding)
    budget = Budget()
    return tuple(
        _scene(context, method, mine.get(index, []), lanes, budget)
        for index, (method, lanes) in enumerate(
            zip(context.methods, lanes_of(context.methods), strict=True)
        )
    )


def _scene(
    context: Context, method: Method, findings: Sequence[Finding], lanes: Lanes, budget: Budget
) -> MethodScene:
    marks = method_marks(method, findings)
    arenas = arena_pictures(method, marks)
    return MethodScene(
        method,
        name(printable(method.name)) or "(no name)",
        marks,
        lanes,
        placement_picture(method, lanes, marks, budget),
        arenas,
        strip_of(method, lanes, marks),
        _fix(method, findings, arenas),
        {blob.index: blob for blob in blobs(method, context)},
    )


def _fix(method: Method, findings: Sequence[Finding], arenas: Sequence[ArenaPicture]) -> Fix | None:
    """The plan after the fix of a finding that tells the bytes it saves."""
    telling = [f for f in findings if "planned_bytes_by_device_with_fix" in f.evidence]
    if not telling:
        return None
    without = [v for v, _ in method.placement.by_tensor(FaultCause.PLANNED_INPUT)]
    changed = {}
    for picture in arenas:
        memory_id = picture.arena.memory_id
        size = arena_without(method, memory_id, without)
        if size != picture.size:
            changed[memory_id] = replanned(method, picture, without, size)
    return Fix(mark(telling[0]), changed) if changed else None
