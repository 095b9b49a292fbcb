"""Layouts that are converted and converted back.

What it finds:
    A permute_copy or transpose_copy whose result only one call reads, which permutes it back, with
    the bytes that the two move. Programs are right with them, so this rule runs only when it is
    asked for: `--select PTE8` (or ALL), or a severity for it.

What the runtime does:
    Both kernels copy every element (kernels/portable/cpu/op_permute_copy.cpp,
    op_transpose_copy.cpp, all versions).

Why it happens:
    Two parts of a model, or two passes, each bring tensors into a layout of their own and back.

How to fix it:
    Take both out of the model:

        y = x  # in place of x.permute(0, 2, 3, 1).permute(0, 3, 1, 2)

How it is confirmed:
    Not visible by running, but in a profile (ETDump).

Seen in:
    executorch#20286
"""

from __future__ import annotations

from pte_lint.schema.program import Int

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.ir.calling import list_items
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_PERMUTE = "aten::permute_copy.out"
_TRANSPOSE = "aten::transpose_copy.int_out"


@method_rule(
    "PTE805",
    "layout-round-trips",
    Severity.INFO,
    "layouts that are converted and converted back",
    is_optional=True,
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    steps = method.steps
    found: list[Step] = []
    total = 0
    for step in method.kernel_calls():
        order = _order(method, step)
        if order is None:
            continue
        result = step.args[step.first_output]
        readers = method.readers(result)
        if len(readers) != 1 or method.is_output[result] or len(method.writers(result)) != 1:
            continue
        reader = steps[readers[0]]
        back = _order(method, reader) if reader.args[:1] == (result,) else None
        if back is None or len(back) != len(order):
            continue
        if [order[d] for d in back] == list(range(len(order))):
            found.append(step)
            total += 2 * method.nbytes(result)
    if not found:
        return
    yield Finding(
        message=f"{count(len(found), 'layout is', 'layouts are')} converted and converted back, "
        f"{count(total, 'byte')} a run.",
        remediation="Take both out of the model:\n\n"
        "    y = x  # in place of x.permute(0, 2, 3, 1).permute(0, 3, 1, 2)",
        location=method.location(step=found[0]),
        evidence={"pairs": len(found), "bytes": total},
        subject="layouts",
    )


def _order(method: Method, step: Step) -> list[int] | None:
    """Where a call takes each dimension of its result from; None for other calls."""
    wanted = {_PERMUTE: 3, _TRANSPOSE: 4}.get(step.operator)
    if wanted is None or len(step.args) < wanted:
        return None
    source = method.tensor(step.args[0])
    rank = len(source.sizes or ()) if source is not None else 0
    if step.operator == _PERMUTE:
        items = list_items(method.value(step.args[1]))
        numbers = [_number(method, v) for v in items]
    else:
        numbers = [_number(method, step.args[position]) for position in (1, 2)]
    dims = [n + rank if n is not None and n < 0 else n for n in numbers]
    if any(n is None or not 0 <= n < rank for n in dims):
        return None
    known = [n for n in dims if n is not None]
    if step.operator == _PERMUTE:
        return known if len(known) == rank else None
    order = list(range(rank))
    order[known[0]], order[known[1]] = order[known[1]], order[known[0]]
    return order


def _number(method: Method, v: int) -> int | None:
    value = method.value(v)
    return value.val.int_val if value is not None and isinstance(value.val, Int) else None
