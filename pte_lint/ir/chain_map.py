"""Where the chains of a method lie among its steps, and where jumps lead.

Jumps are absolute positions in their own chain; a destination outside the chain ends the chain
(`Method::execute`, runtime/executor/method.cpp, never validates it). Chains run one after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pte_lint.ir.method_steps import MethodSteps
    from pte_lint.ir.steps import Step


class ChainMap:
    """First steps and ends of a method's chains."""

    def __init__(self, method: MethodSteps) -> None:
        """Adds up the lengths of the chains."""
        starts: list[int] = []
        total = 0
        for chain in method.plan.chains or ():
            starts.append(total)
            total += len(chain.instructions or ())
        self.starts = starts
        """Index over all chains of each chain's first step."""
        self._ends = [*starts[1:], total]

    def destination(self, step: Step) -> int:
        """The step a jump goes to when it is taken: a step index or the start of what follows."""
        start, end = self.starts[step.chain], self._ends[step.chain]
        return start + step.target if 0 <= step.target < end - start else end
