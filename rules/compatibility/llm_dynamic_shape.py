"""Language models whose metadata and token shape promise different numbers of tokens a call.

What it finds:
    `enable_dynamic_shape` is true and the tokens have a static shape; it is false, with a cache,
    and a call takes exactly several tokens; the largest number of tokens a call takes is less than
    what a runner sends. As an info: it is false though the tokens are dynamic, so that prompts are
    read one token at a time; or calls of exactly `get_max_seq_len` tokens are sent to a model that
    takes one less.

What the runtime does:
    The file runs. Runners 1.0 to 1.4 send a prompt of n tokens as [1, n] if enable_dynamic_shape is
    true or use_kv_cache is false, else as n calls of [1, 1] (extension/llm/runner:
    TextPrefiller::prefill_chunk); more than get_max_seq_len are sent in pieces of so many.
    MultimodalPrefiller sends all tokens at once, and one a call afterwards. Method::set_input
    refuses a shape that does not fit with NotSupported.

Why it happens:
    Metadata is a dict beside the model. enable_dynamic_shape does not make the export dynamic;
    torch.export.export needs dynamic_shapes for that. optimum-executorch writes true for models
    with sliding windows that it exports static (integrations.py: `_prepare_export_inputs`). A model
    without a cache that says enable_dynamic_shape is false and takes one static length contradicts
    nothing and is left alone.

How to fix it:
    Export the tokens dynamic, or say that they are not:

        length = torch.export.Dim("token_dim", max=max_seq_len)
        shapes = {1: length}, {0: 1}
        exported = torch.export.export(model, (tokens, position), dynamic_shapes=shapes)
        to_edge(exported, constant_methods={"enable_dynamic_shape": True})

    In export_llama that is `model.enable_dynamic_shape`. It exports one token less than
    `export.max_seq_length` (extension/llm/export/builder.py): prompts in pieces need a
    `get_max_seq_len` that is one less, too.

How it is confirmed:
    `confirm` gives the method as many tokens as the runner does: a prompt of three, or the longest.

Seen in:
    executorch#18832, torchchat#810
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import (
    PROMPT,
    REFUSED_SHAPE,
    SHOWN,
    call_name,
    first_call,
    shown_by,
)
from pte_lint.data.language_model import (
    DYNAMIC_SHAPE,
    MAX_CONTEXT_LEN,
    MAX_SEQ_LEN,
    SHORTER_CHUNKS,
    USE_KV_CACHE,
    LanguageModel,
    input_tensor,
    is_dynamic,
    language_model,
    metadata_snippet,
    shape,
    sizes,
)
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_REFUSED = "which set_input refuses with NotSupported"


@artifact_rule(
    "PTE613",
    "llm-dynamic-shape",
    Severity.WARNING,
    "language models that take other numbers of tokens than they say",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding a method."""
    model = language_model(context)
    if model is None:
        return
    cached, dynamic = model.number(USE_KV_CACHE), model.number(DYNAMIC_SHAPE)
    if cached is None or dynamic is None:
        return
    methods = (*model.takers, *model.decoders) if model.is_multimodal else model.takers
    for position, method in enumerate(methods):
        tensor = input_tensor(method, 0)
        if tensor is None or len(sizes(tensor)) < 2:
            continue
        most = sizes(tensor)[1]
        if not model.is_multimodal and position > 0:  # the method for single tokens
            if not is_dynamic(tensor) and most != 1:
                told = f"runners send one token a call, {_REFUSED}"
                yield _finding(method, told, first_call(model, method))
        elif not is_dynamic(tensor):
            yield from _static(model, method, most, bool(cached), bool(dynamic))
        elif dynamic or not cached or model.is_multimodal:
            yield from _bounded(model, method, most, bool(cached))
        else:
            yield _finding(
                method,
                f"{DYNAMIC_SHAPE} is false, so that runners read a prompt one token at a time",
                call_name(method.name, PROMPT),
                Severity.INFO,
                "ok",
            )


def _static(
    model: LanguageModel, method: Method, most: int, cached: bool, dynamic: bool
) -> Iterator[Finding]:
    if model.is_multimodal:
        told = f"runners send a whole prompt at once, {_REFUSED}"
        yield _finding(method, told, first_call(model, method))
    elif dynamic:
        told = f"{DYNAMIC_SHAPE} is true: runners send a prompt of 3 tokens as [1, 3]"
        yield _finding(method, f"{told}, {_REFUSED}", first_call(model, method))
    elif cached and most != 1:
        told = f"{DYNAMIC_SHAPE} is false: runners send [1, 1], {_REFUSED}"
        yield _finding(method, told, first_call(model, method))


def _bounded(model: LanguageModel, method: Method, most: int, cached: bool) -> Iterator[Finding]:
    """Exporters leave one token below the length away (extension/llm/export/builder.py)."""
    chunk, context = model.number(MAX_SEQ_LEN), model.number(MAX_CONTEXT_LEN)
    if chunk is None or context is None or any(name in model.names for name in SHORTER_CHUNKS):
        return
    needed = min(chunk, context) if cached and not model.is_multimodal else context
    sent = call_name(method.name, needed if needed < context else needed - 1)
    if most < needed - 1:
        source = MAX_SEQ_LEN if needed == chunk else MAX_CONTEXT_LEN
        yield _finding(method, f"{source} is {needed}: runners send more tokens, {_REFUSED}", sent)
    elif most == needed - 1 and needed < context:
        told = f"runners send a longer prompt in pieces of {needed} tokens"
        yield _finding(method, f"{told}, {_REFUSED}", sent, Severity.INFO)


def _finding(
    method: Method,
    what: str,
    call: str,
    severity: Severity | None = None,
    ends: str = REFUSED_SHAPE.format(0),
) -> Finding:
    tensor = input_tensor(method, 0)
    told = shape(tensor) if tensor is not None else ""
    return Finding(
        message=f"Input 0 of {method.name} is {told}, and {what}.",
        remediation="Export the tokens dynamic, up to the length in the metadata, or say that they "
        "are not:\n\n"
        '    length = torch.export.Dim("token_dim", max=max_seq_len)\n'
        "    shapes = {1: length}, {0: 1}\n"
        "    exported = torch.export.export(model, inputs, dynamic_shapes=shapes)\n"
        + metadata_snippet(f'"{DYNAMIC_SHAPE}": True'),
        location=method.location(value=method.inputs[0]),
        evidence={"tokens": told, "problem": what, **shown_by(call, ends)},
        subject=f"{method.name} tokens",
        severity=severity,
        method=method.name,
        plan=method.index,
    )
