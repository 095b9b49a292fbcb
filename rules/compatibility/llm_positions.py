"""Positions that do not fit the cache a language model says it has.

What it finds:
    `use_kv_cache` is true and `forward` takes tokens alone, or it is false and `forward` takes
    positions as well; positions that are not int64 of rank 1; several positions a call where the
    tokens are another number.

What the runtime does:
    The file runs. Runners 1.0 to 1.4 give positions if the method has more than one input
    (extension/llm/runner: TextDecoderRunner::step), and go by use_kv_cache for the tokens: with it
    one token a call, without it all tokens so far (TextTokenGenerator::generate). Where the two
    disagree the model sees one token without its past, or its past a second time at later
    positions: wrong text, without an error. Positions are int64 [1] where input 1 has one
    element, else one for each token (util.h: populate_start_pos_or_cache_position; multimodal
    decoding always gives one); set_input refuses other types (InvalidArgument) and shapes
    (NotSupported), and an input without dimensions ends the process.

Why it happens:
    The model was exported with another setting than the metadata tells, or positions were int32.

How to fix it:
    Let both come from one setting, and export positions as int64 [1]:

        position = torch.zeros(1, dtype=torch.int64)
        exported = torch.export.export(model, (tokens, position))
        to_edge(exported, constant_methods={"use_kv_cache": True})

    In export_llama that is `model.use_kv_cache`.

How it is confirmed:
    `confirm` gives positions as the runner does. A method without a past has the same logits after
    two prompts; one that is given its past twice has others than from the start.

Seen in:
    executorch#11524
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import dtype_name
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import (
    OTHER_LOGITS,
    PROMPT,
    REFUSED_SHAPE,
    REFUSED_TYPE,
    SAME_LOGITS,
    SHOWN,
    decode_call,
    first_call,
    other_position,
    other_prompt,
    shown_by,
)
from pte_lint.data.language_model import (
    USE_KV_CACHE,
    LanguageModel,
    input_tensor,
    is_dynamic,
    is_of_integers,
    language_model,
    metadata_snippet,
    shape,
    sizes,
)
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE614",
    "llm-positions",
    Severity.WARNING,
    "positions that do not fit what language-model runners give",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding a method."""
    model = language_model(context)
    if model is None:
        return
    cached = model.number(USE_KV_CACHE)
    for method in model.decoders:
        has_positions = len(method.inputs) > 1
        if cached is not None and has_positions != bool(cached):
            yield _disagrees(model, method, bool(cached))
        positions = input_tensor(method, 1)
        for what in _misfits(model, method, positions) if positions is not None else ():
            yield _finding(model, method, what)


def _misfits(model: LanguageModel, method: Method, positions: Tensor) -> Iterator[str]:
    """The first reason why positions cannot be set."""
    told = f"{dtype_name(positions.scalar_type)} {shape(positions)}"
    if not is_of_integers(method, positions):
        yield f"are {told}; runners give int64, and set_input refuses that with InvalidArgument"
        return
    if not sizes(positions):
        yield "have no dimension; runners read the first one, which ends the process"
        return
    if len(sizes(positions)) != 1:
        yield f"are {told}; runners give one dimension, which set_input refuses with NotSupported"
        return
    count, tokens = sizes(positions)[0], input_tensor(method, 0)
    if count == 1 or tokens is None or len(sizes(tokens)) < 2:
        return
    most = sizes(tokens)[1]
    is_one = not is_dynamic(tokens) and not is_dynamic(positions) and count == most
    if not is_dynamic(positions) and (model.is_multimodal or not is_one):
        yield f"are {told}; runners give one a token, which set_input refuses with NotSupported"
    elif is_dynamic(positions) and count < most:
        yield f"are {told}, fewer than the {most} tokens that a call takes"


def _disagrees(model: LanguageModel, method: Method, cached: bool) -> Finding:
    if cached:
        what = f"takes no positions, but {USE_KV_CACHE} is true: it is given the latest token "
        what += "alone and has no past"
        advice = "Export the model with its cache, or say that it has none"
        shown = shown_by(other_prompt(decode_call(model, method)), SAME_LOGITS)
    else:
        what = f"takes positions, but {USE_KV_CACHE} is false: it is given all tokens so far as if "
        what += "they came after themselves"
        advice = "Say that the model has a cache, or export it without one"
        shown = shown_by(other_position(method.name, PROMPT + 1, PROMPT), OTHER_LOGITS)
    return Finding(
        message=f"{method.name} {what}, which makes wrong text.",
        remediation=f"{advice}:\n\n" + metadata_snippet(f'"{USE_KV_CACHE}": {not cached}'),
        location=method.location(),
        evidence={USE_KV_CACHE: cached, "inputs": len(method.inputs), **shown},
        subject=f"{method.name} {USE_KV_CACHE}",
        method=method.name,
        plan=method.index,
    )


def _finding(model: LanguageModel, method: Method, what: str) -> Finding:
    ends = (REFUSED_TYPE if "InvalidArgument" in what else REFUSED_SHAPE).format(1)
    return Finding(
        message=f"The positions of {method.name} {what}.",
        remediation="Export with one position, in int64:\n\n"
        "    position = torch.zeros(1, dtype=torch.int64)",
        location=method.location(value=method.inputs[1]),
        evidence={"problem": what, **shown_by(first_call(model, method), ends)},
        subject=f"{method.name} positions",
        method=method.name,
        plan=method.index,
    )
