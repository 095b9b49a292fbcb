"""A kernel call with an argument of the wrong kind of value.

What it finds:
    Arguments of operators with a known signature whose kind (Tensor, Int, IntList, None, ...) the
    kernel cannot take, whatever the steps before did to them; and int lists with items that are no
    Ints, where a kernel reads them.

What the runtime does:
    The method loads. When the call is made, its arguments are converted one after the other, and
    the first wrong one ends the process (SIGABRT in EValue). Arithmetic prim ops test instead:
    execute returns InvalidType. All versions (runtime/core/evalue.h; codegen/gen.py;
    kernels/prim_ops/register_prim_ops.cpp); sym_float takes a Bool since 1.4.

Why it happens:
    The argument list was edited or shifted, or the program was exported against another version of
    the operator's schema than the kernels were built with.

How to fix it:
    Export with the ExecuTorch version of the target:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method.

Seen in:
    executorch#20270
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import IntList

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.faults import Fault, FaultKind
from pte_lint.interpret.kinds import Kinds, kind_name
from pte_lint.interpret.wants import ABORT, wants
from pte_lint.ir.steps import Step
from pte_lint.ops.prims import BOOL_AS_DOUBLE_SINCE, PRIM_OPS, SYM_FLOAT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article


@method_rule(
    "PTE124",
    "argument-kind",
    Severity.ERROR,
    "kernel arguments of the wrong kind of value",
    sign=Unseen("the failing assertion names no argument: undone, the failure is gone", Trial.UNDO),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached: the first argument that is converted wrongly."""
    require_readable(method, context)
    reachable = method.flow.reachable
    mixed = _mixed_lists(method)
    known: set[int] = set()
    for alike in method.calls.groups:
        fits = _fits(method, alike.calls[0])
        if fits and not mixed:
            continue
        for step in alike.calls:
            if reachable[step.index] and not (fits and mixed.isdisjoint(step.args)):
                for finding in _first_fault(method, step, method.kinds):
                    known.add(step.index)
                    yield finding
    for step in method.calls.of(SYM_FLOAT):
        is_met = len(step.args) == PRIM_OPS[SYM_FLOAT].count and reachable[step.index]
        if is_met and method.kinds.of(step.args[0]) == {KernelTypes.BOOL}:
            refused = reported(method, step, "InvalidType")
            what = f"is a Bool, which it takes since {BOOL_AS_DOUBLE_SINCE}"
            forecast = Forecast.always(refused).since(BOOL_AS_DOUBLE_SINCE, None)
            yield replace(_finding(method, step, 0, what, refused), forecast=forecast)
    for fault in method.interpretation.of(FaultKind.ARGUMENT):
        if fault.step not in known:
            known.add(fault.step)
            yield _finding_of(method, fault)


def _finding_of(method: Method, fault: Fault) -> Finding:
    """What only shows when the steps before are played through."""
    step = method.steps[fault.step]
    position = fault.argument or 0
    again = " in a second run" if fault.run > 1 else ""
    finding = _finding(method, step, position, fault.message + again, fault.prediction)
    return replace(finding, order=(fault.place(method), ExecuteStep.ARGUMENT_KINDS, position))


def _fits(method: Method, step: Step) -> bool:
    """True when the arguments are what the kernel wants, whatever steps add to their kinds."""
    val_types = method.val_types
    return all(
        0 <= v < len(val_types) and val_types[v] in want.accepted
        for want, v in zip(wants(method, step), step.args, strict=False)
    )


def _mixed_lists(method: Method) -> set[int]:
    """Int lists with items that are no Ints in the file."""
    found: set[int] = set()
    count, val_types = len(method.values), method.val_types
    for v in method.values_of(KernelTypes.INT_LIST):
        content = method.values[v].val
        items = content.items or () if isinstance(content, IntList) else ()
        if any(not 0 <= i < count or val_types[i] != KernelTypes.INT for i in items):
            found.add(v)
    return found


def _first_fault(method: Method, step: Step, kinds: Kinds) -> Iterator[Finding]:
    values = method.values
    for position, want in enumerate(wants(method, step)):
        v = step.args[position]
        if not 0 <= v < len(values):
            return
        if values[v].val_type not in want.accepted or kinds.is_changed(v):
            found = kinds.of(v)
            if not found & want.accepted:
                names = " or ".join(sorted(kind_name(k) for k in found))
                yield _finding(
                    method,
                    step,
                    position,
                    f"is {article(names)}, not {article(want.wanted)}",
                    want.prediction,
                )
                return
        items = values[v].val
        if isinstance(items, IntList) and not kinds.is_changed(v):
            for item in items.items or ():
                if not 0 <= item < len(values) or values[item].val_type == KernelTypes.INT:
                    continue
                if KernelTypes.INT not in kinds.of(item):
                    names = " or ".join(sorted(kind_name(k) for k in kinds.of(item)))
                    text = f"is an IntList whose item {item} is {article(names)}"
                    yield _finding(method, step, position, text, ABORT)
                    return


def _finding(
    method: Method, step: Step, position: int, what: str, prediction: Prediction
) -> Finding:
    return Finding(
        message=f"Argument {position} of {step.operator} (value {step.args[position]}) {what}.",
        remediation=REEXPORT,
        location=method.location(step=step, argument=position),
        forecast=Forecast.always(prediction),
        order=(step.index, ExecuteStep.ARGUMENT_KINDS, position),
        evidence={"value": step.args[position]},
        subject=f"instruction {step.index} argument {position}",
    )
