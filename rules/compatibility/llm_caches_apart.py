"""Prefill and decode with caches that the text runner keeps apart.

What it finds:
    Language models with `prefill` and `decode` that both write a cache in host memory.

What the runtime does:
    The file runs. The text runner of 1.5 reads a prompt with `prefill` and goes on with `decode`
    on one Module that does not share its arenas (extension/llm/runner/llm_runner_helper.cpp:
    create_text_llm_runner leaves share_memory_arenas at false): each method has a cache of its own,
    and decode goes on from an empty one. The text has nothing to do with the prompt, without any
    error. Caches in a backend's own memory, which the methods may share there, are another matter.

Why it happens:
    The two methods were exported for a runner that shares arenas, or for a backend that shares
    state; with kernels or another backend the caches are planned on the host.

How to fix it:
    Export one method that does both, or use a runner of your own that shares the arenas of methods
    exported with MemoryPlanningPass(share_mutable_buffers=True):

        // C++: the last argument of Module is share_memory_arenas
        Module module("model.pte", Module::LoadMode::File, nullptr, nullptr, nullptr, true);

How it is confirmed:
    `confirm` runs prefill and decode on one Module, after two prompts that prefill tells apart: the
    logits of decode are the same.

Seen in:
    executorch#21746
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.language_calls import SAME_LOGITS, SHOWN, decode_call, other_prompt, shown_by
from pte_lint.data.language_model import language_model
from pte_lint.questions.method import Method
from pte_lint.questions.position_uses import position_uses
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE637",
    "llm-caches-apart",
    Severity.WARNING,
    "caches that a text runner keeps apart",
    sign=SHOWN,
)
def check(context: Context) -> Yields:
    """One finding a program."""
    model = language_model(context)
    if model is None or [method.name for method in model.decoders] != ["prefill", "decode"]:
        return
    prefill, decode = model.decoders
    ours, theirs = _caches(prefill), _caches(decode)
    if not ours or not theirs:
        return
    yield Finding(
        message=f"prefill fills {prefill.describe(ours[0])} and decode reads "
        f"{decode.describe(theirs[0])}: the text runner gives each method memory of its own, so "
        "that decode goes on from an empty cache.",
        remediation="Export one method that does both, or share the arenas in a runner of your "
        "own:\n\n"
        '    Module module("model.pte", Module::LoadMode::File, nullptr, nullptr, nullptr, true);',
        location=decode.location(value=theirs[0]),
        evidence={
            "prefill": ours,
            "decode": theirs,
            **shown_by(other_prompt(decode_call(model, decode)), SAME_LOGITS),
        },
        subject="caches of prefill and decode",
        method=decode.name,
        plan=decode.index,
    )


def _caches(method: Method) -> list[int]:
    """The tensors on the host that are written at the positions."""
    written = {use.value for use in position_uses(method) if use.is_write}
    return sorted(v for v in written if method.is_planned(v) and method.home(v).device.is_host)
