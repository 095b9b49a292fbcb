"""Confirms a report: opens each artifact once more and hands it to the harness."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal, cast

from pte_lint.artifact import open_artifact
from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import Input
from pte_lint.config.settings import RunSettings
from pte_lint.context import Context
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.options import ProbeOptions
from pte_lint.reading import open_context, open_data
from pte_lint.result import Report

DeviceMemoryChoice = Literal["auto", "emulated", "cuda"]


def confirm_report(
    report: Report,
    inputs: Sequence[Input],
    settings: RunSettings,
    device_memory: str = "auto",
    timeout: float = 20.0,
) -> Report:
    """Returns the report with the real runtime's word on every finding and verdict.

    Raises:
        Trouble: the runtime, the compiler or the device asked for is missing.
    """
    sources = {each.name: each for each in inputs}
    memory = cast("DeviceMemoryChoice", device_memory)
    options = ConfirmOptions(ProbeOptions(device_memory=memory, timeout=timeout))
    try:
        with ExitStack() as stack:
            data = tuple(open_data(stack.enter_context(open_artifact(p))) for p in settings.data)
            done = []
            for artifact in report.artifacts:
                each = sources[artifact.path]
                with open_artifact(each.source, each.name) as opened:
                    context = open_context(opened, report.target, data, {})
                    done.append(confirm(artifact, context, settings.data, options))
            return replace(report, artifacts=tuple(done))
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc


def confirm_opened(report: Report, context: Context, settings: RunSettings) -> Report:
    """The same for a report on one artifact that is open already.

    Raises:
        Trouble: the runtime or the compiler is missing.
    """
    (artifact,) = report.artifacts
    try:
        done = confirm(artifact, context, settings.data, ConfirmOptions())
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc
    return replace(report, artifacts=(done,))
