"""What the real runtime showed, for people: claim, what was seen, what older runtimes do.

One screen for one kind of fault; the fix and everything else is what `check` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Confirmation, Finding, Severity
from pte_lint.claims.need import Need
from pte_lint.claims.result import ArtifactReport, Report, Verdict
from pte_lint.report.layout import Painter, labelled, wrap
from pte_lint.report.phrases import UNMET, WORDS, plural, runtime_sentence, shown_wrong, verdict
from pte_lint.report.text_confirmation import confirmation_lines, copied
from pte_lint.text import sanitise

_FOLLOWS: Final = "consequence"
"""How findings are counted that follow from another one."""


def render(report: Report, *, colour: bool = False, fixed: str | None = None) -> str:
    """Renders a confirmed report.

    Args:
        report: every finding of it has a confirmation.
        colour: put on colour.
        fixed: the path of the artifact that is the program after the fix.
    """
    paint = Painter(colour)
    lines: list[str] = []
    for artifact in report.artifacts:
        lines += _artifact(artifact, report, paint, lead=_lead(artifact, fixed))
        lines.append("")
    for note in report.notes:
        lines += labelled("note: ", note, "", paint)
    lines += wrap(_summary(report))
    return "".join(f"{line}\n" for line in lines)


def _artifact(
    artifact: ArtifactReport, report: Report, paint: Painter, *, lead: str
) -> Iterator[str]:
    path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
    errors = [f for f in artifact.findings if _is_shown(f)]
    told = _counts(errors) or "no error to confirm"
    yield f"{lead}{paint(path, 'strong')}: {told}"
    for group in _groups(errors):
        yield ""
        yield from _group(group, report, paint)
    if errors:
        yield ""
    for v in artifact.verdict:
        yield from _verdict(v, artifact.needs, paint)
    others = _numbers((artifact,), lambda f: not _is_shown(f))
    if others:
        yield from wrap(f"{others} (see check): running shows nothing about them", indent="  ")


def _numbers(artifacts: Iterable[ArtifactReport], wanted: Callable[[Finding], bool]) -> str:
    """`2 errors, 1 warning and 3 consequences`: findings, counted as `check` counts them."""
    numbers: dict[str, int] = {}
    for artifact in artifacts:
        roots = set(map(id, consequences(artifact.findings)[0]))
        for finding in filter(wanted, artifact.findings):
            kind = str(finding.severity) if id(finding) in roots else _FOLLOWS
            numbers[kind] = numbers.get(kind, 0) + 1
    order = (*map(str, Severity), _FOLLOWS)
    told = [plural(numbers[kind], kind) for kind in order if kind in numbers]
    last = " and ".join(told[-2:]) if _FOLLOWS in numbers else ", ".join(told[-2:])
    return ", ".join((*told[:-2], last)) if told else ""


def _is_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


def _is_remark(finding: Finding) -> bool:
    """A warning or info that a run showed something about."""
    return not _is_error(finding) and _is_shown(finding)


def _lead(artifact: ArtifactReport, fixed: str | None) -> str:
    """Which of the two it is where one is to be the other after its fix."""
    if fixed is None:
        return ""
    return "after: " if artifact.path == fixed else "before: "


def _is_shown(finding: Finding) -> bool:
    """An error, or anything else that a run showed something about."""
    tried = finding.confirmation is not None and finding.confirmation.status != "unsupported"
    return finding.severity is Severity.ERROR or tried


def _groups(errors: list[Finding]) -> list[list[Finding]]:
    """Findings that claim the same and fared the same, in order of appearance."""
    groups: dict[object, list[Finding]] = {}
    for finding in errors:
        status = finding.confirmation.status if finding.confirmation else ""
        groups.setdefault((finding.rule, finding.method, finding.runtime, status), []).append(
            finding
        )
    return list(groups.values())


def _group(group: list[Finding], report: Report, paint: Painter) -> Iterator[str]:
    first = group[0]
    title = f"{paint(first.rule, 'strong')} ({sanitise.name(first.name)})"
    severity = str(first.severity)
    yield f"  {paint(severity, severity)} {title}"
    places = dict.fromkeys(f.subject or f.location.path or "the file" for f in group)
    method = f"{first.method or '(no name)'}: " if first.method is not None else ""
    shown = ", ".join(list(places)[:6]) + (", ..." if len(places) > 6 else "")
    yield from labelled("at ", method + shown, "    ", paint)
    sentence = runtime_sentence(first, report.target)
    if sentence is not None:
        yield from labelled("claim: ", sentence, "    ", paint)
    if first.confirmation is not None:
        yield from confirmation_lines(first.confirmation, "    ", paint)


def _verdict(v: Verdict, needs: tuple[Need, ...], paint: Painter) -> Iterator[str]:
    yield from labelled("verdict: ", verdict(v, needs), "  ", paint)
    if v.confirmation is None:
        return
    yield from confirmation_lines(v.confirmation, "    ", paint, logs=v.rule is None)
    moved = copied(v.confirmation) if _went_through(v.confirmation) else ""
    if moved:
        yield from wrap(moved, indent="    ")


def _went_through(confirmation: Confirmation) -> bool:
    return confirmation.runtime.get("outcome") in ("ok", "undefined")


def _counts(findings: list[Finding]) -> str:
    counts: dict[str, int] = dict.fromkeys(WORDS, 0)
    for finding in findings:
        if finding.confirmation is not None:
            counts[finding.confirmation.status] += 1
    return ", ".join(f"{n} {WORDS.get(s, s)}" for s, n in counts.items() if n)


def _summary(report: Report) -> str:
    errors = list(filter(_is_error, report.findings))
    remarks = list(filter(_is_remark, report.findings))
    further = f"; {_numbers(report.artifacts, _is_remark)}: {_counts(remarks)}" if remarks else ""
    verdicts: Mapping[str, int] = _verdict_counts(report)
    told = ", ".join(f"{n} {WORDS.get(s, s)}" for s, n in verdicts.items() if n)
    shown = [v.confirmation for a in report.artifacts for v in a.verdict if v.confirmation]
    wrong = [each for a in report.artifacts for each in shown_wrong(a) if each[0] == UNMET]
    unmet = f" Outputs are not those expected in {plural(len(wrong), 'case')}." if wrong else ""
    how = ", replayed" if any("replayed" in each.evidence for each in shown) else ""
    claims = _numbers(report.artifacts, _is_error) or "0 errors"
    return (
        f"{claims}: {_counts(errors) or 'nothing to confirm'}{further}; "
        f"verdicts: {told or 'none'}. Judged for executorch {report.target.runtime}{how}."
        f"{unmet}"
    )


def _verdict_counts(report: Report) -> dict[str, int]:
    counts = dict.fromkeys(WORDS, 0)
    for artifact in report.artifacts:
        for v in artifact.verdict:
            if v.confirmation is not None:
                counts[v.confirmation.status] += 1
    return counts
