"""Host kernels between delegates: the graph is cut where the backend declined.

What it finds:
    Runs of kernel calls between two delegate calls of the same backend, with the operators that
    cause the cuts.

What the runtime does:
    Each cut costs a hand-over: the delegate's output goes through memory, the host kernels run, and
    the next delegate starts anew; with device memory also copies in both directions (all versions).

Why it happens:
    The partitioner declined an operator, for its element type, shape or attributes, or it lies
    outside of the partition by its position.

How to fix it:
    Ask the partitioner why it declined; it logs that to its own logger, whose level counts:

        import logging

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        logging.getLogger("executorch.backends.xnnpack").setLevel(logging.DEBUG)
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])

    Then say it in operators that the backend takes. XNNPACK takes squares and no other powers:

        y = x * x * x  # in place of x ** 3

How it is confirmed:
    Not visible by running, but in a profile (ETDump).

Seen in:
    executorch#5110, executorch#20286
"""

from __future__ import annotations

from collections import Counter

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.ir.calling import D2H_COPY, ET_VIEW, H2D_COPY, is_scalar_valued
from pte_lint.questions.method import Method, Step, StepKind
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_FREE = frozenset((H2D_COPY, D2H_COPY, ET_VIEW))
_SHOWN = 3


@method_rule("PTE801", "host-islands", Severity.INFO, "host kernels between delegates")
def check(method: Method, ctx: Context) -> Yields:
    """In the order of the instructions; copies, views and scalar arithmetic do not count."""
    if len(method.delegate_calls()) < 2:
        return
    free = {index for index, name in enumerate(method.operators) if _is_free(name)}
    operators: Counter[str] = Counter()
    islands = 0
    first: Step | None = None
    before: Step | None = None
    between: list[Step] = []
    for step in method.steps:
        if step.kind is StepKind.DELEGATE:
            if before is not None and between and before.operator == step.operator:
                islands += 1
                first = first or between[0]
                operators.update(s.operator for s in between)
            before, between = step, []
        elif before is not None and step.kind is StepKind.KERNEL and step.target not in free:
            between.append(step)
    if first is None:
        return
    common = [f"{name} ({n})" for name, n in operators.most_common(_SHOWN)]
    yield Finding(
        message=f"{count(islands, 'run of host kernels lies', 'runs of host kernels lie')} between "
        f"delegate calls ({count(sum(operators.values()), 'kernel call')}): {', '.join(common)}"
        + (", ..." if len(operators) > _SHOWN else "")
        + ".",
        remediation="Let the partitioner take these operators, or write the model so that they "
        "come before or after what it takes. It logs why it declined them, once asked for before "
        "to_edge_transform_and_lower:\n\n"
        "    import logging\n\n"
        '    logging.getLogger("executorch.backends.xnnpack").setLevel(logging.DEBUG)',
        location=method.location(step=first),
        evidence={"islands": islands, "operators": dict(operators.most_common(20))},
        subject="islands",
    )


def _is_free(operator: str) -> bool:
    return operator in _FREE or is_scalar_valued(operator)
