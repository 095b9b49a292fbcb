"""An instruction that writes into a constant.

What it finds:
    Instructions whose output is a constant of the program or of external data, directly or through
    a move or a view.

What the runtime does:
    Nothing stops it. With the file loader the constant is changed in memory for all later uses and
    runs; with mmap the process dies (SIGSEGV). All versions (the pointer's constness is cast away
    in getTensorDataPtr, runtime/executor/tensor_parser_exec_aten.cpp).

Why it happens:
    An argument was renumbered, or a buffer that the model changes was exported as a constant.

How to fix it:
    Register what the model changes as a buffer, so that it becomes a mutable tensor:

        self.register_buffer("cache", torch.zeros(1, 8))

How it is confirmed:
    Executing twice and comparing; executing with the mmap loader.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.ir.device import HomeKind
from pte_lint.ir.steps import Step
from pte_lint.questions.access import access
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_CONSTANT = frozenset({HomeKind.CONSTANT, HomeKind.EXTERNAL})


@method_rule(
    "PTE133",
    "constant-written",
    Severity.ERROR,
    "instructions that write a constant",
    sign=Unseen(
        "the constant that is written over is a private copy: only later results would tell"
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an instruction and constant."""
    require_readable(method, context)
    constants = {*method.constants, *(v for v in method.externals if not method.is_planned(v))}
    if not constants:
        return
    suspects = {v for v in constants | method.residency.moved if method.writers(v)}
    for index in sorted({i for v in suspects for i in method.writers(v)}):
        step = method.steps[index]
        for v in suspects.intersection(access(method, step).stores):
            if method.flow.reachable[step.index] and _is_constant(method, step, v):
                yield Finding(
                    message=f"{step.operator} writes into {method.describe(v)}, whose bytes are "
                    "data of the file.",
                    remediation="If the model changes this tensor, register it as a buffer before "
                    'the export:\n\n    self.register_buffer("cache", torch.zeros(1, 8))\n\n'
                    f"Otherwise {REEXPORT[0].lower()}{REEXPORT[1:]}",
                    location=method.location(step=step, value=v),
                    forecast=Forecast.always(undefined(Stage.EXECUTE)),
                    order=(step.index, ExecuteStep.SILENT, 0),
                    subject=f"instruction {step.index} value {v}",
                )


def _is_constant(method: Method, step: Step, v: int) -> bool:
    places = method.residency.places(step, v)
    if not method.residency.is_sure(places):
        return False
    return any(p.home.kind in _CONSTANT for p in places)
