"""Token inputs of another type or shape than a language-model runner gives.

What it finds:
    The input for tokens of a language model that is not int64 of rank 2 with a batch of one.

What the runtime does:
    The file runs. Runners make a tensor int64 [1, n] of every prompt and of every token
    (extension/llm/runner: TextPrefiller::prefill_chunk, TextTokenGenerator::generate,
    MultimodalPrefiller::prefill, 1.0 to 1.4); Method::set_input refuses it where the input has
    another type (InvalidArgument) or another shape (NotSupported).

Why it happens:
    The example inputs of the export were int32, had no batch dimension or several sequences.
    Exports for Ethos-U, TOSA and VGF take int32 from runners of their own and are left alone.

How to fix it:
    Export with tokens as the runner gives them:

        tokens = torch.zeros(1, 1, dtype=torch.int64)
        torch.export.export(model, (tokens, torch.zeros(1, dtype=torch.int64)))

How it is confirmed:
    `confirm` gives the method int64 [1, n] as the runner does: InvalidArgument or NotSupported.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import SHOWN, first_call, shown_by
from pte_lint.data.language_model import (
    input_tensor,
    is_dynamic,
    is_of_integers,
    language_model,
    shape,
    sizes,
)
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE612",
    "llm-tokens",
    Severity.WARNING,
    "token inputs that language-model runners cannot set",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding a method."""
    model = language_model(context)
    if model is None:
        return
    for method in model.takers:
        tokens = input_tensor(method, 0)
        if tokens is None:
            continue
        rank, batch = len(sizes(tokens)), next(iter(sizes(tokens)), 0)
        is_shape = rank == 2 and (batch == 1 or (batch > 1 and is_dynamic(tokens)))
        if is_shape and is_of_integers(method, tokens):
            continue
        error = "NotSupported" if is_of_integers(method, tokens) else "InvalidArgument"
        told = f"{dtype_name(tokens.scalar_type)} {shape(tokens)}"
        yield Finding(
            message=f"The tokens of {method.name} are {told}; runners give int64 [1, n], which "
            f"set_input refuses with {error}.",
            remediation="Export with tokens of one sequence in int64:\n\n"
            "    tokens = torch.zeros(1, 1, dtype=torch.int64)",
            location=method.location(value=method.inputs[0]),
            evidence={
                "tokens": told,
                "runner": "int64 [1, n]",
                "error": error,
                **shown_by(first_call(model, method), f"{error} in set_input (input 0)"),
            },
            subject=f"{method.name} tokens",
            method=method.name,
            plan=method.index,
        )
