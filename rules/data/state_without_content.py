"""State that starts with whatever the memory holds.

What it finds:
    Buffers that a method reads before it has written them, that keep their content from run to
    run, and whose initial content is not in the file. Caches of a language model, which are written
    at the positions that a runner gives, start empty and are left alone.

What the runtime does:
    Nothing: the arena is what the application gives. Module gives zeros at first
    (extension/module/module.cpp), other runners need not. A buffer that the model starts with
    something else than zeros is wrong in the first runs. All versions.

Why it happens:
    The exporter keeps the content of mutable buffers only where it is asked to; caches are meant to
    start empty, counters and tables of positions are not.

How to fix it:
    Nothing, if the buffer starts with zeros. Else name it in the pass that keeps initial content:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

        ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["state"])])

How it is confirmed:
    It is not: what the model started with is not in the file.

Seen in:
    executorch#4908
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.language_model import language_model
from pte_lint.questions.method import Method
from pte_lint.questions.position_uses import position_uses
from pte_lint.questions.state import without_content
from pte_lint.rulebook.rule import Yields, method_rule

_SHOWN = 4


@method_rule(
    "PTE508", "state-without-content", Severity.INFO, "state whose first content is not in the file"
)
def check(method: Method, context: Context) -> Yields:
    """One finding a method."""
    require_readable(method, context)
    found = without_content(method)
    if found and _is_decoder(method, context):
        caches = {use.value for use in position_uses(method) if use.is_write}
        found = [v for v in found if v not in caches]
    if not found:
        return
    names = ", ".join(f"value {v}" for v in found[:_SHOWN])
    more = ", ..." if len(found) > _SHOWN else ""
    yield Finding(
        message=f"The first content of {len(found)} buffer{'s' if len(found) > 1 else ''} "
        f"({names}{more}) is not in the file: it is what the runner's memory holds, zeros with "
        "Module.",
        remediation="Nothing needs to be done where the buffer may start with zeros. Else keep its "
        "first content in the file, by naming it in the pass InitializedMutableBufferPass:\n\n"
        "    from executorch.exir import ExecutorchBackendConfig\n"
        "    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass\n\n"
        '    ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["state"])])',
        location=method.location(value=found[0]),
        evidence={"values": found},
        subject="state",
    )


def _is_decoder(method: Method, context: Context) -> bool:
    model = language_model(context)
    return model is not None and method in model.decoders
