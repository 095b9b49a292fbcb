"""Methods of one language model that do not fit each other.

What it finds:
    `prefill` and `decode` whose caches differ in number, type or shape, or whose logits differ in
    size; `token_embedding`, `vision_encoder` and `audio_encoder` whose output differs from input 0
    of `text_decoder` in type, rank or width.

What the runtime does:
    The file runs. Since 1.5 the text runner reads a prompt with `prefill` and goes on with `decode`
    (extension/llm/runner/llm_runner_helper.cpp: create_text_llm_runner): what one has written to
    its cache the other must find at the same place. The multimodal runners 1.0 to 1.4 hand the
    output of an encoder to text_decoder as it is (MultimodalPrefiller::prefill,
    MultimodalDecoderRunner::decode); Method::set_input refuses another type (InvalidArgument)
    or shape (NotSupported).

Why it happens:
    The methods were exported one by one, with other lengths, precisions or widths.

How to fix it:
    Export all methods from one model with one cache, in one precision:

        to_edge({"prefill": prefill, "decode": decode})

How it is confirmed:
    `confirm` gives text_decoder what the encoder returns, and looks at the logits of decode. Caches
    that differ show in no call, for the runner gives each method its own.

Seen in:
    executorch#21746
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from pte_lint.schema.enums import dtype_name
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.language_calls import FAILS, SHOWN, encoder_call, first_call, shown_by
from pte_lint.data.language_model import (
    LanguageModel,
    input_tensor,
    is_dynamic,
    language_model,
    output_tensor,
    shape,
    sizes,
)
from pte_lint.questions.method import Method
from pte_lint.questions.position_uses import position_uses
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE617",
    "llm-methods-disagree",
    Severity.WARNING,
    "methods of a language model that do not fit each other",
    sign=(
        replace(FAILS, when={"difference": "embeddings"}),
        replace(SHOWN, when={"difference": "logits"}),
        Unseen("the runner gives each method a cache of its own, which fits it"),
    ),
)
def check(context: Context) -> Yields:
    """One finding for each pair of methods and each thing they disagree about."""
    model = language_model(context)
    if model is None:
        return
    for first, second in pairwise(model.decoders):
        yield from _stages(model, first, second)
    yield from _encoders(model)


def _stages(model: LanguageModel, first: Method, second: Method) -> Iterator[Finding]:
    ours, theirs = _caches(first), _caches(second)
    if ours and theirs and ours != theirs:
        names = f"{first.name} has {_listed(ours)}, {second.name} {_listed(theirs)}"
        yield _finding(second, first, "caches", f"The caches differ: {names}")
    one, other = output_tensor(first), output_tensor(second)
    if one is not None and other is not None and sizes(one)[-1:] != sizes(other)[-1:]:
        names = f"{first.name} returns {shape(one)}, {second.name} {shape(other)}"
        shown = shown_by(first_call(model, second), f"{sizes(other)[-1]} logits a token")
        yield _finding(second, first, "logits", f"The logits differ in size: {names}", shown)


def _encoders(model: LanguageModel) -> Iterator[Finding]:
    decoder = model.decoders[0]
    taken = input_tensor(decoder, 0)
    for encoder in model.encoders:
        given = output_tensor(encoder)
        if given is not None and taken is not None and not _fits(given, taken):
            told = f"{encoder.name} returns {_described(given)}, {decoder.name} takes "
            told += _described(taken)
            shown = shown_by(encoder_call(decoder.name, encoder.name))
            yield _finding(decoder, encoder, "embeddings", told, shown)


def _fits(given: Tensor, taken: Tensor) -> bool:
    """Whether type, rank and width agree; of the number of tokens only what can never fit."""
    ours, theirs = sizes(given), sizes(taken)
    if given.scalar_type != taken.scalar_type or len(ours) != len(theirs):
        return False
    if ours[-1:] != theirs[-1:]:
        return False
    return is_dynamic(given) or not is_dynamic(taken) or all(map(int.__le__, ours, theirs))


def _caches(method: Method) -> list[tuple[str, tuple[int, ...]]]:
    """Type and shape of the tensors that are written at the positions, sorted."""
    indexed = {use.value for use in position_uses(method) if use.is_write}
    tensors = [tensor for v in indexed if (tensor := method.tensor(v)) is not None]
    return sorted((dtype_name(each.scalar_type), tuple(sizes(each))) for each in tensors)


def _listed(caches: list[tuple[str, tuple[int, ...]]]) -> str:
    dtype, dims = caches[0]
    return f"{len(caches)} such as {dtype} {list(dims)}"


def _described(tensor: Tensor) -> str:
    return f"{dtype_name(tensor.scalar_type)} {shape(tensor)}"


def _finding(
    method: Method,
    other: Method,
    what: str,
    told: str,
    shown: Mapping[str, Json] = MappingProxyType({}),
) -> Finding:
    return Finding(
        message=f"{told}.",
        remediation="Export the methods from one model, with one cache and one precision:\n\n"
        f"    to_edge({{{other.name!r}: {other.name}, {method.name!r}: {method.name}}})",
        location=method.location(),
        evidence={"difference": what, "methods": [other.name, method.name], **shown},
        subject=f"{other.name} and {method.name}: {what}",
        method=method.name,
        plan=method.index,
    )
