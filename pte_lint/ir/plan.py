"""A plan of a program with its values and names, its instructions not looked at yet."""

from __future__ import annotations

from functools import cached_property

from pte_lint.claims.ledger import Ledger
from pte_lint.ir.elision import Elision
from pte_lint.ir.method_tensors import MethodTensors
from pte_lint.schema.program import Program
from pte_lint.text.c_strings import c_string, operator_name


class MethodPlan(MethodTensors):
    """What a method is made of, but for what its instructions do."""

    def __init__(self, program: Program, index: int, base: int) -> None:
        """Indexes plan `index` of `program`; the program starts at byte `base` of the file."""
        super().__init__((program.execution_plan or ())[index])
        self.program = program
        self.index = index
        self.base = base
        self.name: str = self.plan.name or ""
        self.ledger = Ledger()
        """What was given up on in this method."""
        self.path = f"execution_plan[{index}]"
        self.operators: tuple[str, ...] = tuple(
            operator_name(op.name, op.overload) for op in self.plan.operators or ()
        )

    def delegate_id(self, index: int) -> str | None:
        """The backend id of delegate `index`; None when out of range or absent."""
        delegates = self.plan.delegates or ()
        name = delegates[index].id if 0 <= index < len(delegates) else None
        return c_string(name) if name is not None else None

    @cached_property
    def elision(self) -> Elision:
        """Which values can be elided views."""
        return Elision(self)
