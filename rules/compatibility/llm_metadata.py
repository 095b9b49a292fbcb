"""Metadata that a language-model runner cannot read.

What it finds:
    A program with the metadata methods of a language model where `get_max_seq_len` is missing, one
    of the methods takes inputs or returns something else than whole numbers, a length is not
    positive, or `get_max_context_len` is less than `get_max_seq_len`.

What the runtime does:
    The file runs. ExecuTorch's language-model runners 1.0 to 1.4 read it so
    (extension/llm/runner/llm_runner_helper.cpp: get_llm_metadata, get_eos_ids): without
    get_max_seq_len creating the runner fails with InvalidArgument, as it does where a metadata
    method cannot run without inputs. Values go through EValue::toScalar and
    Scalar::to<int64_t>, which end the process for strings, tensors, lists and doubles. A prompt as
    long as get_max_context_len is refused with InvalidArgument (TextLLMRunner::generate).

Why it happens:
    Metadata is given by hand, as a dict beside the model: 128.0 is a Double, "128" a String, and
    torch.tensor(128) a tensor. Nothing compares it with the model.

How to fix it:
    Give plain Python numbers, and the ids of end tokens as a list of them:

        to_edge(exported, constant_methods={
            "get_max_seq_len": max_seq_len,
            "get_max_context_len": cache_length,
            "get_eos_ids": [tokenizer.eos_token_id],
            "use_kv_cache": True,
        })

How it is confirmed:
    `confirm` asks each metadata method, without inputs: what it returns, or the error, shows it.

Seen in:
    executorch#14192, executorch#5269, react-native-executorch#194
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.schema.program import Bool, Int

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import SHOWN, metadata_call, shown_by
from pte_lint.data.language_model import (
    BOS_ID,
    DYNAMIC_SHAPE,
    EOS_IDS,
    MAX_CONTEXT_LEN,
    MAX_SEQ_LEN,
    READ,
    USE_KV_CACHE,
    USE_SDPA,
    VOCAB_SIZE,
    LanguageModel,
    language_model,
    metadata_snippet,
)
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import article

_LENGTHS = (MAX_SEQ_LEN, MAX_CONTEXT_LEN)


_VALUES: Final = {
    MAX_SEQ_LEN: "max_seq_len",
    MAX_CONTEXT_LEN: "cache_length",
    EOS_IDS: "[tokenizer.eos_token_id]",
    BOS_ID: "tokenizer.bos_token_id",
    VOCAB_SIZE: "logits.shape[-1]",
    USE_KV_CACHE: "True",
    USE_SDPA: "False",
    DYNAMIC_SHAPE: "False",
}

_KINDS: Final = {"Double": "double", "String": "string", "Tensor": "tensor", "Null": "none"}
"""What a run calls kinds of values; all else is `other`."""


@artifact_rule(
    "PTE611",
    "llm-metadata",
    Severity.WARNING,
    "metadata that language-model runners cannot read",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding a metadata method."""
    model = language_model(context)
    if model is None:
        return
    if MAX_SEQ_LEN not in model.names:
        first = model.takers[0]
        yield Finding(
            message=f"The program has no {MAX_SEQ_LEN}; runners refuse it with InvalidArgument.",
            remediation=f"Add it to the metadata:\n\n{_snippet(MAX_SEQ_LEN)}",
            location=first.location(),
            evidence={
                "metadata": MAX_SEQ_LEN,
                "error": "InvalidArgument",
                **shown_by(metadata_call(MAX_SEQ_LEN), "InvalidArgument in load_method"),
            },
            subject=f"metadata {MAX_SEQ_LEN}",
            method=first.name,
            plan=first.index,
        )
    for name in (*READ, BOS_ID, VOCAB_SIZE):
        method = model.metadata.get(name)
        if method is not None:
            yield from _wrong(name, method, model)


def _snippet(name: str) -> str:
    """How to set this metadata method from what the exporting script knows."""
    return metadata_snippet(f"{name!r}: {_VALUES[name]}")


def _wrong(name: str, method: Method, model: LanguageModel) -> Iterator[Finding]:
    """The first thing that is wrong with one metadata method."""
    is_read = name in READ
    if method.inputs:
        how = "runners call it without" if is_read else "metadata is called without"
        ends = "InvalidArgument in execute"
        yield _finding(name, method, f"takes {len(method.inputs)} inputs; {how}", ends)
        return
    if not method.outputs:
        yield _finding(name, method, "returns nothing", "0 outputs")
        return
    for index, v in enumerate(method.outputs if name == EOS_IDS else method.outputs[:1]):
        kind = _other_kind(method, v)
        if kind is not None:
            what = "ends the process of a runner" if is_read else "is no whole number to a reader"
            ends = f"output {index} is a {_KINDS.get(kind, 'other')}"
            yield _finding(name, method, f"returns {article(kind)}, which {what}", ends, v)
            return
    number = model.number(name)
    if name in _LENGTHS and number is not None and number <= 0:
        ends = f"output 0 is {number}"
        yield _finding(name, method, f"returns {number}, which is no length", ends)
    elif name == MAX_CONTEXT_LEN:
        longest = model.number(MAX_SEQ_LEN)
        if number is not None and longest is not None and number < longest:
            told = f"returns {number}, less than {MAX_SEQ_LEN}, which is {longest}: a prompt of "
            told += f"{number} tokens or more is refused"
            yield _finding(name, method, told, f"output 0 is {number}")


def _other_kind(method: Method, v: int) -> str | None:
    """The kind of a result that is no whole number; None where it is one, or not known."""
    value = method.value(v)
    if value is None or value.val is None or isinstance(value.val, Int | Bool):
        return None
    return type(value.val).__name__


def _finding(name: str, method: Method, what: str, ends: str, v: int | None = None) -> Finding:
    return Finding(
        message=f"Metadata method {name} {what}.",
        remediation="Give whole numbers and truths that fit the model:\n\n" + _snippet(name),
        location=method.location(value=v),
        evidence={"metadata": name, "problem": what, **shown_by(metadata_call(name), ends)},
        subject=f"metadata {name}",
        method=method.name,
        plan=method.index,
    )
