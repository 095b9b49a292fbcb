"""A move between values of different kinds.

What it finds:
    Moves whose source and target are of kinds that do not mix: a tensor and a number, a list and
    a tensor. Numbers, booleans and None may take each other's place. Where some instruction then
    gets the wrong kind, argument-kind or jump-condition says so.

What the runtime does:
    It copies the value and its kind. A later kernel that wants the old kind ends the process
    (SIGABRT), in this run or, because values keep their state, in the next one. All versions
    (Method::execute_instruction in runtime/executor/method.cpp; runtime/core/evalue.h).

Why it happens:
    A move's source or target was renumbered. The exporter moves the results of a branch of
    torch.cond into values of the same kind.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method twice.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import ExecuteStep
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.kinds import kind_name
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_MIXING = frozenset({KernelTypes.NULL, KernelTypes.INT, KernelTypes.BOOL, KernelTypes.DOUBLE})


@method_rule("PTE134", "move-kind", Severity.WARNING, "moves between values of different kinds")
def check(method: Method, context: Context) -> Yields:
    """One finding a move."""
    require_readable(method, context)
    for step in method.of_kind(StepKind.MOVE):
        if not (step.reads and step.writes):
            continue
        source, target = method.values[step.args[0]], method.values[step.args[1]]
        if source.val_type == target.val_type or {source.val_type, target.val_type} <= _MIXING:
            continue
        found = method.kinds.of(step.args[0])
        if target.val_type in found:
            continue
        yield Finding(
            message=f"The move puts {article(kind_name(source.val_type))} (value {step.args[0]}) "
            f"where {article(kind_name(target.val_type))} was (value {step.args[1]}).",
            remediation=REEXPORT,
            location=method.location(step=step),
            order=(step.index, ExecuteStep.ARGUMENT_KINDS),
            subject=f"instruction {step.index} move",
        )
