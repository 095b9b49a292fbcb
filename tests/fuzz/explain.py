"""Why a difference between said and seen may be nobody's fault: the categories, each with a test.

Everything here names a limit of what a file alone can tell. What has no explanation is a
difference, and a bug of pte-lint.
"""

from __future__ import annotations

from typing import Final

from pte_lint.forecast import Outcome
from pte_lint.result import Verdict
from pte_lint.steps import Step, StepKind

from tests.fuzz.oracle import Ending, MethodSeen
from tests.fuzz.verdicts import Judgement, Said

KERNEL: Final = "kernel-internal check"
DELEGATE: Final = "inside a real delegate"
RESOURCES: Final = "resource limit"
HARMLESS: Final = "undefined behaviour that did not show"
BRANCH: Final = "branch not taken"
UNVERIFIED: Final = "unverified damaged flatbuffer"

CATEGORIES: dict[str, str] = {
    KERNEL: "an ATen kernel refused shapes, element types or values with an error of its own, or "
    "stopped at one of its own assertions, and pte-lint does not judge that check",
    DELEGATE: "XNNPACK, which really runs here, refused or misread its own blob or arguments",
    RESOURCES: "memory or time of the sandbox ran out",
    HARMLESS: "pte-lint says that memory is misused or read before it is written; this run showed "
    "nothing of it",
    BRANCH: "the instruction that pte-lint objects to lies behind a jump that depends on the "
    "inputs, and no call went there",
    UNVERIFIED: "under minimal verification the runtime follows damaged offsets; what it meets "
    "depends on the bytes around",
}

_PRIMS = ("executorch_prim::", "et_copy::", "aten::sym_", "aten::_local_scalar_dense")
_REAL_DELEGATES = ("XnnpackBackend",)


def explain_missed(
    ending: Ending, judgement: Judgement, method: int | None, level: str
) -> str | None:
    """Why nothing was said although something went wrong; None if there is no excuse."""
    if _resources(ending):
        return RESOURCES
    if level == "minimal" and not judgement.parses:
        return UNVERIFIED
    step = _step(ending, judgement, method)
    if step is not None and _kernel_check(ending, step):
        return KERNEL
    if step is not None and step.kind is StepKind.DELEGATE and step.operator in _REAL_DELEGATES:
        return DELEGATE
    if ending.stage == "load_method" and any("XNN" in line for line in ending.logs):
        return DELEGATE
    return None


def explain_alarm(
    verdict: Verdict, said: Said, judgement: Judgement, method: MethodSeen | None, level: str
) -> str | None:
    """Why something was said although all went well; None if there is no excuse."""
    if level == "minimal" and not judgement.parses:
        return UNVERIFIED
    if verdict.outcome is Outcome.UNDEFINED:
        return HARMLESS
    place = _blamed(verdict, said)
    if place is not None and method is not None:
        step = judgement.methods[method.index].steps[place]
        if not method.has_run(step.chain, step.position):
            return BRANCH
    return None


def explain_other(
    ending: Ending,
    verdict: Verdict,
    said: Said,
    judgement: Judgement,
    method: int | None,
    level: str,
) -> str | None:
    """Why something else went wrong than was said; None if there is no excuse."""
    if level == "minimal" and not judgement.parses:
        return UNVERIFIED
    step = _step(ending, judgement, method)
    excuse = explain_missed(ending, judgement, method, level)
    if excuse is None or step is None:
        return excuse if excuse == RESOURCES else None
    place = _blamed(verdict, said)
    # Only what came before the step that pte-lint objects to hid it.
    return excuse if place is None or step.index <= place else None


def _resources(ending: Ending) -> bool:
    """Whether the sandbox ran out of time or memory; a range outside its arena is no such thing."""
    if ending.outcome == "timeout":
        return True
    if ending.detail == "MemoryAllocationFailed":
        return not any("hierarchical_allocator" in line for line in ending.logs)
    return any("bad_alloc" in line for line in ending.logs)


def _kernel_check(ending: Ending, step: Step) -> bool:
    """Whether an ATen kernel gave up by itself, past the test of its argument count."""
    if step.kind is not StepKind.KERNEL or step.operator.startswith(_PRIMS):
        return False
    if ending.outcome == "error":
        return ending.detail not in ("InvalidProgram", "InvalidState")
    if ending.detail != "SIGABRT":
        return False
    last = next((line for line in reversed(ending.logs) if line.startswith("F ")), "")
    return bool(last) and "evalue.h" not in last


def _step(ending: Ending, judgement: Judgement, method: int | None) -> Step | None:
    """The instruction a call ended in, if it ended in one."""
    if method is None or ending.instruction is None or method >= len(judgement.methods):
        return None
    for step in judgement.methods[method].steps:
        if step.chain == ending.chain and step.position == ending.instruction:
            return step
    return None


def _blamed(verdict: Verdict, said: Said) -> int | None:
    """The first instruction that the rule behind a verdict objects to."""
    places = [
        each.location.instruction
        for each in said.errors
        if each.rule == verdict.rule
        and each.location.instruction is not None
        and each.method in (None, verdict.method)
    ]
    return min(places, default=None)
