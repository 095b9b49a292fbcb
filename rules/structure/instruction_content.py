"""An instruction without content, of no known kind, or a call without arguments.

What it finds:
    Instructions whose content is absent or whose kind does not exist, and kernel and delegate
    calls whose argument list is absent (an empty one is another matter).

What the runtime does:
    load_method returns InvalidProgram. 1.2 finds an unknown kind only when it comes to the
    instruction: execute returns InvalidProgram. All versions else (Method::init and
    Method::execute_instruction in runtime/executor/method.cpp).

Why it happens:
    The file is damaged, or was written with a schema that knows more kinds of instruction.

How to fix it:
    Export the program again with the version of ExecuTorch that is to run it:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#18679
"""

from __future__ import annotations

from itertools import chain as chained

from pte_lint.schema.enums import InstructionKind
from pte_lint.schema.program import DelegateCall, Instruction, KernelCall

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load, unreadable
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE120",
    "instruction-content",
    Severity.ERROR,
    "instructions without content or kind",
    sign=(
        Sign(r"Null instruction at index {position}\b"),
        Unseen("which instruction is not named: undone, the failure is gone", Trial.UNDO),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """At most one finding an instruction."""
    chains = method.plan.chains or ()
    damaged = unreadable(context)
    calls = (alike.calls for alike in method.calls.groups if not alike.calls[0].args)
    steps = [step for step in method.others if not step.args or step.kind is StepKind.UNKNOWN]
    for step in chained.from_iterable((*calls, steps)):
        instruction = (chains[step.chain].instructions or ())[step.position]
        problem = _problem(instruction, bool(method.flow.reachable[step.index]))
        if problem is None or (damaged and _is_damaged(damaged, method.location(step=step).path)):
            continue
        message, forecast = problem
        yield Finding(
            message=message,
            remediation=REEXPORT,
            location=method.location(step=step),
            forecast=forecast,
            order=(LoadMethodStep.INSTRUCTIONS, step.index, 0),
            evidence={"kind": instruction.instr_args_type},
            subject=f"instruction {step.index}",
        )


def _is_damaged(damaged: frozenset[str], path: str) -> bool:
    return any(path + suffix in damaged for suffix in ("", ".instr_args", ".instr_args.args"))


def _problem(instruction: Instruction, reachable: bool) -> tuple[str, Forecast] | None:
    kind, content = instruction.instr_args_type, instruction.instr_args
    if kind not in set(InstructionKind):
        late = error(Stage.EXECUTE, "InvalidProgram") if reachable else None
        return f"The instruction is of unknown kind {kind}.", refused_at_load().until("1.2", late)
    if content is None:
        return "The instruction has no content.", refused_at_load()
    if isinstance(content, KernelCall | DelegateCall) and content.args is None:
        return "The call has no argument list.", refused_at_load()
    return None
