"""A method as rules and plug-ins see it: what the file says, and every question by its name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.interpret.flow import ControlFlow, flow_of
from pte_lint.interpret.kinds import Kinds, kinds_of
from pte_lint.interpret.residency import Residency, residency_of
from pte_lint.interpret.runs import Interpretation, interpretation_of
from pte_lint.ir import method as ir
from pte_lint.ir.arenas import Arena
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.graph import graph_of
from pte_lint.questions.liveness import Liveness, liveness_of
from pte_lint.questions.missing_writer import MissingWriter, missing_writers_of
from pte_lint.questions.placement.placement import Placement, placement_of

if TYPE_CHECKING:
    import networkx as nx


class Method(ir.Method):
    """One execution plan with all that can be asked about it, each worked out once."""

    @cached_property
    def kinds(self) -> Kinds:
        """Kinds of all values, those that steps give them included."""
        return kinds_of(self)

    @cached_property
    def missing_writers(self) -> tuple[MissingWriter, ...]:
        """Values that pass for views although what should have written them is likely missing."""
        return missing_writers_of(self)

    @cached_property
    def flow(self) -> ControlFlow:
        """Control flow over the steps."""
        return flow_of(self)

    @cached_property
    def residency(self) -> Residency:
        """Tag and home of every tensor argument at every step."""
        return residency_of(self)

    @cached_property
    def placement(self) -> Placement:
        """Device placement: targets of delegates, boundary copies, faults."""
        return placement_of(self)

    @cached_property
    def liveness(self) -> Liveness:
        """Live ranges of storage."""
        return liveness_of(self)

    @cached_property
    def interpretation(self) -> Interpretation:
        """Control flow, kinds and numbers, played through twice."""
        return interpretation_of(self)

    @cached_property
    def graph(self) -> nx.MultiDiGraph[object]:
        """The networkx graph of the method."""
        return graph_of(self)


__all__ = ["Arena", "Method", "Step", "StepKind"]
