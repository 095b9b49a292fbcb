"""The real runtime as an oracle: what a rule predicts against what is seen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pte_lint.claims.result import ArtifactReport
from pte_lint.harness.build import build_probe
from pte_lint.harness.confirm import confirm
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import ProbeRun, Step
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.rulebook.rule import Rule
from pte_lint.testing.judging import Program, file_bytes, judge


def missing_runtime() -> str | None:
    """Why programs cannot be run here; None where they can.

    Raises:
        HarnessUnavailable: they cannot, and the environment says CI=true.
    """
    try:
        build_probe()
    except HarnessUnavailable as missing:
        if os.environ.get("CI") == "true":
            raise
        return str(missing)
    return None


class Runtime:
    """The installed runtime. The fixture `pte_lint_runtime` gives one, and skips without it."""

    def run(self, program: Program, data: Sequence[Program] = ()) -> ProbeRun:
        """Runs a program; see `pte_lint.harness.outcome` for what is told about it."""
        with TemporaryDirectory() as folder:
            path, files = _write(Path(folder), program, data)
            return run_probe(path, data=files)

    def outcomes(self, program: Program, data: Sequence[Program] = ()) -> dict[str | None, str]:
        """How each method ends, as `execute: ok` or `set_input: error NotSupported`.

        A program that does not load has one entry, under None.
        """
        run = self.run(program, data)
        if run.program.outcome != "ok":
            return {None: _told(run.program)}
        return {m.name: _told(run_) for m in run.methods if (run_ := m.run("default")) is not None}

    def confirm(
        self, program: Program, *rules: Rule | str, data: Sequence[Program] = ()
    ) -> ArtifactReport:
        """What some rules say about a program, each finding with what the runtime showed."""
        report = judge(program, *rules, data=data)
        with TemporaryDirectory() as folder:
            path, files = _write(Path(folder), program, data)
            with Session(Settings(rules=())) as session:
                return confirm(report, session.context(path, data=session.data(files)), files)

    def assert_confirms(
        self, program: Program, rule: Rule | str, data: Sequence[Program] = ()
    ) -> ArtifactReport:
        """Asserts that a rule has findings and that the runtime shows each of them."""
        __tracebackhide__ = True
        report = self.confirm(program, rule, data=data)
        if not report.findings:
            raise AssertionError("the rule finds nothing")
        for finding in report.findings:
            shown = finding.confirmation
            assert shown is not None  # `confirm` marks every finding
            if shown.status not in ("confirmed", "consistent"):
                raise AssertionError(
                    f"{finding.message}\n{shown.status}: forecast {finding.runtime}, "
                    f"seen {dict(shown.runtime)} {dict(shown.evidence)}"
                )
        return report

    def assert_runs(self, program: Program, data: Sequence[Program] = ()) -> None:
        """Asserts that every method of a program runs to its end."""
        __tracebackhide__ = True
        told = self.outcomes(program, data)
        wrong = {name: end for name, end in told.items() if end != "execute: ok"}
        if wrong or not told:
            raise AssertionError(f"the runtime says {wrong}" if wrong else "there are no methods")


def _told(step: Step) -> str:
    return f"{step.stage}: {step.outcome} {step.error or step.signal or ''}".rstrip()


def _write(folder: Path, program: Program, data: Sequence[Program]) -> tuple[Path, list[Path]]:
    path = folder / "model.pte"
    path.write_bytes(file_bytes(program))
    files = []
    for number, each in enumerate(data):
        files.append(folder / f"{number}.ptd")
        files[-1].write_bytes(file_bytes(each))
    return path, files
