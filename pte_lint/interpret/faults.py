"""What goes wrong when a method is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pte_lint.claims.forecast import Prediction
from pte_lint.interpret.choices import Given
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


class FaultKind(StrEnum):
    """What a fault is about."""

    ARGUMENT = "argument"
    CONDITION = "condition"
    DELEGATE = "delegate"
    FREE = "free"
    NUMBER = "number"
    ROW_COPY = "row copy"
    SIZES = "sizes"
    VIEW = "view"
    KERNEL = "kernel"
    GRAPH = "graph"
    INPUT = "input"
    ENDLESS = "endless"
    TOO_LONG = "too long"


AT_ENDS: Final = frozenset({FaultKind.INPUT, FaultKind.ENDLESS, FaultKind.TOO_LONG})
"""What shows before or after all steps of a run."""
OF_NUMBERS: Final = frozenset(
    {
        FaultKind.NUMBER,
        FaultKind.ROW_COPY,
        FaultKind.SIZES,
        FaultKind.VIEW,
        FaultKind.KERNEL,
        FaultKind.GRAPH,
    }
)
"""What depends on how often a loop has run: not told where that had to be guessed."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong for certain on a path through the method.

    Attributes:
        kind: What it is about.
        step: The step; -1 for setting an input.
        argument: The argument's position; for an input its index; None for the step as a whole.
        message: What is wrong, to go on with after the step's name, without a full stop.
        prediction: What the runtime does.
        run: 1, or 2 when it takes what an earlier run left behind.
    """

    kind: FaultKind
    step: int
    argument: int | None
    message: str
    prediction: Prediction
    run: int = 1
    since: str = ""
    """First release that does so, where older ones go on with misused memory."""
    older: tuple[Prediction, ...] = ()
    """What releases before the newest do, where that is something else; oldest first."""
    moment: float | None = None
    """Its place in the order of the run (`Moments.at`), where that is not when the step is first
    met."""

    def place(self, method: Method) -> float:
        """Its place among the findings of a method: that of a second run comes behind all steps."""
        here = self.step if self.moment is None else self.moment
        return method.timeline.place(self.run, here)


@dataclass(frozen=True, slots=True)
class NarrowInput:
    """An input whose sizes may change, as far as the file says, but that takes one size only."""

    value: int
    given: Given
    """By input of sizes that may change: sizes that the file allows and that do not work."""
    fault: Fault
    """What they meet first."""
