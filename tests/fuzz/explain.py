"""Why a difference between said and seen may be nobody's fault: the categories, each with a test.

Everything here names a limit of what a file alone can tell. What has no explanation is a
difference, and a bug of pte-lint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pte_lint.claims.forecast import Outcome, Prediction, Stage
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.result import Verdict
from pte_lint.ir.calling import list_items
from pte_lint.ir.steps import Step, StepKind
from tests.fuzz.oracle import Ending, MethodSeen
from tests.fuzz.verdicts import Judgement, Said

KERNEL: Final = "kernel-internal check"
DELEGATE: Final = "inside a real delegate"
RESOURCES: Final = "resource limit"
HARMLESS: Final = "undefined behaviour that did not show"
BRANCH: Final = "branch not taken"
UNVERIFIED: Final = "unverified damaged flatbuffer"
NOTHING: Final = "no method to call"
ANNOUNCED: Final = "announced condition not met"
STATE: Final = "state that starts at zero"
ROLES: Final = "what a foreign delegate reads"
DEVICES: Final = "devices of this machine"
ORDER: Final = "order inside a kernel"
FOREIGN: Final = "what a foreign delegate refuses"

CATEGORIES: dict[str, str] = {
    KERNEL: "an ATen kernel refused shapes, element types or values with an error of its own, or "
    "stopped at one of its own assertions, and pte-lint does not judge that check",
    DELEGATE: "XNNPACK, which really runs here, refused or misread its own blob or arguments",
    RESOURCES: "memory or time of the sandbox ran out",
    HARMLESS: "pte-lint says that memory is misused or read before it is written; no call failed "
    "and all results are those of the program before it was changed",
    BRANCH: "no call that was made reached the instruction that pte-lint objects to, or got there "
    "past the branches that pte-lint means, or took the branch that spoils the next run",
    UNVERIFIED: "under minimal verification the runtime follows damaged offsets; what it meets "
    "depends on the bytes around",
    ANNOUNCED: "a warning says what the program needs from its embedder, such as memory for a "
    "buffer; the probe does not give it, and the failure is the one announced",
    STATE: "results depend on host memory that nothing wrote; it is zero under Module, and the "
    "method has tensors that pte-lint takes for buffers, which start at zero",
    ROLES: "results depend on memory that nothing wrote, through a delegate call of which the "
    "file does not tell what it reads and what it writes, or that does both to one tensor, of "
    "which a warning tells",
    ORDER: "a warning says that a kernel writes over its own input; whether it reads an element "
    "before, only the order of its loops decides, which pte-lint follows for some kernels",
    FOREIGN: "an older release of a backend that is not here reads no payload of that version; a "
    "stand-in took it",
    DEVICES: "an arena is on another device index than the tensors in it say, or on one that the "
    "machine at hand does not have; a warning says so, and the machine decides what comes of it",
    NOTHING: "the program loads, and what is wrong shows when a method is asked for; it has none",
}

_PRIMS = ("executorch_prim::", "et_copy::", "aten::sym_", "aten::_local_scalar_dense")
REAL_DELEGATES = ("XnnpackBackend",)


_INDEX_DISAGREES = "PTE311"
_MOST_GIVEN = 1 << 30
_PAYLOAD_VERSION: Final = "PTE419"
_ENDLESS = "PTE127"
_UNBOUND = "PTE138"
_OVER_ITSELF = "PTE204"
_OTHER_INDEX = re.compile(
    r"pointer lies on (\w+):-?\d+, "
    r"(the delegate runs on \1:-?\d+(; tag \1:-?\d+ is not \1:-?\d+)?|copy asked for index -?\d+)"
)

_RANKS = {str(stage): stage.rank for stage in Stage}


def agrees(prediction: Prediction, ending: Ending) -> bool:
    """Whether a prediction that is not ok says what was seen.

    Undefined behaviour may show in any way, at its stage or later: in all of a second run, which is
    made of calls that gave outputs.
    """
    if prediction.outcome is Outcome.UNDEFINED:
        return bool(ending.outputs) or _RANKS[ending.stage] >= prediction.stage.rank
    if str(prediction.stage) != ending.stage:
        return False
    if prediction.outcome is Outcome.ERROR:
        return ending.outcome == "error" and prediction.error == ending.detail
    return ending.outcome == "crash" and prediction.signal in (None, ending.detail)


@dataclass(frozen=True, slots=True)
class Case:
    """What is compared.

    Attributes:
        judgement: All that was said.
        said: What was said at the level at hand.
        level: `full` or `minimal`.
        method: The method, None for the program.
        has_changed_blob: Whether a real delegate's blob is not the seed's.
    """

    judgement: Judgement
    said: Said
    level: str
    method: MethodSeen | None = None
    has_changed_blob: bool = False

    @property
    def is_unverified(self) -> bool:
        """Whether the runtime follows the offsets of a damaged flatbuffer unchecked."""
        return self.level == "minimal" and not self.judgement.parses

    def steps(self) -> tuple[Step, ...]:
        """The method's instructions as rules see them."""
        methods = self.judgement.methods
        if self.method is None or self.method.index >= len(methods):
            return ()
        return methods[self.method.index].steps

    def step(self, ending: Ending) -> Step | None:
        """The instruction a call ended in, if it ended in one."""
        for step in self.steps():
            if (step.chain, step.position) == (ending.chain, ending.instruction):
                return step
        return None

    def changing_steps(self) -> tuple[Step, ...]:
        """The steps that change what values are, and so what a second run starts with."""
        kinds = (StepKind.MOVE, StepKind.FREE)
        return tuple(step for step in self.steps() if step.kind in kinds)

    def is_never_spoilt(self, step: Step, verdict: Verdict) -> bool:
        """Whether no call has run a step and, in one of its runs, what changes its arguments."""
        of = [
            each.location.argument
            for each in self.said.errors
            if each.rule == verdict.rule and each.location.instruction == step.index
        ]
        args = [step.args[n] for n in of if n is not None and n < len(step.args)] or step.args
        changers = [each for each in self.changing_steps() if each.args[-1] in args]
        calls = self.method.endings if self.method is not None else ()
        return bool(changers) and not any(
            call.has_run(step.chain, step.position)
            and any(call.has_run(each.chain, each.position) for each in changers)
            for call in calls
        )

    def is_of_second_run(self, verdict: Verdict) -> bool:
        """Whether all that the rule behind a verdict objects to shows in a second run only."""
        runs = [
            each.runtime.run
            for each in self.said.errors
            if each.rule == verdict.rule
            and each.runtime is not None
            and each.method in (None, verdict.method)
        ]
        return bool(runs) and min(runs) > 1

    def is_past_all_writes(self, verdict: Verdict, step: Step) -> bool:
        """Whether a value was written in each call that got to a step which finds it unwritten."""
        steps, method = self.steps(), self.method
        found = [
            each.location.value
            for each in self.said.errors
            if each.rule == verdict.rule and each.location.instruction == step.index
        ]
        if method is None or len(found) != 1 or found[0] is None:
            return False
        writers = [steps[i] for i in self.judgement.methods[method.index].writers(found[0])]
        calls = [each for each in method.endings if each.has_run(step.chain, step.position)]
        return bool(writers) and all(
            any(call.has_run(each.chain, each.position) for each in writers) for call in calls
        )

    def is_met_after_delegates(self, verdict: Verdict) -> bool:
        """Whether a method gets to what a verdict is about only once its delegates are loaded."""
        if verdict.stage.rank > Stage.LOAD_METHOD.rank:
            return True
        orders = [each.order for each in self.said.errors if each.rule == verdict.rule]
        return bool(orders) and min(orders)[:1] > (LoadMethodStep.DELEGATES,)

    def wants_much(self) -> bool:
        """Whether an input or output takes more memory than the probe has to give."""
        methods = self.judgement.methods
        if self.method is None or self.method.index >= len(methods):
            return False
        method = methods[self.method.index]
        return any(method.nbytes(v) > _MOST_GIVEN for v in (*method.inputs, *method.outputs))

    def blamed(self, verdict: Verdict) -> Step | None:
        """The first instruction that the rule behind a verdict objects to."""
        places = [
            each.location.instruction
            for each in self.said.errors
            if each.rule == verdict.rule
            and each.location.instruction is not None
            and each.method in (None, verdict.method)
        ]
        steps = self.steps()
        place = min(places, default=len(steps))
        return steps[place] if place < len(steps) else None


def explain_missed(case: Case, ending: Ending) -> str | None:
    """Why nothing was said although something went wrong; None if there is no excuse."""
    if _resources(ending) or (_lacks_memory(ending) and case.wants_much()):
        return RESOURCES
    if case.is_unverified:
        return UNVERIFIED
    step = case.step(ending)
    announced = (f for f in case.said.warnings if f.rule != _INDEX_DISAGREES)
    if any(f.runtime is not None and agrees(f.runtime, ending) for f in announced):
        return ANNOUNCED
    if any("no such device" in remark for remark in ending.remarks):
        return DEVICES
    if _is_about_indices(ending) and any(f.rule == _INDEX_DISAGREES for f in case.said.warnings):
        return DEVICES
    if step is not None and _kernel_check(ending, step):
        return KERNEL
    if step is not None and step.kind is StepKind.DELEGATE and step.operator in REAL_DELEGATES:
        return DELEGATE
    if ending.stage == "load_method" and any("XNN" in line for line in ending.logs):
        return DELEGATE
    if ending.stage == "load_method" and ending.outcome == "crash" and not ending.logs:
        return DELEGATE if case.has_changed_blob else None
    return None


def explain_silence(case: Case, memory: str, where: str) -> str | None:
    """Why nothing was said although results depend on unwritten memory; None if no excuse."""
    if case.is_unverified:
        return UNVERIFIED
    if case.has_changed_blob:
        return DELEGATE
    if case.method is None or case.method.index >= len(case.judgement.methods):
        return None
    method = case.judgement.methods[case.method.index]
    if memory == "host" and any(map(method.liveness.storage.is_state, method.tensors)):
        return STATE
    if any(f.rule == _UNBOUND and f.runtime is not None for f in case.said.warnings):
        return ANNOUNCED
    calls = method.delegate_calls()
    unknown = [c for c in calls if method.open_arguments(c) or {*c.reads} & {*c.writes}]
    lists = any(list_items(method.value(v)) for step in unknown for v in step.args)
    return ROLES if lists or (unknown and where.startswith("delegate")) else None


def explain_difference(case: Case) -> str | None:
    """Why nothing was said although results differ; None if there is no excuse."""
    mine = case.method.name if case.method is not None else None
    doubtful = (f for f in case.said.warnings if f.rule == _OVER_ITSELF)
    return ORDER if any(f.method in (None, mine) for f in doubtful) else None


def explain_alarm(case: Case, verdict: Verdict) -> str | None:
    """Why something was said although all went well; None if there is no excuse."""
    if case.is_unverified:
        return UNVERIFIED
    if verdict.outcome is Outcome.UNDEFINED:
        return HARMLESS
    if case.method is None:
        return NOTHING if not case.judgement.methods else None
    if verdict.rule == _PAYLOAD_VERSION:
        return FOREIGN  # a rule about backends that have stand-ins
    step = case.blamed(verdict)
    if step is not None and not case.method.has_run(step.chain, step.position):
        return BRANCH
    if (
        step is not None
        and verdict.rule == _ENDLESS
        and not case.method.has_turned_back(step.chain, step.position)
    ):
        return BRANCH
    if step is not None and case.is_past_all_writes(verdict, step):
        return BRANCH
    if step is not None and case.is_never_spoilt(step, verdict):
        return BRANCH
    if case.is_of_second_run(verdict) and not all(
        case.method.has_run(each.chain, each.position) for each in case.changing_steps()
    ):
        return BRANCH
    return None


def explain_other(case: Case, ending: Ending, verdict: Verdict) -> str | None:
    """Why something else went wrong than was said; None if there is no excuse."""
    excuse = explain_missed(case, ending)
    if excuse in (None, RESOURCES, UNVERIFIED):
        return excuse
    if (
        ending.stage == "load_method"
        and excuse == DELEGATE
        and case.is_met_after_delegates(verdict)
    ):
        return excuse
    step, blamed = case.step(ending), case.blamed(verdict)
    if step is not None and (verdict.stage is Stage.GET_OUTPUT or case.is_of_second_run(verdict)):
        return excuse
    if step is None or blamed is None:
        return None
    # Only what came before the step that pte-lint objects to could hide it.
    return excuse if step.index <= blamed.index else None


def _is_about_indices(ending: Ending) -> bool:
    """Whether all that the probe found odd is memory on another index of the right device type."""
    odd = [remark for remark in ending.remarks if "pointer" in remark]
    return bool(odd) and all(_OTHER_INDEX.fullmatch(remark) for remark in odd)


def _lacks_memory(ending: Ending) -> bool:
    """Whether an output has no memory: the probe may have had none to give."""
    return any(each.startswith("pointer of output") for each in ending.remarks)


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
