"""The sentences that all formats for readers share, so that they say the same in the same words.

Nothing here is made safe yet: what is printed goes through `sanitise` where it is laid out.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Final, TypeVar

from pte_lint.claims.finding import Confirmation, Finding, Severity
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Outcome, Prediction, Stage, Verification
from pte_lint.claims.need import Need, words
from pte_lint.claims.result import ArtifactReport, Report, Verdict, is_refuted
from pte_lint.claims.target import Target
from pte_lint.files.fetched import Fetched
from pte_lint.schema.frozen import dataclass
from pte_lint.text.places import place_words
from pte_lint.text.sanitise import exact

WORDS: Final = {
    "confirmed": "confirmed",
    "confirmed_by_repair": "confirmed by repair",
    "consistent": "consistent",
    "refuted": "refuted",
    "not_reached": "not reached",
    "unsupported": "unsupported",
}
"""What a run showed about a claim, by status, in the order in which they are told."""
_INSTALLED: Final = re.compile(r"[\\/](site|dist)-packages[\\/]|[\\/]torch[\\/]nn[\\/]modules[\\/]")

_NAMED: Final = 8
"""Places named where the rest of a group is counted."""


def ending(stage: Stage, outcome: Outcome, detail: str | None) -> str:
    """How a stage ends: `set_input fails with NotSupported`, `execute crashes (SIGSEGV)`."""
    match outcome:
        case Outcome.ERROR:
            return f"{stage} fails with {detail}" if detail else f"{stage} fails"
        case Outcome.CRASH:
            return f"{stage} crashes ({detail})" if detail else f"{stage} crashes"
        case Outcome.UNDEFINED:
            return f"{stage} is undefined (wrong results or misused memory)"
        case Outcome.WRONG:
            return f"{stage} gives wrong results"
        case Outcome.UNJUDGED:
            return "not judged"
        case _:
            return "not troubled"


def prediction(p: Prediction | None) -> str:
    """How a predicted stage ends; None means that the runtime is not troubled."""
    return "not troubled" if p is None else ending(p.stage, p.outcome, p.error or p.signal)


def runtime_sentence(finding: Finding, target: Target) -> str | None:
    """What the runtime will do about a finding; None where running shows nothing.

    Tells full from minimal verification where they differ and the target is both, and other
    versions from the target's where the target's is not troubled.
    """
    forecast = finding.forecast
    if forecast is None:
        known = finding.runtime
        return None if known is None else f"{_name(target)}: {prediction(known)}"
    full = prediction(forecast.at(target.runtime, Verification.FULL))
    minimal = prediction(forecast.at(target.runtime, Verification.MINIMAL))
    match target.verification:
        case Verification.FULL:
            minimal = full
        case Verification.MINIMAL:
            full = minimal
    if full != minimal:
        return f"{_name(target)}: {full}; with minimal verification: {minimal}"
    if full != prediction(None):
        return f"{_name(target)}: {full}"
    others = _by_phrase(
        (v, prediction(forecast.at(v, target.verification)))
        for v in RUNTIME_VERSIONS
        if v != target.runtime
    )
    told = "; ".join(
        f"{', '.join(versions)}: {phrase}"
        for phrase, versions in others.items()
        if phrase != prediction(None)
    )
    return f"{_name(target)}: {full}; {told}" if told else f"{_name(target)}: {full}"


def verdict(v: Verdict, needs: Iterable[Need] = ()) -> str:
    """One verdict: `forward: set_input fails with NotSupported (PTE301)` or `forward: runs`.

    With what its runner must provide: `forward: runs if given the backend QnnBackend`.
    """
    subject = "the file" if v.method is None else exact(v.method) or "(no name)"
    if v.outcome is Outcome.OK:
        given = words(needs, v.method)
        runs = f"runs if given {given}" if given else "runs"
        return f"{subject}: {runs if v.stage is Stage.EXECUTE else 'loads'}"
    by = f" ({v.rule})" if v.rule else ""
    return f"{subject}: {ending(v.stage, v.outcome, v.error or v.signal)}{by}"


def status_words(confirmation: Confirmation) -> str:
    """A status, and that it was seen in a replay where it was."""
    words = WORDS.get(confirmation.status, confirmation.status)
    return f"{words} (replayed)" if "replayed" in confirmation.evidence else words


def mark(claim: Finding | Verdict) -> str:
    """`, confirmed`: what a run showed about a claim; empty where nothing was run."""
    return "" if claim.confirmation is None else f", {status_words(claim.confirmation)}"


def shown(claim: Finding | Verdict) -> str | None:
    """`confirmed: the runtime did what was predicted ...`; None where nothing was run."""
    if claim.confirmation is None:
        return None
    reason = claim.confirmation.evidence.get("reason")
    words = status_words(claim.confirmation)
    return f"{words}: {reason}" if reason else words


UNMET: Final = "not as expected"
"""Heads what is said of outputs that are not the expected ones."""


def shown_wrong(artifact: ArtifactReport) -> list[tuple[str, str]]:
    """What a run showed to be wrong besides findings, a heading and a text each.

    Verdicts that it refuted, and outputs that are not the expected ones.
    """
    told: list[tuple[str, str]] = []
    for v in artifact.verdict:
        if v.confirmation is None:
            continue
        if v.confirmation.status == "refuted":
            text = f"{verdict(v, artifact.needs)}; {shown(v)}"
            told.append(("verdict refuted by the runtime", text))
        cases = v.confirmation.evidence.get("expected")
        for each in cases if isinstance(cases, list) else ():
            if each["status"] != "equal":
                told.append((UNMET, f"{each['case']}: {each['reason']}"))
    return told


def headline(artifact: ArtifactReport) -> str:
    """What becomes of a file, in a few words: what readers look for before anything else.

    `forward: set_input fails with NotSupported (PTE301)`, `runs`, `runs if given the backend
    QnnBackend`; of several methods the first that fails, and how many do. Empty where nothing is
    known.
    """
    if is_refuted(artifact):
        return "refuted by the runtime"
    bad = [v for v in artifact.verdict if v.outcome is not Outcome.OK]
    if bad:
        first, count = verdict(bad[0]).removeprefix("the file: "), len(artifact.verdict)
        if len(bad) == 1:
            return first
        return f"{first}; {len(bad)} of {plural(count, 'method')} do not run"
    if not artifact.verdict:
        return ""
    if all(v.stage is not Stage.EXECUTE for v in artifact.verdict):
        return "loads"
    given = words(artifact.needs)
    return f"runs if given {given}" if given else "runs"


def runs_on(artifact: ArtifactReport) -> str | None:
    """The versions that run the file and those that do not, and why; None if nothing is known."""
    if not artifact.runs_on:
        return None
    several = len({v.method for all_ in artifact.runs_on.values() for v in all_}) > 1
    told = _by_phrase(
        (version, _trouble(verdicts, several)) for version, verdicts in _ordered(artifact.runs_on)
    )
    good = told.pop(None, [])
    parts = [", ".join(good) if good else "no known version"]
    for trouble, versions in told.items():
        if trouble is not None:
            parts.append(f"{trouble.verb} {', '.join(versions)} ({trouble.why})")
    return "; ".join(parts)


def runs_label(artifact: ArtifactReport) -> str:
    """What stands before `runs_on`: a file without methods (a .ptd) is loaded, not run.

    Where something is needed that no version has by itself, the versions are those that may run it.
    """
    has_methods = any(v.method is not None for all_ in artifact.runs_on.values() for v in all_)
    good = all(v.outcome is Outcome.OK for v in artifact.verdict)
    if good and artifact.needs:
        return "may run on"
    return "runs on" if has_methods or not good else "loads on"


def counts(report: Report) -> str:
    """`2 errors, 0 warnings, 1 info in 3 files`; infos are only named when there are any.

    With what could not be read, which an empty list of findings must not hide.
    """
    errors, warnings = report.told(Severity.ERROR), report.told(Severity.WARNING)
    infos, files = report.told(Severity.INFO), len(report.artifacts)
    text = f"{plural(errors, 'error')}, {plural(warnings, 'warning')}"
    if infos:
        text += f", {plural(infos, 'info')}"
    text += f" in {plural(files, 'file')}"
    if report.consequences:
        text += f" ({following(report.consequences)})"
    return f"{text}; {plural(len(report.unread), 'path')} not read" if report.unread else text


def heading(artifact: ArtifactReport) -> str:
    """`2 errors, 1 info (not shown)`; empty when there is nothing."""
    told = []
    for severity in Severity:
        count = artifact.told(severity)
        if count:
            note = " (not shown)" if str(severity) in artifact.hidden else ""
            told.append(plural(count, str(severity)) + note)
    if artifact.internal_errors:
        told.append(plural(len(artifact.internal_errors), "internal error"))
    return ", ".join(told)


def following(count: int) -> str:
    """`and 112 consequences`."""
    return f"and {plural(count, 'consequence')}"


def plural(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def fetched_words(fetched: Fetched) -> str:
    """`9.4 KiB in 2 requests`."""
    return f"{human_bytes(fetched.bytes)} in {plural(fetched.requests, 'request')}"


def human_bytes(count: int) -> str:
    """Bytes, exactly when few and in binary units when many."""
    if abs(count) < 10_000:
        return plural(count, "byte")
    size = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if abs(size) < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def where(finding: Finding) -> str:
    """The place of a finding in words: method, instruction with its operator, argument, value."""
    at, subject = finding.location, place_words(finding.subject)
    thing, _, said = subject.partition(": ")
    if said and said in finding.message:
        subject = thing
    parts: list[str] = []
    if at.instruction is not None:
        operator = f" {at.operator}" if at.operator else ""
        parts.append(f"instruction {at.instruction}{operator}")
    if at.argument is not None:
        parts.append(f"argument {at.argument}")
    value = f"value {at.value}" if at.value is not None else ""
    if at.instruction is not None and finding.subject.startswith(f"instruction {at.instruction} "):
        pass  # It says the same again.
    elif at.operator and finding.subject == f"operator {at.operator}":
        pass
    elif subject and value and value not in subject:
        parts.append(f"{subject} ({value})")
    elif subject or value:
        parts.append(subject or value)
    if finding.written_by:
        parts.append(f"written by {finding.written_by}")
    if not parts:
        parts.append(place_words(at.path) or "the file")
        if at.byte_offset is not None:
            parts.append(f"byte {at.byte_offset}")
    text = ", ".join(parts)
    return text if finding.method is None else f"{exact(finding.method) or '(no name)'}: {text}"


def source_words(finding: Finding) -> str:
    """`model.py:12 in forward: return x + y`; empty where the program does not tell.

    The line is the innermost one outside of installed packages, where there is one: traces end in
    PyTorch's own modules (torch/nn/modules/linear.py), which nobody is asked to change.
    """
    if not finding.source:
        return ""
    own = [line for line in finding.source if not _INSTALLED.search(line.file)]
    line = (own or finding.source)[-1]
    return f"{line.file}:{line.line} in {line.function or '?'}: {line.text.strip()}"


def rest(findings: tuple[Finding, ...]) -> str:
    """`and 3 more like this: value 4, value 7, value 9`."""
    places = list(dict.fromkeys(f.subject or short(f) for f in findings))
    named = ", ".join(places[:_NAMED])
    more = ", ..." if len(places) > _NAMED else ""
    return f"and {len(findings)} more like this: {named}{more}"


def short(finding: Finding) -> str:
    """The place of a finding in a word or two."""
    at = finding.location
    if at.value is not None:
        return f"value {at.value}"
    return f"instruction {at.instruction}" if at.instruction is not None else at.path or "the file"


def _name(target: Target) -> str:
    return f"executorch {target.runtime}"


@dataclass(frozen=True, slots=True)
class _Trouble:
    """What stands around the version: `refused by 1.2 (OperatorMissing at load_method)`."""

    verb: str
    why: str


_T = TypeVar("_T", bound=Hashable)


def _by_phrase(pairs: Iterable[tuple[str, _T]]) -> dict[_T, list[str]]:
    out: dict[_T, list[str]] = {}
    for version, phrase in pairs:
        out.setdefault(phrase, []).append(version)
    return out


def _ordered(table: Mapping[str, tuple[Verdict, ...]]) -> list[tuple[str, tuple[Verdict, ...]]]:
    known = [v for v in RUNTIME_VERSIONS if v in table]
    return [(v, table[v]) for v in known + sorted(set(table) - set(known))]


def _trouble(verdicts: tuple[Verdict, ...], several: bool) -> _Trouble | None:
    """The trouble of the first method that does not run; None if all do."""
    for v in verdicts:
        if v.outcome is Outcome.OK:
            continue
        detail = v.error or v.signal
        place = f" of {exact(v.method)}" if several and v.method is not None else ""
        why = f"{detail} at {v.stage}{place}" if detail else f"at {v.stage}{place}"
        if v.outcome is Outcome.UNJUDGED:
            why = f"{v.rule}{place}"
        return _Trouble(_VERBS[v.outcome], why)
    return None


_VERBS = {
    Outcome.ERROR: "refused by",
    Outcome.CRASH: "crashes on",
    Outcome.UNDEFINED: "undefined on",
    Outcome.WRONG: "wrong on",
    Outcome.UNJUDGED: "not judged for",
}
