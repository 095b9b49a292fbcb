"""The report for people: what is wrong, where, what the runtime will do, and the fix.

Plain output is the same bytes on every machine: 80 columns, no dependence on the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.need import words
from pte_lint.claims.result import ArtifactReport, InternalError, Report, is_refuted
from pte_lint.report.folding import ranked
from pte_lint.report.layout import Painter, labelled, wrap
from pte_lint.report.numbers_text import memory_lines
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import (
    counts,
    fetched_words,
    heading,
    headline,
    human_bytes,
    plural,
    runs_label,
    runs_on,
    verdict,
)
from pte_lint.report.ranking import failing, worst_first
from pte_lint.report.text_confirmation import confirmation_lines, copied
from pte_lint.report.text_finding import group_lines
from pte_lint.schema.frozen import dataclass
from pte_lint.text import sanitise


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How much to say."""

    colour: bool = False
    quiet: bool = False
    """Findings and internal errors only."""
    verbose: bool = False
    """Every finding unfolded, with evidence, and everything that was not checked."""
    show_unchecked: bool = False
    only_findings: bool = False
    """Leave out files without findings."""
    tell_unread: bool = False
    """Tell what could not be read; a terminal has it from stderr."""
    judging: RenderOptions = DEFAULT
    """What makes a file fail."""


_PLAIN = TextOptions()

_EXPLAINED = 4
"""Rules that the last line names, the worst first."""

_TRACES = (
    "Exported with ExecutorchBackendConfig(emit_stacktrace=True), a program lets findings name the "
    "lines of the model."
)

_LISTED = 20
"""Failing files that the summary names."""


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders a report as it is written to files: plain, with nothing left out or added."""
    return render_text(report, TextOptions(judging=options, tell_unread=True))


def render_text(report: Report, options: TextOptions = _PLAIN) -> str:
    """Renders a report; ends with a newline unless there is nothing to say."""
    lines: list[str] = []
    for line in _lines(report, options, Painter(options.colour)):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n" if lines else ""


def _lines(report: Report, options: TextOptions, paint: Painter) -> Iterator[str]:
    brief = len(report.artifacts) > 1 and not options.verbose
    for artifact in worst_first(report):
        if brief and _is_noted(artifact, options):
            if not options.quiet:
                yield from _clean(artifact, options, paint)
        elif artifact.findings or artifact.internal_errors:
            yield from _artifact(artifact, report, options, paint)
        elif is_refuted(artifact) or not (options.quiet or options.only_findings):
            yield from _clean(artifact, options, paint)
    if options.tell_unread:
        for each in report.unread:
            yield from labelled("error: ", each, "", paint, style="error")
    if options.quiet:
        return
    yield ""
    if brief and any(_is_noted(artifact, options) for artifact in report.artifacts):
        yield "Infos are told with --verbose, and of a file that is checked alone."
    for note in report.notes:
        yield from labelled("note: ", note, "", paint)
    yield from _summary(report, options, paint)


def _artifact(
    artifact: ArtifactReport, report: Report, options: TextOptions, paint: Painter
) -> Iterator[str]:
    path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
    # The verdict stands first, on one line, and once more below what may be a long list.
    facts = [sanitise.prose(headline(artifact)), heading(artifact)]
    yield f"{paint(path, 'strong')}: {'; '.join(filter(None, facts))}"
    # For a reader the worst comes first; within a severity the order is that of the report.
    before: Severity | None = None
    snippets: dict[str, str] = {}
    for group in ranked(artifact.findings, with_consequences=options.verbose):
        notes = not options.verbose and before is group.first.severity is Severity.INFO
        before = group.first.severity
        if not notes:
            yield ""
        yield from group_lines(group, report.target, paint, options.verbose, snippets)
    for error in artifact.internal_errors:
        yield ""
        label = f"{error.what}: "
        yield from labelled(label, error.message, "  ", paint, style="error")
        if options.verbose:
            for line in error.traceback.rstrip().split("\n"):
                yield f"    {sanitise.prose(line)}"
    if not options.quiet:
        yield ""
        yield from _verdicts(artifact, paint)
        yield from _about(artifact, options, paint)
    yield ""


def _is_noted(artifact: ArtifactReport, options: TextOptions) -> bool:
    """Whether a file has infos alone, which among other files are named and not told."""
    if artifact.internal_errors or is_refuted(artifact) or options.show_unchecked:
        return False
    infos = [f for f in artifact.findings if f.severity is Severity.INFO and not f.confirmation]
    fails = any(map(options.judging.fails, artifact.findings))
    return bool(infos) and len(infos) == len(artifact.findings) and not fails


def _clean(artifact: ArtifactReport, options: TextOptions, paint: Painter) -> Iterator[str]:
    """A file without findings, or with infos: one line that still says what it was judged for."""
    path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
    ok = all(v.outcome is Outcome.OK for v in artifact.verdict)
    ok = ok and not is_refuted(artifact)
    word = "clean" if ok else "refuted by the runtime" if is_refuted(artifact) else "no findings"
    head = f"{paint(path, 'strong')}: {paint(word, 'good') if ok else word}"
    ran = any(v.confirmation is not None for v in artifact.verdict)
    if not ok or ran or options.verbose or options.show_unchecked:
        yield head
        yield from _verdicts(artifact, paint)
        yield from _about(artifact, options, paint)
        return
    rules = ", ".join(sorted({f.rule for f in artifact.findings}))
    facts = [heading(artifact) + (f" ({rules})" if rules else "")]
    facts = [fact for fact in facts if fact]
    versions, given = runs_on(artifact), words(artifact.needs)
    if given:
        facts.append(f"runs if given {given}")
    if versions is not None:
        facts.append(f"{runs_label(artifact)} {versions}")
    if artifact.suppressed:
        facts.append(f"ignored {_ignored(artifact)}")
    if artifact.fetched is not None:
        facts.append(f"fetched {fetched_words(artifact.fetched)}")
    if artifact.unchecked:
        facts.append(f"{plural(len(artifact.unchecked), 'thing')} not checked")
    # One line whatever its length: of a folder nothing is longer than its number of files.
    yield "; ".join((head, *map(sanitise.prose, facts)))


def _verdicts(artifact: ArtifactReport, paint: Painter) -> Iterator[str]:
    for v in artifact.verdict:
        yield from labelled("verdict: ", verdict(v, artifact.needs), "  ", paint)
        if v.confirmation is not None:
            yield from confirmation_lines(v.confirmation, "    ", paint, logs=False)
            moved = copied(v.confirmation)
            if moved and v.outcome is Outcome.OK:
                yield from wrap(moved, indent="    ")


def _about(artifact: ArtifactReport, options: TextOptions, paint: Painter) -> Iterator[str]:
    versions = runs_on(artifact)
    if versions is not None:
        yield from labelled(f"{runs_label(artifact)}: ", versions, "  ", paint)
    for line in memory_lines(artifact.numbers, artifact.findings):
        yield from labelled("memory: ", line, "  ", paint)
    if artifact.fetched is not None:
        text = f"{fetched_words(artifact.fetched)}, of {human_bytes(artifact.size)}"
        yield from labelled("fetched: ", text, "  ", paint)
    if artifact.suppressed:
        yield from labelled("ignored: ", _ignored(artifact), "  ", paint)
    if not artifact.unchecked:
        return
    if options.show_unchecked or options.verbose:
        yield from labelled("not checked: ", "", "  ", paint)
        for gap in artifact.unchecked:
            yield from wrap(f"{gap.what}: {gap.why}", indent="      ", first="    - ")
        return
    first = artifact.unchecked[0].what
    others = len(artifact.unchecked) - 1
    more = f" and {plural(others, 'other thing')}" if others else ""
    if others == 1:
        more = f" and {artifact.unchecked[1].what}"
    yield from labelled("not checked: ", f"{first}{more} (--show-unchecked tells why)", "  ", paint)


def _ignored(artifact: ArtifactReport) -> str:
    rules: dict[str, int] = {}
    for known in artifact.suppressed:
        rules[known.finding.rule] = rules.get(known.finding.rule, 0) + 1
    each = ", ".join(f"{rule} x{n}" if n > 1 else rule for rule, n in sorted(rules.items()))
    return (
        f"{plural(len(artifact.suppressed), 'finding')} by an ignore entry or the baseline ({each})"
    )


def _summary(report: Report, options: TextOptions, paint: Painter) -> Iterator[str]:
    bad = failing(report, options.judging) if len(report.artifacts) > 1 else []
    if bad:
        yield paint("failing:", "error")
    for artifact in bad[:_LISTED]:
        path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
        yield f"  {path}: {heading(artifact) or 'refuted by the runtime'}"
    if len(bad) > _LISTED:
        yield f"  and {plural(len(bad) - _LISTED, 'more file')}"
    target = report.target
    suffix = "" if str(target.verification) == "both" else f", {target.verification} verification"
    line = f"{counts(report)}, judged for executorch {target.runtime}{suffix}."
    worst = next((s for s in Severity if report.count(s)), None)
    yield from (paint(each, str(worst) if worst else "good") for each in wrap(line))
    if report.internal_errors:
        yield from wrap(_failed(report.internal_errors))
    told = {
        ((f.severity or Severity.INFO).rank, f.rule) for f in report.findings if f.cause is None
    }
    rules = list(dict.fromkeys(rule for _, rule in sorted(told)))
    if rules:
        some = " ".join(rules[:_EXPLAINED])
        yield from wrap(f"`pte-lint explain {some}` tells more.")
    if any(map(_would_name_a_line, report.findings)) and not any(f.source for f in report.findings):
        yield from wrap(_TRACES)


def _would_name_a_line(finding: Finding) -> bool:
    """Whether a trace would lead to a line of the model: prim ops and copies come from passes."""
    operator = finding.location.operator or ""
    if finding.severity is Severity.INFO or finding.cause is not None:
        return False
    return "::" in operator and not operator.startswith(("executorch_prim::", "et_copy::"))


def _failed(errors: Sequence[InternalError]) -> str:
    """Whose rules failed, and who should be told."""
    plugins = sorted({e.plugin for e in errors if e.plugin is not None})
    whose = [f"the plugin {each}" for each in plugins]
    if any(e.plugin is None for e in errors):
        whose.insert(0, "pte-lint")
    tell = "Please report it" if whose[0] == "pte-lint" else "Please tell its authors"
    return (
        f"{plural(len(errors), 'internal error')}: a rule of {' and of '.join(whose)} failed, "
        f"so nothing is promised about these files. {tell}."
    )
