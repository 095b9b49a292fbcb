"""An Ethos-U delegate that was compiled for another accelerator.

What it finds:
    Ethos-U delegates whose compile specs name another configuration (`--accelerator-config`) than
    the target profile (`accelerator`). Nothing without such a profile.

What the runtime does:
    The command stream is handed to the driver as it is, which compares it with the device that it
    finds; what comes of a mismatch is the driver's (backends/arm/runtime/
    EthosUBackend_Cortex_M.cpp: platform_execute).

Why it happens:
    The program was lowered for another board.

How to fix it:
    Lower it for the accelerator that runs it:

        from executorch.backends.arm.ethosu import EthosUCompileSpec

        compile_spec = EthosUCompileSpec("ethos-u55-128")

How it is confirmed:
    Only on the device.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDY = """\
Lower the program for the accelerator that runs it:

    from executorch.backends.arm.ethosu import EthosUCompileSpec

    compile_spec = EthosUCompileSpec("ethos-u55-128")"""


@method_rule("PTE435", "accelerator-mismatch", Severity.WARNING, "delegates for another Ethos-U")
def check(method: Method, ctx: Context) -> Yields:
    """One finding a delegate."""
    target = ctx.target.profile.accelerator
    if not target:
        return
    for blob in blobs(method, ctx):
        for need in blob.facts.requires:
            if need.what == "accelerator" and need.value != target:
                yield Finding(
                    message=f"Delegate {blob.index} ({blob.backend}) was compiled for "
                    f"{need.value}, and the target has {target}.",
                    remediation=_REMEDY,
                    location=blob.location(method),
                    evidence={"accelerator": need.value, "target": target},
                    subject=f"delegates[{blob.index}] accelerator",
                )
