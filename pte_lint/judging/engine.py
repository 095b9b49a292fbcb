"""Runs rules over one artifact and derives its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pte_lint.claims.causes import linked
from pte_lint.claims.finding import Finding, Json, NotEvaluated, Severity, Unchecked
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast
from pte_lint.claims.result import ArtifactReport, InternalError, RuleResult
from pte_lint.claims.target import Target
from pte_lint.clock import RULE, STAGE, running, timed
from pte_lint.data.context import Context
from pte_lint.data.needs import needs_of
from pte_lint.data.reading import MAX_METHODS, open_context
from pte_lint.files.artifact import Artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.judging.answers import answers
from pte_lint.judging.finish import (
    complete,
    fingerprinted,
    for_target,
    identified,
    in_order,
    unreachable,
    with_severity,
)
from pte_lint.judging.source import with_sources
from pte_lint.judging.verdict import derive
from pte_lint.questions.gaps import gaps
from pte_lint.questions.in_time import in_time
from pte_lint.questions.method import Method
from pte_lint.questions.numbers import numbers
from pte_lint.quiet_gc import collection_paused
from pte_lint.rulebook.rule import Rule, Scope
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.text.c_strings import c_string
from pte_lint.text.printable import printable
from pte_lint.text.words import count as number


@dataclass(frozen=True, slots=True)
class Settings:
    """What to judge with."""

    rules: Sequence[Rule]
    target: Target = field(default_factory=Target)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """Severity by rule id, instead of the rule's own."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options for rules, by name: `pipelines`."""
    rule_options: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Options of single rules, by rule id, as their models take them."""
    allow_unjudged: bool = False
    """Whether what was not judged is a warning; else it is an error."""


def check_artifact(
    artifact: Artifact,
    settings: Settings,
    data: Sequence[LoadedFlatTensor] = (),
    *,
    release: bool = True,
) -> ArtifactReport:
    """Judges one opened artifact.

    Args:
        artifact: the artifact.
        settings: what to judge with.
        data: .ptd files that it is loaded with.
        release: whether to free at once what was worked out; a process that ends now need not.

    Never raises for anything in the file: what cannot be read is a finding, and a rule that fails
    is an `InternalError` in the report.

    Raises:
        ArtifactError: an artifact far away can be reached no longer.
    """
    with collection_paused():
        context = open_context(artifact, settings.target, data, settings.options)
        try:
            return judge(context, settings)
        finally:
            if release:
                context.release()


def judge(context: Context, settings: Settings) -> ArtifactReport:
    """Runs the rules over an opened context; see `check_artifact`."""
    run = _Run(context, settings)
    clock = running()
    # What is said about the ledgers needs all others to be through with entering things there.
    for rule in sorted(settings.rules, key=lambda rule: rule.scope is Scope.LEDGER):
        if rule.scope is Scope.LEDGER:
            run.enter_cuts()
        if clock is None:
            run.ask(rule)
            continue
        with clock.timing(RULE, rule.id):
            run.ask(rule)
    with timed(STAGE, "hash"):
        digest = context.artifact.sha256()
    with timed(STAGE, "finish"):
        return _finish(context, settings, run, digest)


def _finish(context: Context, settings: Settings, run: _Run, digest: str | None) -> ArtifactReport:
    """Puts in order what the rules said, and derives verdicts and numbers from it."""
    for method in context.methods:
        for gap in gaps(method):
            run.unchecked.append(Unchecked(printable(gap.what), printable(gap.why)))
    told = [(m.index, printable(m.name)) for m in context.methods]
    told += [(index, printable(name)) for name, index, _ in context.left_out]
    plans, names = [index for index, _ in sorted(told)], [name for _, name in sorted(told)]
    everything = in_order(run.findings, names)
    deciding = [*everything, *run.unlisted]
    target = settings.target
    violations = context.loaded.violations if context.loaded is not None else ()
    shown = [
        with_severity(kept, settings.severity, settings.allow_unjudged)
        for f in everything
        if (kept := for_target(f, target)) is not None
    ]
    return ArtifactReport(
        path=context.artifact.path,
        kind=str(context.container.kind),
        size=context.artifact.size,
        sha256=digest,
        verdict=derive(deciding, names, target.runtime, target.verification, plans),
        findings=linked(fingerprinted(with_sources(shown, context.methods)), violations),
        unchecked=_bounded(run.unchecked),
        rules=tuple(run.results),
        internal_errors=tuple(run.failures),
        runs_on={
            version: derive(deciding, names, version, target.verification, plans)
            for version in RUNTIME_VERSIONS
        },
        numbers=numbers(context.methods),
        fetched=context.artifact.fetched,
        needs=needs_of(context),
        backends=_backends(context),
    )


def _backends(context: Context) -> tuple[str, ...]:
    """Those that the delegates of all methods name; a hostile file can name any number."""
    plans = (context.program.execution_plan or ()) if context.program is not None else ()
    ids = {each.id for plan in plans[:MAX_METHODS] for each in plan.delegates or ()}
    return tuple(sorted(printable(c_string(each)) for each in ids if each)[:MOST_BACKENDS])


def _bounded(unchecked: Iterable[Unchecked]) -> tuple[Unchecked, ...]:
    """Each thing once, the first of them; the last one tells how many more there are."""
    once = tuple(dict.fromkeys(unchecked))
    rest = len(once) - MOST_UNCHECKED
    if rest <= 0:
        return once
    return (*once[:MOST_UNCHECKED], Unchecked(number(rest, "more thing"), "too many to list"))


def _hidden(methods: Sequence[Method]) -> frozenset[int]:
    """Methods that cannot be reached because an earlier one has the same name."""
    first: dict[str, int] = {}
    named = [method for method in methods if method.plan.name is not None]
    for method in named:
        first.setdefault(method.name, method.index)
    return frozenset(m.index for m in named if first[m.name] != m.index)


MOST_ALIKE = 1_000
"""Findings of one rule in one method, or in what belongs to none, that are listed."""
FREE_FINDINGS = 300
BYTES_A_FINDING = 400
MOST_FINDINGS = 20_000
"""So many findings of one artifact are listed, one more for so many bytes of it, and never more
than that; then only the first of each rule in each method. One takes a few kilobytes in a report.
"""
MOST_UNLISTED = 10_000
"""Findings of one rule in one method that are counted when they are listed no more."""
MOST_BACKENDS = 100
"""Backends of one artifact that are named."""
MOST_UNCHECKED = 1_000
"""Things that could not be checked in one artifact that are listed."""


@dataclass(slots=True)
class _Cut:
    """How many findings are not listed, how many of them are errors, and if there may be more."""

    findings: int = 0
    errors: int = 0
    is_open: bool = False


class _Run:
    """Collects what the rules say about one artifact."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self._context = context
        self._settings = settings
        self._hidden = _hidden(context.methods)
        self.findings: list[Finding] = []
        self.unchecked: list[Unchecked] = []
        self.results: list[RuleResult] = []
        self.failures: list[InternalError] = []
        size = context.artifact.size
        self._most = min(FREE_FINDINGS + size // BYTES_A_FINDING, MOST_FINDINGS)
        self._counts: Counter[tuple[str, str | None]] = Counter()
        """Findings listed, by rule and method."""
        self._cut: dict[tuple[str, str | None], _Cut] = {}
        """Findings that are not listed, by rule and method."""
        self._unlisted: dict[tuple[str, str | None, int | None, Forecast | None], Finding] = {}

    @property
    def unlisted(self) -> Iterable[Finding]:
        """Findings that are not listed but decide: of those with one forecast, what comes first."""
        return self._unlisted.values()

    def enter_cuts(self) -> None:
        """Enters that errors are not listed, which nobody could set aside or repair one by one."""
        ledgers = {printable(m.name): m.ledger for m in reversed(self._context.methods)}
        for (rule, method), cut in self._cut.items():
            what = f"the rest of what {rule} finds"
            if cut.errors or cut.is_open:
                least = "at least " if cut.is_open else ""
                count = number(cut.findings, "more finding")
                why = f"{least}{count}, {cut.errors} of them errors, would be too many to list"
                whole = self._context.ledger
                (whole if method is None else ledgers.get(method, whole)).give_up(what, why)
            else:
                count = number(cut.findings, "more finding")
                why = f"{count}, none an error, would be too many to list"
                self.unchecked.append(Unchecked(what, why))

    def ask(self, rule: Rule) -> None:
        """Runs one rule on everything it is about."""
        before = len(self.findings)
        reasons: list[str] = []
        if rule.scope is not Scope.METHOD:
            self._take(rule, (self._context,), None, reasons)
        else:
            if not self._context.methods:
                reasons.append("no method could be read")
            for method in self._context.methods:
                self._take(rule, (method, self._context), method.name, reasons)
        if len(self.findings) > before:
            self.results.append(RuleResult(rule.id, "findings"))
        elif reasons:
            self.results.append(RuleResult(rule.id, "not_evaluated", "; ".join(reasons)))
        else:
            self.results.append(RuleResult(rule.id, "passed"))

    def _has_room(self, rule: Rule, method: str | None) -> bool:
        """Whether one more finding is listed.

        A small file can give cause for hundreds of thousands; nobody reads them.
        """
        key = (rule.id, method)
        room = MOST_ALIKE if len(self.findings) < self._most else 1
        if self._counts[key] >= room:
            return False
        self._counts[key] += 1
        return True

    def _leave_out(self, rule: Rule, finding: Finding) -> bool:
        """Counts a finding, and keeps it for the verdict where it may decide.

        Returns:
            Whether so many are left out that the rule is not asked on.
        """
        cut = self._cut.setdefault((rule.id, finding.method), _Cut())
        cut.findings += 1
        cut.is_open = cut.findings >= MOST_UNLISTED
        if finding.severity is not Severity.ERROR:
            return cut.is_open
        cut.errors += 1
        key = rule.id, finding.method, finding.plan, finding.forecast
        known = self._unlisted.get(key)
        if known is None or finding.order < known.order:
            self._unlisted[key] = finding
        return cut.is_open

    def _take(
        self, rule: Rule, about: tuple[object, ...], method: str | None, reasons: list[str]
    ) -> None:
        settings = self._settings
        try:
            answer: Iterable[Finding | Unchecked] = rule.function(*about, *self._options(rule))
            if rule.origin is not None:
                answer = answers(rule, answer)
            for said in answer:
                if isinstance(said, Unchecked):
                    self.unchecked.append(Unchecked(printable(said.what), printable(said.why)))
                    continue
                # An artifact rule may speak about one method: it says which in `method`.
                named = said.method if said.method is not None else method
                plan = about[0].index if isinstance(about[0], Method) else None
                if not self._has_room(rule, named):
                    is_open = self._leave_out(
                        rule, identified(said, rule, named, plan, self._hidden)
                    )
                    # What was given up on is told of every method, however much there is.
                    if is_open and rule.scope is not Scope.LEDGER:
                        if plan is None:
                            # It might have had something to say about any method.
                            self._cut.setdefault((rule.id, None), _Cut()).is_open = True
                        break
                    continue
                if isinstance(about[0], Method):
                    said = in_time(said, about[0])  # noqa: PLW2901
                finding = complete(said, rule, settings.target, named, plan)
                self.findings.append(unreachable(finding) if plan in self._hidden else finding)
        except NotEvaluated as exc:
            reasons.append(printable(str(exc)))
        except NotFetchedError as exc:
            self.unchecked.append(Unchecked(f"{rule.id} ({rule.name})", str(exc)))
            reasons.append(str(exc))
        except ArtifactError:
            raise
        except (Exception, SystemExit) as exc:
            import traceback

            plugin = rule.origin.plugin if rule.origin is not None else None
            text = traceback.format_exc()
            self.failures.append(InternalError(rule.id, repr(exc), text, plugin))
            reasons.append("the rule failed")

    def _options(self, rule: Rule) -> tuple[object, ...]:
        """The options of a rule that has any."""
        if rule.options is None:
            return ()
        return (rule.options(**self._settings.rule_options.get(rule.id, {})),)
