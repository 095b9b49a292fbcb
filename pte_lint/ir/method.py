"""A method as the file describes it: typed values, instructions with operands, arenas.

Built once per method in time linear in it. Everything here is read off the file. What follows from
it (control flow, where tensors live at run time, what is live) is a question of its own: a function
of a method, see `pte_lint.ir.question`. `pte_lint.questions.method` has them all by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from pte_lint.claims.finding import Location
from pte_lint.claims.order import Timeline
from pte_lint.ir.arenas import Arena
from pte_lint.ir.call_table import CallTable
from pte_lint.ir.chain_map import ChainMap
from pte_lint.ir.conditions import tested
from pte_lint.ir.delegate_split import Arity
from pte_lint.ir.method_steps import MethodSteps
from pte_lint.ir.steps import Step, StepKind
from pte_lint.schema.program import Program
from pte_lint.schema.xnnpack_graph import Graph as XnnpackGraph


class Method(MethodSteps):
    """One execution plan, indexed."""

    def __init__(
        self,
        program: Program,
        index: int,
        base: int = 0,
        arity: Mapping[int, Arity] | None = None,
        constant_bytes: Callable[[int, int], bytes | None] | None = None,
        *,
        graphs: Mapping[int, XnnpackGraph] | None = None,
    ) -> None:
        """Indexes plan `index` of `program`.

        Args:
            program: the decoded program.
            index: which execution plan.
            base: the byte offset in the file where the program starts (0 but for bundles).
            arity: inputs and outputs by delegate index, where the delegate's blob tells them.
            constant_bytes: the content of a short constant, by entry and bytes; asked for tensors
                that jumps test, here and not later.
            graphs: the graphs of XNNPACK delegates, by delegate index.
        """
        super().__init__(program, index, base, arity or {})
        self.graphs = graphs or {}
        self.answers: dict[object, object] = {}
        """What was worked out about the method so far; see `pte_lint.ir.question`."""
        self.tested_constants = {} if constant_bytes is None else tested(self, constant_bytes)
        """The content of constants that jumps test, by value."""

    @cached_property
    def calls(self) -> CallTable:
        """All kernel calls at a glance."""
        return CallTable(self)

    @cached_property
    def timeline(self) -> Timeline:
        """Where on one line its runs meet things."""
        return Timeline(len(self.steps))

    @cached_property
    def chain_map(self) -> ChainMap:
        """Where chains start and jumps lead."""
        return ChainMap(self)

    @cached_property
    def input_of(self) -> dict[int, int]:
        """Where a value stands first among the inputs."""
        return _first_positions(self.inputs)

    @cached_property
    def _output_of(self) -> dict[int, int]:
        return _first_positions(self.outputs)

    def location(
        self,
        *,
        step: Step | None = None,
        value: int | None = None,
        argument: int | None = None,
        suffix: str = "",
    ) -> Location:
        """Builds a finding's location; `suffix` extends the logical path (`.allocation_info`)."""
        path, at, operator = self.path, self.plan.at, None
        if value is not None:
            path = f"{self.path}.values[{value}]"
            evalue = self.value(value)
            if evalue is not None:
                at = evalue.val.at if evalue.val is not None else evalue.at
        if step is not None:
            operator = step.operator
            if value is None:
                path = f"{self.path}.chains[{step.chain}].instructions[{step.position}]"
                at = step.at - self.base
        return Location(
            path=path + suffix,
            instruction=step.index if step is not None else None,
            value=value,
            argument=argument,
            byte_offset=self.base + at,
            operator=operator,
        )

    def describe(self, v: int) -> str:
        """A short name for readers: `input 0`, `output 1`, `constant 3`, else `value 7`."""
        for role, positions in (("input", self.input_of), ("output", self._output_of)):
            if 0 <= v < len(self.values) and v in positions:
                return f"{role} {positions[v]}"
        if self.is_constant(v) or (self.is_external(v) and not self.is_planned(v)):
            return f"constant (value {v})"
        return f"value {v}"


def _first_positions(table: Sequence[int]) -> dict[int, int]:
    first: dict[int, int] = {}
    for position, v in enumerate(table):
        first.setdefault(v, position)
    return first


__all__ = ["Arena", "Method", "Step", "StepKind"]
