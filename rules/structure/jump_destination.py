"""A jump to no instruction of its chain.

What it finds:
    Jumps whose destination is negative or greater than the number of instructions in the chain.
    The number itself is the usual way to say "to the end".

What the runtime does:
    It takes the jump, and the chain simply ends: the instructions after the jump are skipped, and
    execute succeeds. All versions (Method::execute in runtime/executor/method.cpp never looks at
    the destination).

Why it happens:
    Instructions were removed without renumbering the jumps that lead past them.

How to fix it:
    Export the program again; a tool that removes instructions must renumber jumps:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method so that the jump is taken, and comparing the outputs.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE126",
    "jump-destination",
    Severity.WARNING,
    "jumps that lead out of their chain",
    sign=Unseen("the chain ends, as it does after its last instruction", Trial.IDLE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a jump."""
    chains = method.plan.chains or ()
    for index in method.flow.jumps:
        step = method.steps[index]
        count = len(chains[step.chain].instructions or ())
        if 0 <= step.target <= count:
            continue
        yield Finding(
            message=f"The jump goes to instruction {step.target} of a chain of {count}: when it is "
            "taken, the chain ends.",
            remediation=REEXPORT,
            location=method.location(step=step),
            evidence={"destination": step.target, "instructions": count},
            subject=f"instruction {index} destination",
        )
