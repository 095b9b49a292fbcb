"""An instruction that names a value which does not exist.

What it finds:
    Arguments of kernel and delegate calls, conditions of jumps, sources and targets of moves, and
    values of frees that are negative or past the last value.

What the runtime does:
    load_method returns InvalidProgram. 1.2 does not look at moves and frees before it comes to
    them, and aborts there (SIGABRT at execute). (gen_instruction_arguments, Method::init in
    runtime/executor/method.cpp.)

Why it happens:
    Values were removed or renumbered without the instructions.

How to fix it:
    Export the program again; a tool that renumbers values must renumber arguments too:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Stage, crash
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text import words

_ROLES = {
    StepKind.JUMP: ("condition",),
    StepKind.MOVE: ("source", "target"),
    StepKind.FREE: ("value",),
}


@method_rule(
    "PTE121",
    "instruction-reference",
    Severity.ERROR,
    "instructions that name no value",
    sign=(
        Sign(r"Arg index {index} >= {values}\b"),
        Sign(r"Index {index} negative or >= {values}\b"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an instruction: its first bad argument."""
    count = len(method.values)
    steps = method.others if method.args_exist else method.steps
    for step in steps:
        args = step.args
        if not args or (max(args) < count and min(args) >= 0):
            continue
        position = next(p for p, v in enumerate(args) if not 0 <= v < count)
        forecast = refused_at_load()
        if step.kind in (StepKind.MOVE, StepKind.FREE):
            reachable = method.flow.reachable[step.index]
            late = crash(Stage.EXECUTE, "SIGABRT") if reachable else None
            forecast = forecast.until("1.2", late)
        yield Finding(
            message=f"The {_role(step, position)} is value {args[position]}, but the method has "
            f"{words.count(count, 'value')}.",
            remediation=REEXPORT,
            location=method.location(step=step, argument=position),
            forecast=forecast,
            order=(LoadMethodStep.INSTRUCTIONS, step.index, 1),
            evidence={"index": args[position], "values": count},
            subject=f"instruction {step.index} argument {position}",
        )


def _role(step: Step, position: int) -> str:
    roles = _ROLES.get(step.kind)
    return roles[position] if roles is not None else f"argument {position}"
