"""Token ids that a language model does not have.

What it finds:
    Ids of `get_eos_ids` that are negative or not below the last dimension of the logits; and an
    embedding of the tokens with fewer rows than there are logits, or than `get_vocab_size` where
    that is less.

What the runtime does:
    The file runs. Runners 1.0 to 1.4 sample ids below the number of logits and stop at one of
    get_eos_ids, which take the place of the tokenizer's own (extension/llm/runner:
    get_eos_ids, TextTokenGenerator::generate): an id that is never sampled never ends the text,
    which goes on to the longest length. A sampled id is the next token: past the rows of the
    embedding aten::embedding gives InvalidArgument (kernels/portable/cpu/op_embedding.cpp:
    embedding_kernel), and the text breaks off.

Why it happens:
    The ids are those of another tokenizer, or the vocabulary was pruned or padded on one side.

How to fix it:
    Give the ids of the tokenizer that belongs to the model:

        to_edge(exported, constant_methods={"get_eos_ids": [tokenizer.eos_token_id]})

How it is confirmed:
    `confirm` gives the method the first id without a row; end tokens are held against the logits.

Seen in:
    executorch#14192
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import SHOWN, metadata_call, shown_by, token_call
from pte_lint.data.language_model import (
    EOS_IDS,
    INT32,
    INT64,
    VOCAB_SIZE,
    LanguageModel,
    input_tensor,
    language_model,
    metadata_snippet,
    output_tensor,
    sizes,
)
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, artifact_rule

_EMBEDDING = "aten::embedding.out"
_WEIGHT, _IDS = 0, 1


@artifact_rule(
    "PTE638",
    "llm-token-ids",
    Severity.WARNING,
    "token ids that a language model does not have",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding for all end tokens, and one a method for its embedding."""
    model = language_model(context)
    if model is None or not all(map(_takes_ids, model.takers)):
        return
    yield from _end_tokens(model)
    for method in model.takers:
        step = next((s for s in method.kernel_calls() if _embeds(s, method)), None)
        weight = method.tensor(step.args[_WEIGHT]) if step is not None else None
        logits = _logits(model)
        if step is None or weight is None or logits is None or not sizes(weight):
            continue
        vocabulary = min(logits, model.number(VOCAB_SIZE) or logits)
        rows = sizes(weight)[0]
        if rows < vocabulary:
            yield Finding(
                message=f"{method.name} returns {logits} logits a token, but its embedding has "
                f"{rows} rows: token {rows} is refused with InvalidArgument as the next input.",
                remediation="Give embedding and output layer one vocabulary:\n\n"
                "    model.resize_token_embeddings(len(tokenizer))",
                location=method.location(step=step),
                evidence={
                    "logits": logits,
                    "rows": rows,
                    **shown_by(token_call(method.name, rows), "InvalidArgument in execute"),
                },
                subject=f"{method.name} embedding",
                method=method.name,
                plan=method.index,
            )


def _end_tokens(model: LanguageModel) -> Iterator[Finding]:
    logits, method = _logits(model), model.metadata.get(EOS_IDS)
    ids = [each for each in model.results(EOS_IDS) if type(each) is int]
    wrong = [each for each in ids if logits is not None and not 0 <= each < logits]
    if not wrong or method is None:
        return
    listed = ", ".join(map(str, wrong))
    end = "no text ends" if len(wrong) == len(ids) else "only the others end a text"
    yield Finding(
        message=f"{EOS_IDS} returns {listed}, and the model has {logits} tokens: {end}.",
        remediation="Give the ids of the tokenizer that belongs to the model:\n\n"
        + metadata_snippet(f"{EOS_IDS!r}: [tokenizer.eos_token_id]"),
        location=method.location(),
        evidence={
            "ids": wrong,
            "logits": logits,
            **shown_by(metadata_call(EOS_IDS), f"{listed} of {logits} logits"),
        },
        subject="end tokens",
        method=method.name,
        plan=method.index,
    )


def _takes_ids(method: Method) -> bool:
    """Whether what is called tokens are whole numbers; other programs have such metadata, too."""
    tensor = input_tensor(method, 0)
    return tensor is not None and tensor.scalar_type in (INT32, INT64)


def _embeds(step: Step, method: Method) -> bool:
    """Whether a call looks up the method's tokens."""
    is_one = step.operator == _EMBEDDING and len(step.args) > _IDS
    return is_one and step.args[_IDS] == method.inputs[0]


def _logits(model: LanguageModel) -> int | None:
    """How many logits a token has."""
    tensor = output_tensor(model.decoders[0])
    return sizes(tensor)[-1] if tensor is not None and sizes(tensor) else None
