"""What kinds of value a kernel call converts its arguments to."""

from __future__ import annotations

from typing import Final, NamedTuple

from pte_lint.claims.forecast import Prediction, Stage, crash
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.kinds import kind_name
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.prims import PRIM_OPS
from pte_lint.ops.schemas import operator_schema
from pte_lint.schema.enums import KernelTypes

ABORT: Final = crash(Stage.EXECUTE, "SIGABRT")
"""`EValue::to...` on a value of another kind (runtime/core/evalue.h)."""


class Want(NamedTuple):
    """What one argument must be, and what happens if it is not."""

    accepted: frozenset[KernelTypes]
    wanted: str
    prediction: Prediction


_COPIED: Final = Want(frozenset({KernelTypes.TENSOR}), "Tensor", ABORT)


def wants(method: Method, step: Step) -> list[Want]:
    """What the arguments of a kernel call must be, by position.

    Empty when the operator's signature is not known or the call has the wrong number of
    arguments; the return, and the slot of a prim op, can be anything and are left out.
    """
    prim = PRIM_OPS.get(step.operator)
    if prim is not None:
        if len(step.args) != prim.count:
            return []
        failure = ABORT if prim.aborts else reported(method, step, "InvalidType")
        return [Want(k, " or ".join(sorted(map(kind_name, k))), failure) for k in prim.accepted]
    if step.operator in (H2D_COPY, D2H_COPY):
        return [_COPIED, _COPIED] if len(step.args) == 3 else []
    schema = operator_schema(step.operator)
    if schema is None or len(step.args) != schema.call_size:
        return []
    return [Want(p.accepted, p.wanted, ABORT) for p in schema.parameters]
