"""Caches and tables that are shorter than the context a language model promises.

What it finds:
    A cache or a table (angles, masks, position embeddings) that `forward` indexes by the positions
    it is given, and that has fewer of them than `get_max_context_len` (without that method
    `get_max_seq_len`).

What the runtime does:
    Runners 1.0 to 1.4 go on up to get_max_context_len and no further
    (extension/llm/runner/text_llm_runner.cpp: TextLLMRunner::generate); the last position that they
    give is two less. Past the end llama::update_cache and sdpa_with_kv_cache give InvalidArgument
    (extension/llm/custom_ops/op_update_cache.cpp: validate_cache_params), as aten::index_put and
    index do; slices come out shorter, which the next kernel refuses. So text breaks off in its
    middle. Positions that are wrapped around on the way, as in the ring buffers of sliding windows,
    bound nothing and are left alone.

Why it happens:
    The metadata has the length that the checkpoint allows, the cache the one of the export.

How to fix it:
    Let both come from one number:

        to_edge(exported, constant_methods={"get_max_context_len": cache_length})

    In export_llama that is `export.max_context_length`, in optimum-executorch `--max_seq_len`.

How it is confirmed:
    `confirm` gives the method a prompt, then position after position: the one past the end fails.

Seen in:
    executorch#9594
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import FAILS, call_name, shown_by
from pte_lint.data.language_model import (
    MAX_CONTEXT_LEN,
    MAX_SEQ_LEN,
    SHORTER_CHUNKS,
    language_model,
    metadata_snippet,
)
from pte_lint.questions.position_uses import position_uses
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE616",
    "llm-cache-length",
    Severity.WARNING,
    "caches that are shorter than a language model promises",
    sign=FAILS,
)
def check(context: Context) -> Yields:
    """One finding a method, for the shortest of them."""
    model = language_model(context)
    promised = model.number(MAX_CONTEXT_LEN) if model is not None else None
    if model is None or promised is None:
        return
    name = MAX_CONTEXT_LEN if MAX_CONTEXT_LEN in model.names else MAX_SEQ_LEN
    slides = any(each in model.names for each in SHORTER_CHUNKS)
    for method in model.decoders:
        uses = position_uses(method)
        if not uses:
            continue
        # Layers with a window keep as much as the window; then the others tell.
        use = (max if slides else min)(uses, key=lambda each: each.length)
        if use.length >= promised - 1:
            continue
        yield Finding(
            message=f"{name} is {promised}, but {method.describe(use.value)}, which "
            f"{use.step.operator} indexes by position, has {use.length} positions: position "
            f"{use.length} is refused.",
            remediation="Export caches and tables as long as the metadata says, or say how long "
            f"they are:\n\n{metadata_snippet(f'{name!r}: {use.length}')}",
            location=method.location(step=use.step),
            evidence={
                name: promised,
                "positions": use.length,
                "dim": use.dim,
                **shown_by(call_name(method.name, 1, use.length)),
            },
            subject=f"{method.name} positions",
            method=method.name,
            plan=method.index,
        )
