"""Method inputs in double precision.

What it finds:
    A method input of dtype float64.

What the runtime does:
    Nothing: it runs, and takes twice the memory and more than twice the time.

Why it happens:
    The model was exported in double precision.

How to fix it:
    Export a float32 model:

        torch.export.export(model.float(), inputs)

How it is confirmed:
    It is not: this is about speed.

Seen in:
    Our own models.
"""

from __future__ import annotations

from pte_lint.plugin import Context, Finding, Method, Severity, Yields, method_rule

_FLOAT64 = 7


@method_rule("EXAMPLE001", "no-double-inputs", Severity.WARNING, "inputs in double precision")
def check(method: Method, context: Context) -> Yields:
    """In the order of the inputs."""
    for position, value in enumerate(method.inputs):
        tensor = method.tensor(value)
        if tensor is None or tensor.scalar_type != _FLOAT64:
            continue
        yield Finding(
            message=f"Input {position} is float64.",
            remediation="Export a float32 model.",
            location=method.location(value=value),
            subject=f"input {position}",
        )
