"""Compares two artifacts: facts and findings in, typed changes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import Verdict
from pte_lint.difference import whole
from pte_lint.difference.changes import Change, MethodAdded, MethodRemoved
from pte_lint.difference.methods import method_changes, signature
from pte_lint.difference.sides import MethodSide, Side
from pte_lint.inspection.model import ConstantFacts, Format, Inspection
from pte_lint.inspection.regions import RegionKind
from pte_lint.schema.frozen import dataclass
from pte_lint.text.printable import printable

_COMPARED_BYTES = tuple(
    kind for kind in RegionKind if kind not in (RegionKind.HEADER, RegionKind.PADDING)
)


class NotComparable(ValueError):  # noqa: N818 - an answer about two files, not a fault of ours
    """One of the artifacts holds a program and the other one does not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes from `old` to `new`, those of the whole artifact first, then by method."""

    old: Inspection
    new: Inspection
    changes: tuple[Change, ...]
    content_compared: bool
    """Whether constants, blobs and named data of equal size were compared by their bytes."""


def compare(old: Side, new: Side, *, content: bool = False) -> Difference:
    """Compares two artifacts.

    Args:
        old: the artifact before.
        new: the artifact after; inspected in the same way.
        content: whether both inspections carry content hashes.

    Raises:
        NotComparable: one is tensor data and the other is a program.
    """
    if (old.inspection.format is Format.FLAT_TENSOR) != (
        new.inspection.format is Format.FLAT_TENSOR
    ):
        raise NotComparable(
            f"cannot compare {old.inspection.path} ({old.inspection.format}) with "
            f"{new.inspection.path} ({new.inspection.format})"
        )
    changes = [*_whole_changes(old, new), *_method_changes(old.inspection, new.inspection)]
    return Difference(old.inspection, new.inspection, tuple(changes), content)


def _whole_changes(old: Side, new: Side) -> Iterator[Change]:
    yield from _verdicts(old.report.verdict, new.report.verdict)
    yield from _findings(old.report.findings, new.report.findings)
    before, after = old.inspection, new.inspection
    if before.needs.runtimes != after.needs.runtimes:
        yield whole.RuntimesChanged(old=before.needs.runtimes, new=after.needs.runtimes)
    yield from _requirements(before, after)
    if before.size != after.size:
        yield whole.FileSizeChanged(old=before.size, new=after.size)
    old_bytes, new_bytes = before.bytes_by_kind(), after.bytes_by_kind()
    for kind in _COMPARED_BYTES:
        was, now = old_bytes.get(kind, 0), new_bytes.get(kind, 0)
        if was != now:
            yield whole.BytesChanged(purpose=str(kind), old=was, new=now)
    yield from _constants(before, after)
    yield from _named(before, after)


def _verdicts(old: Iterable[Verdict], new: Iterable[Verdict]) -> Iterator[Change]:
    before = {v.method: v for v in old}
    for after in new:
        # A file that does not load has one verdict for all of its methods.
        was = before.get(after.method) or before.get(None)
        if was is None and after.method is None:
            was = next(iter(before.values()), None)
        if was is not None and _verdict(was) != _verdict(after):
            yield whole.VerdictChanged(
                method=after.method,
                old=_verdict(was),
                new=_verdict(after),
                old_rank=_RANK[was.outcome],
                new_rank=_RANK[after.outcome],
            )


_RANK = {
    Outcome.OK: 0,
    Outcome.UNJUDGED: 1,
    Outcome.ERROR: 1,
    Outcome.WRONG: 2,
    Outcome.UNDEFINED: 3,
    Outcome.CRASH: 4,
}


def _verdict(verdict: Verdict) -> str:
    detail = verdict.error or verdict.signal
    return f"{verdict.stage}: {verdict.outcome}" + (f" {detail}" if detail else "")


def _findings(old: Iterable[Finding], new: Iterable[Finding]) -> Iterator[Change]:
    before = {f.fingerprint: f for f in old}
    after = {f.fingerprint: f for f in new}
    for key, finding in after.items():
        if key not in before:
            yield whole.NewFinding(**_finding(finding))
    for key, finding in before.items():
        if key not in after:
            yield whole.FixedFinding(**_finding(finding))


def _finding(finding: Finding) -> dict[str, str]:
    found = {
        "rule": finding.rule,
        "name": finding.name,
        "severity": str(finding.severity or ""),
        "message": finding.message,
        "about": finding.subject or printable(finding.location.path),
        "fingerprint": finding.fingerprint,
    }
    if finding.method is not None:
        found["method"] = finding.method
    return found


def _requirements(old: Inspection, new: Inspection) -> Iterator[Change]:
    before, after = _needed(old), _needed(new)
    for what, name in sorted(before ^ after):
        yield whole.RequirementChanged(
            what=what, name=name, old=(what, name) in before, new=(what, name) in after
        )


def _needed(inspection: Inspection) -> set[tuple[str, str]]:
    needs = inspection.needs
    return {
        *(("backend", b.backend) for b in needs.backends),
        *(("kernel", k.operator) for k in needs.kernels),
        *(("device", d.device) for d in needs.devices),
        *(("external data", e.key) for e in needs.external),
    }


def _constants(old: Inspection, new: Inspection) -> Iterator[Change]:
    before, after = _by_type(old.constants), _by_type(new.constants)
    for text in dict.fromkeys((*after, *before)):
        was, now = before.get(text, []), after.get(text, [])
        differ = 0
        if old.content and new.content:
            unseen = Counter(_content(new.content, now)) - Counter(_content(old.content, was))
            differ = unseen.total()
        if len(was) != len(now) or differ:
            yield whole.ConstantsChanged(
                type=text, old=len(was), new=len(now), content_differs=differ
            )


def _by_type(constants: Iterable[ConstantFacts]) -> dict[str, list[ConstantFacts]]:
    found: dict[str, list[ConstantFacts]] = {}
    for constant in constants:
        found.setdefault(str(constant.type), []).append(constant)
    return found


def _content(content: Mapping[str, str], constants: Iterable[ConstantFacts]) -> Iterator[str]:
    for constant in constants:
        digest = content.get(f"constant {constant.index}")
        if digest is not None:
            yield digest


def _named(old: Inspection, new: Inspection) -> Iterator[Change]:
    before = {entry.key: entry for entry in old.named}
    after = {entry.key: entry for entry in new.named}
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        old_type = str(was.type) if was and was.type else None
        new_type = str(now.type) if now and now.type else None
        old_size, new_size = (was.size if was else None), (now.size if now else None)
        name = f"key {key}"
        differs = (
            name in old.content
            and name in new.content
            and old_size == new_size
            and old.content[name] != new.content[name]
        )
        gone = (was is None) != (now is None)
        if gone or differs or old_size != new_size or old_type != new_type:
            yield whole.NamedDataChanged(
                key=key,
                old=old_size,
                new=new_size,
                old_type=old_type,
                new_type=new_type,
                content_differs=differs,
            )


def _method_changes(old: Inspection, new: Inspection) -> Iterator[Change]:
    before, after = _numbered(old), _numbered(new)
    for key, side in after.items():
        was = before.get(key)
        if was is None:
            yield MethodAdded(method=side.facts.name, new=signature(side.facts))
        else:
            yield from method_changes(was, side)
    for key, side in before.items():
        if key not in after:
            yield MethodRemoved(method=side.facts.name, old=signature(side.facts))


def _numbered(inspection: Inspection) -> dict[tuple[str, int], MethodSide]:
    """Methods by name, and by count where a name is used twice."""
    seen: Counter[str] = Counter()
    found = {}
    for position, method in enumerate(inspection.methods):
        code = inspection.code[position] if inspection.code else ()
        side = MethodSide(method, position, inspection.content, code)
        found[(method.name, seen[method.name])] = side
        seen[method.name] += 1
    return found
