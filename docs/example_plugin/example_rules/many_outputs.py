"""Methods with more outputs than a runner reads.

What it finds:
    A method with more outputs than the option `most` allows.

What the runtime does:
    Nothing: it runs, and writes outputs that nobody reads.

Why it happens:
    The model returns intermediate results, such as hidden states.

How to fix it:
    Return what the runner reads:

        class Model(torch.nn.Module):
            def forward(self, x):
                return self.inner(x).logits

How it is confirmed:
    It is not: the program runs.

Seen in:
    Our own models.
"""

from __future__ import annotations

from pte_lint.plugin import Context, Finding, Method, Options, Severity, Yields, method_rule


class Limits(Options):
    """In a configuration: `[tool.pte-lint.options.many-outputs]`, `most = 2`."""

    most: int = 8
    """Outputs that a method may have."""


@method_rule("EXAMPLE002", "many-outputs", Severity.INFO, "methods of many outputs", options=Limits)
def check(method: Method, context: Context, options: Limits) -> Yields:
    """Once a method."""
    count = len(method.outputs)
    if count > options.most:
        yield Finding(
            message=f"The method gives {count} outputs; {options.most} are allowed.",
            remediation="Return only what the runner reads.",
            location=method.location(suffix=".outputs"),
            subject="outputs",
            evidence={"outputs": count},
        )
