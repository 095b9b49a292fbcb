"""Logits that a language-model runner cannot sample from, or that are not the vocabulary's.

What it finds:
    More than one output, an output that is no tensor or not of a floating type, another last
    dimension than `get_vocab_size`, several rows in anything but rank 3, and ids of end tokens none
    of which is in the vocabulary.

What the runtime does:
    The file runs. Runners 1.0 to 1.4 end the process where the method has not exactly one output,
    a tensor (extension/llm/runner: TextDecoderRunner::step, MultimodalDecoderRunner::decode), or
    where it is not float32, float16, bfloat16 or uint16 (extension/llm/sampler/util.h and
    text_decoder_runner.h: logits_to_token). Of [1, n, vocabulary] they sample the last row, of any
    other rank the first. Since 1.3 they sample over as many logits as the tokenizer has tokens:
    where that is more than the model gives, they read past the end. Where no end token
    can come, generation goes on to the limit.

Why it happens:
    The metadata is of another checkpoint or tokenizer than the model, the vocabulary was pruned or
    padded afterwards, or the model returns its cache or hidden states beside the logits.

How to fix it:
    Return the logits alone, and give the sizes of this model:

        to_edge(exported, constant_methods={
            "get_vocab_size": logits.shape[-1],
            "get_eos_ids": [tokenizer.eos_token_id],
        })

How it is confirmed:
    `confirm` gives the method a prompt, and looks at number, type and sizes of what it returns.

Seen in:
    executorch#3535, optimum-executorch#28
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import dtype_name
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.language_calls import (
    SHOWN,
    first_call,
    metadata_call,
    returned_type,
    shown_by,
)
from pte_lint.data.language_model import (
    EOS_IDS,
    VOCAB_SIZE,
    LanguageModel,
    language_model,
    metadata_snippet,
    output_tensor,
    shape,
    sizes,
)
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_SAMPLED = frozenset({"float32", "float16", "bfloat16", "uint16"})


@artifact_rule(
    "PTE615",
    "llm-logits",
    Severity.WARNING,
    "logits that language-model runners cannot sample from",
    sign=(SHOWN, Sign(r"^output {output}: sizes {returned}$")),
)
def check(context: Context) -> Yields:
    """One finding for each thing that is wrong with a method's outputs, and one for end tokens."""
    model = language_model(context)
    if model is None:
        return
    for method in model.decoders:
        logits = output_tensor(method)
        if len(method.outputs) != 1 or logits is None:
            what = f"{len(method.outputs)} outputs" if logits is not None else "no logits"
            what = f"returns {what}; runners want one tensor and end the process"
            ends = "0 outputs" if not method.outputs else "output 0 is a "
            yield _finding(model, method, what, ends if logits is None else _count(method))
        for what, ends in _misfits(model, logits) if logits is not None else ():
            yield _finding(model, method, what, ends)
    yield from _ends(model)


def _count(method: Method) -> str:
    return f"{len(method.outputs)} outputs"


def _misfits(model: LanguageModel, logits: Tensor) -> Iterator[tuple[str, str]]:
    """What is wrong, and how a run tells."""
    dtype, dims = dtype_name(logits.scalar_type), sizes(logits)
    if dtype not in _SAMPLED:
        told = f"returns logits of {dtype}, which end the process of a runner"
        yield told, returned_type(dtype)
    if not dims:
        return
    rows = 1
    for size in dims[:-1]:
        rows *= size
    if len(dims) != 3 and rows > 1:
        told = f"returns logits {shape(logits)}, of which runners sample the first row"
        yield told, f"output 0 has rank {len(dims)}"
    vocabulary = model.number(VOCAB_SIZE)
    if vocabulary is not None and vocabulary != dims[-1]:
        told = f"returns {dims[-1]} logits a token, but {VOCAB_SIZE} is {vocabulary}"
        yield told, f"{dims[-1]} logits a token"


def _ends(model: LanguageModel) -> Iterator[Finding]:
    logits, ids = output_tensor(model.decoders[0]), model.results(EOS_IDS)
    if logits is None or not sizes(logits) or not ids:
        return
    vocabulary = sizes(logits)[-1]
    known = [each for each in ids if isinstance(each, int)]
    if len(known) < len(ids) or any(0 <= each < vocabulary for each in known):
        return
    method = model.metadata[EOS_IDS]
    listed = ", ".join(map(str, known))
    yield Finding(
        message=f"{EOS_IDS} is {listed}, and the model has {vocabulary} logits: no end token can "
        "come, and generation goes on to its limit.",
        remediation=f"Give the end tokens of this model's tokenizer:\n\n"
        f"{metadata_snippet(f'{EOS_IDS!r}: [tokenizer.eos_token_id]')}",
        location=method.location(),
        evidence={
            EOS_IDS: known,
            "logits": vocabulary,
            **shown_by(metadata_call(EOS_IDS), f"{listed} of {vocabulary} logits"),
        },
        subject=f"metadata {EOS_IDS}",
        method=method.name,
        plan=method.index,
    )


def _finding(model: LanguageModel, method: Method, what: str, ends: str) -> Finding:
    logits = output_tensor(method) if "outputs" not in ends else None
    returned = {} if logits is None else {"returned": f"({', '.join(map(str, sizes(logits)))})"}
    return Finding(
        message=f"{method.name} {what}.",
        remediation="Return the logits alone, and let the metadata have their size:\n\n"
        + metadata_snippet(f'"{VOCAB_SIZE}": logits.shape[-1]'),
        location=method.location(value=method.outputs[0] if method.outputs else None),
        evidence={"problem": what, **returned, **shown_by(first_call(model, method), ends)},
        subject=f"{method.name} logits: {what.partition(',')[0]}",
        method=method.name,
        plan=method.index,
    )
