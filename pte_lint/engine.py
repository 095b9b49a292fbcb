"""Runs rules over one artifact and derives its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pte_lint.analysis.method import Method
from pte_lint.analysis.rehearsal.moments import in_time
from pte_lint.artifact import Artifact, ArtifactError
from pte_lint.clock import RULE, STAGE, running, timed
from pte_lint.context import Context
from pte_lint.finding import Finding, NotEvaluated, Severity, Unchecked
from pte_lint.finish import (
    complete,
    fingerprinted,
    for_target,
    in_order,
    printable,
    unreachable,
    with_severity,
)
from pte_lint.forecast import RUNTIME_VERSIONS
from pte_lint.kernels.gaps import unjudged_kernels
from pte_lint.numbers import numbers
from pte_lint.quiet_gc import collection_paused
from pte_lint.reading import open_context
from pte_lint.result import ArtifactReport, InternalError, RuleResult
from pte_lint.rule import Rule, Scope
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.source import with_sources
from pte_lint.target import Target
from pte_lint.verdict import derive


@dataclass(frozen=True, slots=True)
class Settings:
    """What to judge with."""

    rules: Sequence[Rule]
    target: Target = field(default_factory=Target)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """Severity by rule id, instead of the rule's own."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options for rules, by name: `pipelines`."""


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
    for rule in settings.rules:
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
        gap = unjudged_kernels(method)
        if gap is not None:
            run.unchecked.append(Unchecked(printable(gap.what), printable(gap.why)))
    names = [printable(m.name) for m in context.methods]
    plans = [m.index for m in context.methods]
    everything = in_order(run.findings, names)
    target = settings.target
    shown = [
        with_severity(kept, settings.severity)
        for f in everything
        if (kept := for_target(f, target)) is not None
    ]
    return ArtifactReport(
        path=context.artifact.path,
        kind=str(context.container.kind),
        size=context.artifact.size,
        sha256=digest,
        verdict=derive(everything, names, target.runtime, target.verification, plans),
        findings=fingerprinted(with_sources(shown, context.methods)),
        unchecked=tuple(dict.fromkeys(run.unchecked)),
        rules=tuple(run.results),
        internal_errors=tuple(run.failures),
        runs_on={
            version: derive(everything, names, version, target.verification, plans)
            for version in RUNTIME_VERSIONS
        },
        numbers=numbers(context.methods),
        fetched=context.artifact.fetched,
    )


def _hidden(methods: Sequence[Method]) -> frozenset[int]:
    """Methods that cannot be reached because an earlier one has the same name."""
    first: dict[str, int] = {}
    named = [method for method in methods if method.plan.name is not None]
    for method in named:
        first.setdefault(method.name, method.index)
    return frozenset(m.index for m in named if first[m.name] != m.index)


MOST_ALIKE = 1_000
"""Findings of one rule in one method, or in what belongs to none, that are kept."""
MOST_FINDINGS = 20_000
"""Findings of one artifact after which only the first of each rule in each method are kept."""


class _Run:
    """Collects what the rules say about one artifact."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self._context = context
        self._settings = settings
        self._hidden = _hidden(context.methods)
        self.findings: list[Finding] = []
        self.unchecked = [
            Unchecked(
                f"method {printable(name) or '(no name)'}",
                "its calls mention long lists so often that following them would take longer than "
                "its size allows",
            )
            for name in context.unfollowed
        ]
        self.unchecked += context.unread
        self.results: list[RuleResult] = []
        self.failures: list[InternalError] = []
        self._counts: Counter[tuple[str, str | None]] = Counter()
        """Findings kept, by rule and method."""
        self._cut: set[str] = set()
        """Rules of which not everything is kept."""

    def ask(self, rule: Rule) -> None:
        """Runs one rule on everything it is about."""
        before = len(self.findings)
        reasons: list[str] = []
        if rule.scope is Scope.ARTIFACT:
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
        """Whether one more finding is kept; says so once where it is not.

        A small file can give cause for hundreds of thousands; nobody reads them. The first of each
        rule in each method are always kept, since verdicts follow from them.
        """
        key = (rule.id, method)
        room = MOST_ALIKE if len(self.findings) < MOST_FINDINGS else 1
        if self._counts[key] < room:
            self._counts[key] += 1
            return True
        if rule.id not in self._cut:
            self._cut.add(rule.id)
            what = f"the rest of what {rule.id} ({rule.name}) finds"
            self.unchecked.append(Unchecked(what, "it finds too much to be listed"))
        return False

    def _take(
        self, rule: Rule, about: tuple[object, ...], method: str | None, reasons: list[str]
    ) -> None:
        settings = self._settings
        try:
            for said in rule.function(*about):
                if isinstance(said, Unchecked):
                    self.unchecked.append(Unchecked(printable(said.what), printable(said.why)))
                    continue
                # An artifact rule may speak about one method: it says which in `method`.
                named = said.method if said.method is not None else method
                if not self._has_room(rule, named):
                    if rule.scope is Scope.METHOD:
                        break
                    continue
                plan = None
                if isinstance(about[0], Method):
                    plan, said = about[0].index, in_time(said, about[0])  # noqa: PLW2901
                finding = complete(said, rule, settings.target, named, plan)
                self.findings.append(unreachable(finding) if plan in self._hidden else finding)
        except NotEvaluated as exc:
            reasons.append(printable(str(exc)))
        except NotFetchedError as exc:
            self.unchecked.append(Unchecked(f"{rule.id} ({rule.name})", str(exc)))
            reasons.append(str(exc))
        except ArtifactError:
            raise
        except Exception as exc:
            import traceback

            self.failures.append(InternalError(rule.id, repr(exc), traceback.format_exc()))
            reasons.append("the rule failed")
