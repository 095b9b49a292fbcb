"""What a finding predicts, in the terms in which the probe observes."""

from __future__ import annotations

from dataclasses import dataclass

from pte_lint.finding import Finding
from pte_lint.forecast import Outcome, Prediction, Stage
from pte_lint.harness.outcome import MethodRun, Step
from pte_lint.method import Method

_STAGES = {
    "load_program": Stage.LOAD_PROGRAM,
    "load_method": Stage.LOAD_METHOD,
    "set_input": Stage.SET_INPUT,
    # Giving memory to outputs comes between the inputs and the first instruction.
    "set_output": Stage.EXECUTE,
    "execute": Stage.EXECUTE,
    "get_output": Stage.GET_OUTPUT,
}


@dataclass(frozen=True, slots=True)
class Spot:
    """A point in the course of a run: a stage, and where in it.

    `within` is the input being set or the instruction being executed, counted over all chains;
    None where the stage has no such parts or they cannot be observed.
    """

    stage: Stage
    within: int | None = None

    def is_before(self, other: Spot) -> bool:
        """True when a run that ends here never gets to `other`."""
        if self.stage is not other.stage:
            return self.stage.rank < other.stage.rank
        if self.within is None or other.within is None:
            return False
        return self.within < other.within

    def may_be(self, other: Spot) -> bool:
        """True when the two may be the same point, as far as both are known."""
        return self.stage is other.stage and (
            self.within is None or other.within is None or self.within == other.within
        )

    def __str__(self) -> str:
        """Renders as `set_input (input 0)` or `execute (instruction 3)`."""
        if self.within is None:
            return str(self.stage)
        part = "input" if self.stage is Stage.SET_INPUT else "instruction"
        return f"{self.stage} ({part} {self.within})"


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
    method's inputs.
    """
    within: int | None = None
    where = finding.location
    if prediction.stage is Stage.EXECUTE:
        within = where.instruction
    elif prediction.stage is Stage.SET_INPUT and method is not None and where.value is not None:
        within = method.inputs.index(where.value) if where.value in method.inputs else None
    return Expectation(Spot(prediction.stage, within), prediction)


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
    return Observation(Spot(stage, within), step.outcome, step.error, step.signal)
