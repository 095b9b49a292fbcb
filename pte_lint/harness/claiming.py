"""The findings of a report as claims: what each expects to be seen, and by which sign."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome, Prediction, Stage, Verification
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.sign import Signs
from pte_lint.data.context import Context
from pte_lint.harness.decide import Claim, Rivals
from pte_lint.harness.expectation import expect
from pte_lint.harness.record import contradicts_file, facts_of
from pte_lint.questions.method import Method
from pte_lint.text.printable import printable


class Claims:
    """The claims of one report."""

    def __init__(
        self, report: ArtifactReport, context: Context, signs: Mapping[str, Signs | None]
    ) -> None:
        self._report, self._signs = report, signs
        self._methods = {printable(m.name): m for m in reversed(context.methods)}
        self._about: dict[tuple[str | None, str, bool], Rivals] = {}

    def method(self, name: str | None) -> Method | None:
        """The method that the runtime finds by this name."""
        return self._methods.get(name) if name is not None else None

    @property
    def names(self) -> tuple[str, ...]:
        """The methods' names, as reports have them."""
        return tuple(self._methods)

    def sign_of(self, finding: Finding) -> Signs | None:
        """What its rule says a run shows."""
        return self._signs.get(finding.rule)

    def of(self, finding: Finding, prediction: Prediction) -> Claim:
        """One finding's claim, for one runtime."""
        method = self.method(finding.method)
        expected = expect(finding, prediction, method)
        is_placed = method is None or not contradicts_file(finding, method)
        if prediction.stage in (Stage.SET_INPUT, Stage.EXECUTE):
            is_placed = is_placed and expected.spot.within is not None
        return Claim(
            finding,
            expected,
            self._signs.get(finding.rule),
            facts_of(finding, method),
            is_placed,
        )

    def about(self, method: str | None, runtime: str, full: bool) -> Rivals:
        """All errors that may end a run of a method, or loading the program."""
        known = self._about.get((method, runtime, full))
        if known is None:
            level = Verification.FULL if full else Verification.MINIMAL
            known = self._about[method, runtime, full] = Rivals(
                self.of(finding, prediction)
                for finding in self._report.findings
                if finding.severity is Severity.ERROR
                and finding.forecast is not None
                and not finding.is_unjudged
                and (prediction := finding.forecast.at(runtime, level)) is not None
                and finding.method in (None, method)
            )
        return known

    @cached_property
    def is_undefined(self) -> bool:
        """Whether some finding is of what memory held before."""
        return any(
            p is not None and p.outcome is Outcome.UNDEFINED
            for f in self._report.findings
            for p in (f.runtime, f.runtime_minimal)
        )

    @cached_property
    def need_two_runs(self) -> bool:
        """Whether something shows only when a method is run again."""
        return any(
            self.of(f, f.runtime).expected.spot.run > 1
            for f in self._report.findings
            if f.runtime is not None and f.method is not None and not f.is_unjudged
        )
