"""What a finding predicts, in the terms in which the probe observes."""

from __future__ import annotations

import re

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Outcome, Prediction, Stage
from pte_lint.harness.outcome import MethodRun, Step
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass

_STAGES = {
    "load_program": Stage.LOAD_PROGRAM,
    "load_method": Stage.LOAD_METHOD,
    "set_input": Stage.SET_INPUT,
    # Giving memory to outputs comes between the inputs and the first instruction.
    "set_output": Stage.EXECUTE,
    "execute": Stage.EXECUTE,
    "get_output": Stage.GET_OUTPUT,
}

_INPUT = re.compile(r"\.inputs\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Spot:
    """A point in the course of a run: a stage, and where in it.

    `within` is the input being set or the instruction being executed, counted over all chains;
    None where the stage has no such parts or they cannot be observed.
    """

    stage: Stage
    within: int | None = None
    run: int = 1
    """The execute in a row: some faults show only in the second."""

    def is_before(self, other: Spot) -> bool:
        """True when a run that ends here never gets to `other`."""
        if self.run != other.run:
            return self.run < other.run
        if self.stage is not other.stage:
            return self.stage.rank < other.stage.rank
        if self.within is None or other.within is None:
            return False
        return self.within < other.within

    def may_be(self, other: Spot) -> bool:
        """True when the two may be the same point, as far as both are known."""
        return (self.stage, self.run) == (other.stage, other.run) and (
            self.within is None or other.within is None or self.within == other.within
        )

    def __str__(self) -> str:
        """Renders as `set_input (input 0)` or `execute (instruction 3)`."""
        again = " of the second run" if self.run > 1 else ""
        if self.within is None:
            return f"{self.stage}{again}"
        part = "input" if self.stage is Stage.SET_INPUT else "instruction"
        return f"{self.stage}{again} ({part} {self.within})"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a finding says will be seen."""

    spot: Spot
    prediction: Prediction


@dataclass(frozen=True, slots=True)
class Observation:
    """How a run ended. `failed` is False for a run that the runtime called a success."""

    spot: Spot
    outcome: str
    error: str | None
    signal: str | None
    damaged: bool = False
    """Whether the run wrote into its own report: then what it says shows nothing."""

    @property
    def failed(self) -> bool:
        """True when the runtime returned an error, the process died, or it was stopped."""
        return self.outcome in ("error", "crash", "timeout")

    def matches(self, prediction: Prediction) -> bool:
        """True when this is the predicted error or crash, wherever it happened."""
        if prediction.outcome is Outcome.ERROR:
            return self.outcome == "error" and self.error == prediction.error
        if prediction.outcome is Outcome.CRASH:
            return self.outcome == "crash" and prediction.signal in (None, self.signal)
        return False

    def __str__(self) -> str:
        """Renders as `error NotSupported in set_input (input 0)`."""
        detail = self.error or self.signal
        return f"{self.outcome}{f' {detail}' if detail else ''} in {self.spot}"


def expect(finding: Finding, prediction: Prediction, method: Method | None) -> Expectation:
    """Says what will be seen if the finding's prediction is right.

    The instruction is the finding's own; for set_input, the position of its value among the
    method's inputs, or the input that its path names.
    """
    within: int | None = None
    run = 1
    where = finding.location
    if prediction.stage is Stage.EXECUTE:
        within = where.instruction
        run = max(prediction.run, _run(finding, method))
    elif prediction.stage is Stage.SET_INPUT and method is not None:
        run = prediction.run
        named = _INPUT.search(where.path)
        if where.value in method.inputs:
            within = method.inputs.index(where.value)
        elif named is not None:
            within = int(named[1])
    return Expectation(Spot(prediction.stage, within, run), prediction)


def _run(finding: Finding, method: Method | None) -> int:
    """2 for what only a second run meets; it is ordered after all of the first (`faults`)."""
    if method is None or not finding.order:
        return 1
    return method.timeline.split(finding.order[0])[0]


def observe(step: Step, method: Method | None = None) -> Observation:
    """Reads a probe's step; `method` turns its chain and index into an instruction number."""
    stage = _STAGES[step.stage]
    within: int | None = None
    if isinstance(step, MethodRun):
        if stage is Stage.SET_INPUT:
            within = step.input
        elif step.stage == "execute" and step.instruction is not None and method is not None:
            starts = method.flow.chain_starts
            if step.instruction.chain < len(starts):
                within = starts[step.instruction.chain] + step.instruction.index
    # A run that reported its outputs once and still failed did so when it was made again.
    again = isinstance(step, MethodRun) and bool(step.outputs) and step.outcome != "ok"
    run = 2 if again and stage in (Stage.SET_INPUT, Stage.EXECUTE) else 1
    return Observation(
        Spot(stage, within, run), step.outcome, step.error, step.signal, step.damaged
    )
