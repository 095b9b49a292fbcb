"""A loop that cannot be left.

What it finds:
    Instructions that can be reached, but from which no path leads to the end of the method; also
    when that holds only for one outcome of a condition that no iteration changes, because nothing
    writes it or because each iteration computes it anew from the same tensors; when the numbers
    that decide pass by each other; and when a loop ends only after more instructions than the
    runtime executes.

What the runtime does:
    execute runs until it has counted 10,000,000 instructions (a build option) and returns
    InvalidProgram, since 1.3; 1.2 never returns. (Method::execute in runtime/executor/method.cpp.)

Why it happens:
    A jump on a condition that stays false leads backwards: a constant, an input, or a loop counter
    that is no longer counted, or counted past its end. The exporter makes backward jumps only for
    map and scan, on a condition that the loop itself computes.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method with a time limit.

Seen in:
    Found here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.ledger import Budget
from pte_lint.claims.order import ExecuteStep, Order
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.faults import Fault, FaultKind
from pte_lint.interpret.runs import MOST_INSTRUCTIONS
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.questions.repeats import Repeats
from pte_lint.rulebook.rule import Yields, method_rule

_FORECAST = Forecast.always(error(Stage.EXECUTE, "InvalidProgram")).until(
    "1.2", undefined(Stage.EXECUTE)
)


_FREE_BLOCKS = 200_000
_TIMES = 64
"""Blocks that are visited to try conditions both ways, and how often each, so that the cost stays
linear."""


@method_rule(
    "PTE127",
    "endless-loop",
    Severity.ERROR,
    "loops that cannot be left",
    sign=Sign(r"Instruction execution limit \(\d+\) exceeded"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a method: where the first such loop turns back."""
    require_readable(method, context)
    flow = method.flow
    turns = sorted(flow.back_edges())
    if not turns:
        return
    for condition, outcome in _assumptions(method):
        trapped = _trapped(method, condition, outcome)
        for source, target in turns:
            if flow.block_of(source) not in trapped:
                continue
            when = _always(method, target, source)
            if condition is not None:
                when = f" when {method.describe(condition)} is {str(outcome).lower()}"
            yield Finding(
                message=f"Instructions {target} to {source} repeat for ever{when}: no path leads "
                "from here to the end of the method.",
                remediation=REEXPORT,
                location=method.location(step=method.steps[source]),
                forecast=_FORECAST,
                # It takes ten million instructions to show: all that fails on the way comes first.
                order=(method.timeline.end(), ExecuteStep.SILENT),
                evidence={"first": target, "last": source, "condition": condition},
                subject=f"instruction {source} loop",
            )
            return
    for fault in method.interpretation.of(FaultKind.ENDLESS):
        again = "" if fault.run == 1 else " in a second run"
        yield Finding(
            message=f"From instruction {fault.step} on the same instructions repeat for ever"
            f"{again}: the numbers that decide never let it end.",
            remediation=REEXPORT,
            location=method.location(step=method.steps[fault.step]),
            forecast=_FORECAST if fault.run == 1 else _FORECAST.in_second_run(),
            order=_last(method, fault),
            subject=f"instruction {fault.step} loop",
        )
        return
    limited = _FORECAST.until("1.2", None)
    for fault in method.interpretation.of(FaultKind.TOO_LONG):
        again = "" if fault.run == 1 else " in a second run"
        yield Finding(
            message=f"Instruction {fault.step} is in a loop that goes on beyond "
            f"{MOST_INSTRUCTIONS:,} executed instructions{again}.",
            remediation=REEXPORT,
            location=method.location(step=method.steps[fault.step]),
            forecast=limited if fault.run == 1 else limited.in_second_run(),
            order=_last(method, fault),
            subject=f"instruction {fault.step} loop",
        )
        return


def _last(method: Method, fault: Fault) -> Order:
    """The place of what shows at the end of a run."""
    return (method.timeline.end(fault.run), ExecuteStep.SILENT)


def _assumptions(method: Method) -> Iterator[tuple[int | None, bool]]:
    """No condition, then those that the caller settles for a loop, each with both outcomes."""
    yield None, False
    repeats = Repeats(method)
    conditions = dict.fromkeys(method.steps[j].args[0] for j in method.flow.jumps)
    why = "it has too many conditions to try each"
    size = len(method.flow.blocks)
    budget = Budget(method.ledger, "whether its loops end", why, _FREE_BLOCKS + _TIMES * size)
    for condition in conditions:
        if repeats.is_settled_by_caller(condition):
            if not budget.spend(2 * size):
                return
            yield condition, False
            yield condition, True


def _always(method: Method, first: int, last: int) -> str:
    """Why the jumps of a loop, whose numbers are in the file, never leave it."""
    for index in method.flow.jumps:
        condition = method.steps[index].args[0]
        if first <= index <= last and method.writers(condition):
            outcome = method.flow.outcome(index)
            if outcome is not None:
                return f", as value {condition} is always {str(outcome).lower()}"
    return ""


def _trapped(method: Method, condition: int | None, outcome: bool) -> set[int]:
    """Blocks that are reached, but from which the end is not, under an assumption."""
    flow = method.flow
    followed: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    leaves: list[int] = []
    work = [0] if flow.blocks else []
    while work:
        b = work.pop()
        if b in followed:
            continue
        last = method.steps[flow.blocks[b].last]
        targets = flow.successors(last.index)
        if last.kind is StepKind.JUMP and last.args[0] == condition:
            targets = (last.index + 1,) if outcome else (flow.destination(last),)
        followed[b] = [flow.block_of(t) for t in targets if t < flow.exit]
        if len(followed[b]) < len(targets):
            leaves.append(b)
        for successor in followed[b]:
            before.setdefault(successor, []).append(b)
            work.append(successor)
    leads_out: set[int] = set()
    while leaves:
        b = leaves.pop()
        if b not in leads_out:
            leads_out.add(b)
            leaves.extend(before.get(b, ()))
    return followed.keys() - leads_out
