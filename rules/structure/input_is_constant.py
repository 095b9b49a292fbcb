"""A method input that is one of the program's constants.

What it finds:
    Method inputs whose bytes are in the program's constant segment or in external data, so that
    setting the input writes over the constant.

What the runtime does:
    set_input copies the caller's bytes over the constant, for good: with the file loader into a
    private copy, with a buffer loader into the caller's program, with mmap the process dies
    (SIGSEGV). Whoever else uses the constant computes with the input. All versions
    (Method::set_input in runtime/executor/method.cpp counts a tensor with a data index as planned).

Why it happens:
    The exporter lists user inputs only; an edited list of inputs or a changed data index does it.

How to fix it:
    Export the program again. To replace weights at run time, export them as inputs or as external
    constants:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(external_constants=True)

How it is confirmed:
    Running twice with different inputs and comparing with the unedited program.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE116",
    "input-is-constant",
    Severity.ERROR,
    "inputs that are constants",
    sign=Unseen(
        "the constant that is written over is a private copy: only later results would tell"
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input."""
    for k, v in enumerate(method.inputs):
        tensor = method.tensor(v)
        if tensor is None or tensor.allocation_info is not None or tensor.data_buffer_idx == 0:
            continue
        yield Finding(
            message=f"Input {k} is a constant of the program (data index "
            f"{tensor.data_buffer_idx}): setting it writes over the constant.",
            remediation=f"{REEXPORT}\n\nTo replace weights at run time, make them external "
            "constants:\n\n    from executorch.exir import ExecutorchBackendConfig\n\n"
            "    edge.to_executorch(ExecutorchBackendConfig(external_constants=True))",
            location=method.location(value=v, suffix=".val.data_buffer_idx"),
            forecast=Forecast.always(undefined(Stage.SET_INPUT)),
            order=(k,),
            evidence={"data_buffer_idx": tensor.data_buffer_idx},
            subject=f"input {k}",
        )
