"""The kernel calls that kernels surely cannot make, as the file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pte_lint.claims.forecast import RUNTIME_VERSIONS
from pte_lint.interpret.file_call import FileCall
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.numbers_known import NUMERIC, known_number
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import Call, Refused
from pte_lint.ops.checks.table import KNOWN, check_of
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.sure_call import SureCall
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why kernels cannot make a call: one entry a version in `RUNTIME_VERSIONS`, None for can."""

    by_version: tuple[Refused | None, ...]

    @property
    def reason(self) -> Refused:
        """What the newest of the versions that refuse the call say."""
        return next(each for each in reversed(self.by_version) if each is not None)


def refusal_of(method: Method, step: Step) -> Refusal | None:
    """Why kernels cannot make one call; None where they can or their checks are not known."""
    if step.operator not in KNOWN:
        return None
    judged = _judge(method, step, loose=False)
    return None if judged is None else judged.refusal


def refusals(method: Method) -> Iterator[tuple[Step, Refusal]]:
    """The kernel calls that can be reached and that kernels surely cannot make, and why.

    The checks are those of the portable and optimised kernels. Calls that are alike are judged
    once for all that have the same numbers, and only calls in doubt are looked at one by one.
    """
    reachable = flow_of(method).reachable
    for alike in method.calls.groups:
        if alike.operator not in KNOWN:
            continue
        for step in _doubtful(method, alike.calls):
            judged = _judge(method, step, loose=False) if reachable[step.index] else None
            if judged is not None and judged.refusal is not None:
                yield step, judged.refusal


def _doubtful(method: Method, calls: Sequence[Step]) -> Iterator[Step]:
    """Those of alike calls that kernels may refuse, if no move exchanges their tensors."""
    first = _judge(method, calls[0], loose=True)
    if first is None:
        return
    refused = first.refusal is not None
    if not first.has_looked_at_numbers:
        yield from calls if refused else ()
        return
    places = [n for n, v in enumerate(calls[0].args) if method.val_types[v] in NUMERIC]
    outcomes = {_numbers(method, calls[0], places): refused}
    for step in calls:
        key = _numbers(method, step, places)
        known = outcomes.get(key)
        if known is None:
            judged = _judge(method, step, loose=True)
            known = outcomes[key] = judged is not None and judged.refusal is not None
        if known:
            yield step


def _numbers(method: Method, step: Step, places: Sequence[int]) -> tuple[object, ...]:
    return tuple([known_number(method, step.args[n]) for n in places])


class _Judged(NamedTuple):
    refusal: Refusal | None
    has_looked_at_numbers: bool


def _judge(method: Method, step: Step, *, loose: bool) -> _Judged | None:
    """What kernels of all versions say; None where the arguments are not the operator's."""
    schema = operator_schema(step.operator)
    if schema is None or len(step.args) != schema.call_size:
        return None
    if any(not 0 <= v < len(method.values) for v in step.args):
        return None
    make = FileCall if loose else SureCall
    newest = make(method, step, schema)
    reason = _outcome(newest)
    found: tuple[Refused | None, ...] = (reason,) * len(RUNTIME_VERSIONS)
    looked = newest.has_looked_at_numbers
    if newest.has_looked_at_version:
        older = [make(method, step, schema, version) for version in RUNTIME_VERSIONS[:-1]]
        found = (*[_outcome(call) for call in older], reason)
        looked = looked or any(call.has_looked_at_numbers for call in older)
    return _Judged(Refusal(found) if any(found) else None, looked)


def _outcome(call: Call) -> Refused | None:
    check = check_of(call.operator)
    assert check is not None
    try:
        check(call)
    except Refused as reason:
        return reason.kept()
    return None
