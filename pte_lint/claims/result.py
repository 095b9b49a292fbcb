"""What a check returns: data only, no rendering."""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Confirmation, Finding, Json, Severity, Unchecked
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.need import Need
from pte_lint.claims.target import Target
from pte_lint.clock import Seconds
from pte_lint.files.fetched import Fetched
from pte_lint.schema.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first thing that goes wrong in a method, or that it runs.

    `method` is None for the artifact as a whole (it does not load, or is no program).
    `stage` execute with `outcome` ok means that the method runs.
    """

    method: str | None
    stage: Stage
    outcome: Outcome
    error: str | None = None
    rule: str | None = None
    signal: str | None = None
    confirmation: Confirmation | None = None
    """What the real runtime showed, where the harness was asked."""


@dataclass(frozen=True, slots=True)
class InternalError:
    """A rule (or the engine) failed on this artifact: a bug of the rule, never of the file."""

    rule: str
    message: str
    traceback: str
    plugin: str | None = None
    """The plugin whose rule it is; None for a rule of pte-lint's own."""

    @property
    def what(self) -> str:
        """Whose failure it is, in a few words."""
        whose = "" if self.plugin is None else f" of the plugin {self.plugin}"
        return f"internal error in {self.rule}{whose}"


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What became of one rule on one artifact: `passed`, `findings` or `not_evaluated`."""

    rule: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that is known and meant to be, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class ArtifactReport:
    """Everything known about one artifact."""

    path: str
    kind: str
    size: int
    sha256: str | None
    """Of the whole file; None for files too large to read just for that."""
    verdict: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...] = ()
    rules: tuple[RuleResult, ...] = ()
    internal_errors: tuple[InternalError, ...] = ()
    runs_on: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    """The verdict for every known runtime version, the target's among them."""
    numbers: Mapping[str, Json] = field(default_factory=dict)
    """Per method and in total: planned bytes by device, bytes copied per call and direction."""
    suppressed: tuple[Suppressed, ...] = ()
    """Findings that an ignore entry with a reason, or a baseline, took out of `findings`."""
    fetched: Fetched | None = None
    """What was fetched of it; None for what was here."""
    needs: tuple[Need, ...] = ()
    """What its runner must provide that the target alone does not: a verdict that it runs, and
    `runs_on`, are for a runner that does."""
    backends: tuple[str, ...] = ()
    """The backends that its delegates name, in order of the alphabet."""
    hidden: Mapping[str, int] = field(default_factory=dict)
    """By severity, findings that are not in `findings` because nobody asked for so mild ones."""

    def count(self, severity: Severity) -> int:
        """How many findings have this severity, those included that are not shown."""
        shown = sum(1 for f in self.findings if f.severity is severity)
        return shown + self.hidden.get(str(severity), 0)

    def told(self, severity: Severity) -> int:
        """The same without those that follow from another finding."""
        roots, _ = consequences(self.findings)
        shown = sum(1 for f in roots if f.severity is severity)
        return shown + self.hidden.get(str(severity), 0)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one check over any number of artifacts."""

    target: Target
    artifacts: tuple[ArtifactReport, ...]
    tool_version: str
    notes: tuple[str, ...] = ()
    """About the run as a whole: unused ignore entries, expired ones."""
    timings: Seconds | None = None
    """Own seconds by stage, analysis and rule, where they were asked for."""
    unread: tuple[str, ...] = ()
    """One line for each path that could not be read: nothing is said about what is there."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in order."""
        return tuple(f for a in self.artifacts for f in a.findings)

    def count(self, severity: Severity) -> int:
        """How many findings have this severity, over all artifacts."""
        return sum(a.count(severity) for a in self.artifacts)

    def told(self, severity: Severity) -> int:
        """The same without those that follow from another finding."""
        return sum(a.told(severity) for a in self.artifacts)

    @property
    def consequences(self) -> int:
        """How many findings follow from another one."""
        return sum(sum(consequences(a.findings)[1].values()) for a in self.artifacts)

    @property
    def internal_errors(self) -> tuple[InternalError, ...]:
        """Failures of rules, over all artifacts."""
        return tuple(e for a in self.artifacts for e in a.internal_errors)

    def is_clean(self, fail_on: Severity = Severity.ERROR, *, unchecked: bool = False) -> bool:
        """True when no finding is at or above `fail_on`, no rule failed, and all was read.

        Args:
            fail_on: The mildest severity that is not clean.
            unchecked: Whether anything that could not be checked is not clean either.
        """
        if (
            self.internal_errors
            or self.unread
            or (unchecked and any(a.unchecked for a in self.artifacts))
        ):
            return False
        return all(f.severity is None or f.severity.rank > fail_on.rank for f in self.findings)


def is_refuted(artifact: ArtifactReport) -> bool:
    """True when the real runtime showed that a finding or a verdict is wrong."""
    said = [finding.confirmation for finding in artifact.findings]
    said += [verdict.confirmation for verdict in artifact.verdict]
    return any(each is not None and each.status == "refuted" for each in said)
