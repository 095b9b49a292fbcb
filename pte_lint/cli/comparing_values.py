"""What a confirmation compares numbers with: cases of files and of bundles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pte_lint.claims.result import ArtifactReport
from pte_lint.cli.errors import Trouble
from pte_lint.data.context import Context
from pte_lint.harness.elements import Tolerance
from pte_lint.harness.expected.bundled import bundled_cases
from pte_lint.harness.expected.cases import Case, NotUnderstood
from pte_lint.harness.expected.judging import with_cases
from pte_lint.harness.expected.npz import read_npz
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder
from pte_lint.harness.recording import Recording
from pte_lint.harness.running import cannot_run, runnable


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What is asked for beyond claims.

    Attributes:
        cases: Runs to make; those of a bundle are made besides.
        tolerance: For all of their outputs, instead of those by element type.
    """

    cases: tuple[Case, ...] = ()
    tolerance: Tolerance | None = None

    def made(
        self,
        report: ArtifactReport,
        context: Context,
        data: Sequence[Path],
        options: ProbeOptions,
    ) -> ArtifactReport:
        """The confirmed report with what the comparisons show."""
        cases = [*bundled_cases(context), *self.cases]
        if not cases:
            return report
        if cannot_run(context, report) is not None:
            return with_cases(report, context, cases, None)
        with runnable(context) as path, Recording() as recording:
            recorder = Recorder(path, data, options, recording)
            return with_cases(report, context, cases, recorder, self.tolerance)


def cases_of(paths: Sequence[Path]) -> tuple[Case, ...]:
    """The cases of files.

    Raises:
        Trouble: one cannot be read, or is none.
    """
    cases: list[Case] = []
    for path in paths:
        try:
            cases += read_npz(path)
        except NotUnderstood as error:
            raise Trouble(str(error)) from error
        except OSError as error:
            raise Trouble(f"{path}: {error.strerror or error}") from error
    return tuple(cases)
