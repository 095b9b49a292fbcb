"""The HTML report as data: what the template is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from pte_lint.claims.finding import Severity, Unchecked
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.result import ArtifactReport, InternalError, Report, Suppressed, Verdict
from pte_lint.data.context import Context
from pte_lint.inspection.build import inspect_context
from pte_lint.inspection.literals import kind_name, scalar
from pte_lint.inspection.model import Inspection
from pte_lint.picture import anchors
from pte_lint.picture.chart import singles
from pte_lint.picture.file_bytes import Bar, bars
from pte_lint.picture.groups import FindingGroup, Link, Stamp, finding_groups, stamp
from pte_lint.picture.inside import DelegateCard, delegate_cards
from pte_lint.picture.memory_view import MemoryView, arena_anchor, memory_view
from pte_lint.picture.rows import RowKind
from pte_lint.picture.runner import Need, runner_needs
from pte_lint.picture.scene import MethodScene, scenes
from pte_lint.report import phrases
from pte_lint.schema.container import Kind
from pte_lint.schema.frozen import dataclass

_MOST_LINKS = 4
_MOST_VALUES = 8
_MANY_VERDICTS = 6


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One verdict in words."""

    ok: bool
    text: str
    ending: str
    """The same without the method's name."""
    rule: str
    href: str
    """The finding that decides; empty where there is none."""
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class RuntimeChip:
    """What some runtime versions do with the file; `target` is the one that it is judged for."""

    versions: tuple[str, ...]
    ok: bool
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class MethodSection:
    """One method's pictures."""

    scene: MethodScene
    memory: MemoryView
    verdict: VerdictLine | None


@dataclass(frozen=True, slots=True)
class ConstantMethod:
    """A method without instructions that returns what is fixed in the file."""

    anchor: str
    name: str
    values: tuple[str, ...]
    verdict: VerdictLine | None


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    title: str
    report: Report
    artifact: ArtifactReport
    counts: tuple[tuple[str, str], ...]
    """(severity, `2 errors`) of the severities that there are findings of."""
    verdicts: tuple[VerdictLine, ...]
    runtimes: tuple[RuntimeChip, ...]
    groups: tuple[FindingGroup, ...]
    sections: tuple[MethodSection, ...]
    constants: tuple[ConstantMethod, ...]
    """Methods that need no picture."""
    inspection: Inspection | None
    bars: tuple[Bar, ...]
    needs: tuple[Need, ...]
    delegates: tuple[DelegateCard, ...]
    resolve: Mapping[str, str]
    """By the anchor of something that has no place of its own in the page, the anchor that
    stands for it."""

    @property
    def told(self) -> tuple[Sequence[VerdictLine], Sequence[VerdictLine]]:
        """Verdicts that are shown, and good ones of a long list that are folded."""
        if len(self.verdicts) <= _MANY_VERDICTS:
            return self.verdicts, ()
        return [v for v in self.verdicts if not v.ok], [v for v in self.verdicts if v.ok]

    @property
    def unchecked(self) -> Sequence[Unchecked]:
        """What was not judged."""
        return self.artifact.unchecked

    @property
    def suppressed(self) -> Sequence[Suppressed]:
        """Findings that are set aside."""
        return self.artifact.suppressed

    @property
    def internal_errors(self) -> Sequence[InternalError]:
        """Rules that failed."""
        return self.artifact.internal_errors


def build_page(report: Report, context: Context) -> Page:
    """Draws up the page of a report on one artifact.

    Args:
        report: the report, on this one artifact only.
        context: the opened artifact that was judged.
    """
    (artifact,) = report.artifacts
    drawn = scenes(context, artifact.findings)
    inspection = _inspection(context, artifact)
    places = dict(_places(drawn))
    links = {
        anchor: tuple(_links(found, places))
        for scene in drawn
        for anchor, found in scene.marks.places.items()
    }
    return Page(
        title=PurePath(artifact.path).name or artifact.path,
        report=report,
        artifact=artifact,
        counts=tuple(
            (str(s), phrases.plural(n, str(s))) for s in Severity if (n := artifact.count(s))
        ),
        verdicts=tuple(_verdict(v, artifact) for v in artifact.verdict),
        runtimes=tuple(_chips(report, artifact)),
        groups=finding_groups(artifact.findings, report.target, links),
        sections=tuple(
            MethodSection(scene, memory_view(scene), _of_method(n, artifact))
            for n, scene in enumerate(drawn)
            if not _is_constant(scene)
        ),
        constants=tuple(
            ConstantMethod(scene.anchor, scene.name, _values(scene), _of_method(n, artifact))
            for n, scene in enumerate(drawn)
            if _is_constant(scene)
        ),
        inspection=inspection,
        bars=bars(inspection) if inspection is not None else (),
        needs=runner_needs(inspection.needs) if inspection is not None and drawn else (),
        delegates=delegate_cards(inspection) if inspection is not None else (),
        resolve=places,
    )


def _inspection(context: Context, artifact: ArtifactReport) -> Inspection | None:
    """What is in the file; None where it is no artifact, or nothing of it can be read."""
    if context.container.kind not in (Kind.PROGRAM, Kind.FLAT_TENSOR, Kind.BUNDLED_PROGRAM):
        return None
    readable = context.flat_tensor.flat_tensor if context.flat_tensor else context.program
    return inspect_context(context, artifact) if readable is not None else None


def _verdict(v: Verdict, artifact: ArtifactReport) -> VerdictLine:
    findings = artifact.findings
    deciding = next(
        (f for f in findings if f.rule == v.rule and f.method in (v.method, None)),
        next((f for f in findings if f.rule == v.rule), None),
    )
    return VerdictLine(
        v.outcome is Outcome.OK,
        phrases.verdict(v, artifact.needs).removesuffix(f" ({v.rule})"),
        _ending(v),
        v.rule or "",
        anchors.finding(deciding) if deciding is not None else "",
        stamp(v.confirmation) if v.confirmation is not None else None,
    )


def _is_constant(scene: MethodScene) -> bool:
    """True for a method that needs no picture: it returns numbers, and nothing was found in it."""
    method = scene.method
    if method.steps or method.inputs or scene.marks.places:
        return False
    return all(method.tensor(v) is None for v in method.outputs)


def _values(scene: MethodScene) -> tuple[str, ...]:
    """What a constant method returns."""
    found = []
    for v in scene.method.outputs[:_MOST_VALUES]:
        value = scene.method.value(v)
        literal, is_fixed = scalar(value) if value is not None else (None, False)
        found.append(repr(literal) if is_fixed else kind_name(value))
    return tuple(found)


def _ending(v: Verdict) -> str:
    if v.outcome is Outcome.OK:
        return "runs" if v.stage is Stage.EXECUTE else "loads"
    return phrases.ending(v.stage, v.outcome, v.error or v.signal)


def _of_method(position: int, artifact: ArtifactReport) -> VerdictLine | None:
    """The verdict of a method; None when the artifact has one for all of it."""
    told = artifact.verdict[position] if position < len(artifact.verdict) else None
    if told is None or told.method is None:
        return None
    return _verdict(told, artifact)


def _chips(report: Report, artifact: ArtifactReport) -> Iterator[RuntimeChip]:
    told: dict[tuple[bool, str], list[str]] = {}
    for version, verdicts in sorted(artifact.runs_on.items()):
        bad = next((v for v in verdicts if v.outcome is not Outcome.OK), None)
        text = phrases.runs_label(artifact).split()[0]
        if bad is not None:
            text = phrases.ending(bad.stage, bad.outcome, bad.error or bad.signal)
        told.setdefault((bad is None, text), []).append(version)
    for (ok, text), versions in told.items():
        yield RuntimeChip(tuple(versions), ok, text, report.target.runtime)


def _places(drawn: Sequence[MethodScene]) -> Iterator[tuple[str, str]]:
    """Anchors that findings may point to, and where they are found in the page."""
    for scene in drawn:
        m = scene.method.index
        wanted = sorted({*scene.marks.steps, *_goals(scene)})
        for entry in scene.placement.entries:
            if entry.row is not None:
                yield entry.row.anchor, entry.row.anchor
            elif entry.fold is not None:
                for i in wanted:
                    if entry.fold.first <= i <= entry.fold.last:
                        yield anchors.step(m, i), entry.fold.anchor
        yield anchors.end(m), anchors.end(m)
        for arena in scene.arenas:
            single = {t.values for t in singles(arena)}
            for tenant in arena.tenants:
                if not tenant.marks:
                    continue
                place = arena_anchor(scene, arena)
                if tenant.values in single:
                    place = anchors.value(m, tenant.values[0])
                for v in tenant.values:
                    yield anchors.value(m, v), place


def _goals(scene: MethodScene) -> Iterator[int]:
    """Instructions that jumps go to, of those jumps that have a row."""
    flow, steps = scene.method.flow, scene.method.steps
    for entry in scene.placement.entries:
        if entry.row is not None and entry.row.kind is RowKind.JUMP:
            yield flow.destination(steps[int(entry.row.number)])


def _links(found: Sequence[str], places: Mapping[str, str]) -> Iterator[Link]:
    seen: set[str] = set()
    for anchor in found:
        target = places.get(anchor)
        if target is not None and target not in seen and len(seen) < _MOST_LINKS:
            seen.add(target)
            yield Link(target, _words(target))


def _words(anchor: str) -> str:
    """What a place in the pictures is called."""
    _, _, place = anchor.partition("-")
    if place.startswith("v"):
        return f"%{place[1:]} in the memory plan"
    return "memory plan" if place.startswith("a") else "placement"
