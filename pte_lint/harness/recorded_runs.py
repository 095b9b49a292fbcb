"""Runs of one program whose calls and outputs are recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pte_lint.harness.driver import run_probe
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import MethodRun, Step
from pte_lint.harness.recording import Recording
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass

_SLOWER = 4
"""How much longer a run may take whose calls are recorded."""

NO_CALLS = 1 << 62
"""A call that none comes after."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """A program, how it is run, and the memory that its runs are recorded in.

    Attributes:
        path: The program.
        data: Its external data files.
        options: How it is run.
        recording: Holds the last run.
    """

    path: Path
    data: Sequence[Path]
    options: ProbeOptions
    recording: Recording

    def run(
        self,
        method: Method,
        contents: Mapping[int, bytes],
        sizes: Mapping[int, Sequence[int]],
        start: int = NO_CALLS,
    ) -> Step:
        """Runs a method once with contents of inputs, and records calls from one on.

        Returns:
            A `MethodRun`, or how loading the program ended.

        Raises:
            HarnessUnavailable: The runtime or the compiler is missing.
        """
        operators = [step.operator for step in method.kernel_calls()] if start < NO_CALLS else []
        run = run_probe(
            self.path,
            data=self.data,
            options=replace(
                self.options,
                variants=("given",),
                input_sizes=sizes,
                methods=(method.name,),
                describe=False,
                timeout=self.options.timeout * _SLOWER,
                memory_limit=self.options.memory_limit + self.recording.size,
            ),
            contents=contents,
            recorded=self.recording.arguments(operators, start),
            shared=(self.recording.fd,),
        )
        return run.methods[0].runs[0] if run.methods and run.methods[0].runs else run.program


def went_through(step: Step) -> bool:
    """Whether a run ended as it should, so that what was recorded of it counts."""
    return isinstance(step, MethodRun) and step.outcome in ("ok", "undefined") and not step.damaged


def how_it_ended(step: Step) -> str:
    """The end of a run that did not go through, one sentence."""
    if step.damaged:
        return "the report of the run was damaged by the program: nothing in it counts"
    detail = step.error or step.signal
    return f"the run ended with {step.outcome}{f' {detail}' if detail else ''} in {step.stage}"
