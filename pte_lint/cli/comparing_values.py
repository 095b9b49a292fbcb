"""What a confirmation compares numbers with: cases of files and of bundles, and PyTorch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final

import click

from pte_lint.claims.result import ArtifactReport
from pte_lint.cli.errors import Trouble
from pte_lint.data.context import Context
from pte_lint.harness.elements import Tolerance
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.expected.bundled import bundled_cases
from pte_lint.harness.expected.cases import Case, NotUnderstood
from pte_lint.harness.expected.judging import with_cases
from pte_lint.harness.expected.npz import read_npz
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder
from pte_lint.harness.recording import Recording
from pte_lint.harness.reference.judging import with_reference
from pte_lint.harness.reference.pytorch import PyTorch, read_pt, require_pytorch
from pte_lint.harness.running import cannot_run, runnable
from pte_lint.text import sanitise

_WIDE: Final = 79


class Comparisons:
    """What is asked for beyond claims; to be entered before it is made for artifacts.

    Memory to record in and a process of PyTorch's are there from the first comparison on.

    Args:
        cases: Runs to make; those of a bundle are made besides.
        reference: Whether to compare each call with PyTorch's operator.
        tolerance: For all outputs of cases, instead of those by element type.
    """

    def __init__(
        self,
        cases: Sequence[Case] = (),
        reference: bool = False,
        tolerance: Tolerance | None = None,
    ) -> None:
        self._cases, self._is_referring, self._tolerance = cases, reference, tolerance
        self._stack = ExitStack()

    def __enter__(self) -> Comparisons:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @cached_property
    def _recording(self) -> Recording:
        return self._stack.enter_context(Recording())

    @cached_property
    def _torch(self) -> PyTorch:
        return self._stack.enter_context(PyTorch(self._recording))

    def made(
        self,
        report: ArtifactReport,
        context: Context,
        data: Sequence[Path],
        options: ProbeOptions,
    ) -> ArtifactReport:
        """The confirmed report with what the comparisons show."""
        cases = [*bundled_cases(context), *self._cases]
        if not cases and not self._is_referring:
            return report
        if cannot_run(context) is not None:
            return with_cases(report, context, cases, None)
        with runnable(context) as path:
            recorder = Recorder(path, data, options, self._recording)
            report = with_cases(report, context, cases, recorder, self._tolerance)
            if self._is_referring:
                with _progress(report.path) as progress:
                    report = with_reference(report, context, recorder, self._torch, progress)
            return report


@contextmanager
def _progress(path: str) -> Iterator[Callable[[str], None]]:
    """Shows what is being compared, on a terminal."""
    shown = sys.stderr.isatty()

    def show(told: str) -> None:
        if shown:
            line = sanitise.name(f"{path}: {told}", _WIDE)
            click.echo(f"\r{line:<{_WIDE}}", err=True, nl=False)

    yield show
    if shown:
        click.echo(f"\r{'':<{_WIDE}}\r", err=True, nl=False)


def cases_of(paths: Sequence[Path]) -> tuple[Case, ...]:
    """The cases of files.

    Raises:
        Trouble: one cannot be read, or is none.
    """
    cases: list[Case] = []
    for path in paths:
        try:
            cases += read_pt(path) if path.suffix in (".pt", ".pth") else read_npz(path)
        except NotUnderstood as error:
            raise Trouble(str(error)) from error
        except HarnessUnavailable as exc:
            raise Trouble(f"{path}: {exc.reason} {exc.hint}") from exc
        except OSError as error:
            raise Trouble(f"{path}: {error.strerror or error}") from error
    return tuple(cases)


def need_pytorch() -> None:
    """Makes sure that there is a PyTorch to compare with.

    Raises:
        Trouble: there is none.
    """
    try:
        require_pytorch()
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc
