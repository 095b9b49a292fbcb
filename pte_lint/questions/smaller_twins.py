"""A method as it is when callers give it smaller inputs than the largest.

How kernels find their way hangs on sizes: what broadcasts, which path is taken, which dimensions
count. So questions about layouts are asked again of a method whose tensors have the sizes of
another run, and do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pte_lint.claims.finding import Finding, Severity
from pte_lint.interpret.choices import Given, has_dynamic_sizes
from pte_lint.interpret.smaller_runs import smaller_runs
from pte_lint.interpret.state import Sizes
from pte_lint.ir import method as ir
from pte_lint.ir.question import question
from pte_lint.questions.layout_faults import unusual_tensors
from pte_lint.questions.method import Method
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.program import EValue, Tensor

Twin = tuple[Given, Method]


def smaller_twins(method: Method) -> tuple[Twin, ...]:
    """For sizes that inputs may have instead of the largest, the method with these.

    None for methods in which all tensors are in the default order, or no sizes may change.
    """
    if not has_dynamic_sizes(method) or not unusual_tensors(method):
        return ()
    return smaller_twins_of(method)


@question
def smaller_twins_of(method: ir.Method) -> tuple[Twin, ...]:
    """The same, worked out once."""
    return tuple(_twins(method))


def _twins(method: ir.Method) -> Iterator[Twin]:
    for given, sizes in smaller_runs(method):
        twin = _with_sizes(method, {**sizes, **given})
        if twin is not None:
            yield given, twin


def _with_sizes(method: ir.Method, sizes: Mapping[int, Sizes]) -> Method | None:
    """The method with other sizes; None where one is not known."""
    values = []
    for v, value in enumerate(method.values):
        tensor = value.val
        if isinstance(tensor, Tensor) and tensor.shape_dynamism != ShapeDynamism.STATIC:
            found = sizes.get(v, tensor.sizes)
            if found is None:
                return None
            values.append(_resized(value, tensor, tuple(map(int, found))))
        else:
            values.append(value)
    plan = replace(method.plan, values=tuple(values))
    plans = list(method.program.execution_plan or ())
    plans[method.index] = plan
    program = replace(method.program, execution_plan=tuple(plans))
    return Method(program, method.index, method.base, graphs=method.graphs)


def _resized(value: EValue, tensor: Tensor, sizes: tuple[int, ...]) -> EValue:
    changed = replace(tensor, sizes=sizes, shape_dynamism=int(ShapeDynamism.STATIC))
    return replace(value, val=changed)


def at_sizes(method: Method, finding: Finding, given: Given) -> Finding:
    """What shows with smaller inputs only, as a warning that names them."""
    sizes = {str(method.inputs.index(v)): list(map(int, each)) for v, each in given.items()}
    named = ", ".join(f"{each} for input {n}" for n, each in sizes.items())
    return replace(
        finding,
        severity=Severity.WARNING,
        message=f"With sizes {named}, not with the largest: {finding.message}",
        evidence={**finding.evidence, "given": sizes},
    )
