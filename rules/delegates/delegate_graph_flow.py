"""A delegate's graph that uses what nobody wrote.

What it finds:
    XNNPACK graphs in which a node reads a value that no earlier node writes and that is neither an
    input nor a constant, or writes over an input, a constant or what another node wrote, and graphs
    that never write one of their outputs.

What the runtime does:
    Nothing checks it: nodes run in the order of the file on whatever the memory of their inputs
    holds, and an output that no node writes is left as it was: status Ok, with garbage. What is
    inside of the graph is looked through for nodes that can be joined when the method loads, which
    follows each value to the one node that made it, and crashes or not where there is none or are
    two (XNNPACK's src/runtime.c and src/subgraph.c). All versions.

Why it happens:
    The blob was edited or damaged, or nodes were put into another order.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Results depend on what memory held before.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.xnnpack_flow import Unwritten, unwritten
from pte_lint.schema.xnnpack_graph import operator_names

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep, LoadMethodStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.blobs import Blob, called_graphs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule

_GARBAGE = Forecast.always(undefined(Stage.EXECUTE))
_NO_PLAN = Forecast.always(undefined(Stage.LOAD_METHOD))


@method_rule(
    "PTE433",
    "delegate-graph-flow",
    Severity.ERROR,
    "graphs that use what nobody wrote",
    sign=Unseen("XNNPACK checks no producers: what is read is what its memory holds"),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first such value of each graph that is called: what goes wrong at load comes first."""
    for blob, graph, step in called_graphs(method, ctx):
        first = min(unwritten(graph), key=lambda found: not found.is_planned, default=None)
        if first is not None:
            is_known = blob.backend in ctx.target.profile.backends
            yield _finding(method, blob, first, step, is_known=is_known)


def _finding(
    method: Method, blob: Blob, found: Unwritten, step: Step, *, is_known: bool
) -> Finding:
    where = "" if found.argument is None else f", argument {found.argument} of the call"
    if found.node is None:
        what = f"never writes its output {found.value}{where}"
    else:
        nodes = blob.facts.graph.xnodes if blob.facts.graph is not None else None
        name = operator_names().get((nodes or ())[found.node].xnode_union_type, "")
        does = "writes over" if found.is_twice else "reads"
        why = "which was there already" if found.is_twice else "which nobody wrote"
        what = f"has a node {found.node}, {name}, that {does} value {found.value}{where}, {why}"
    forecast, order = _GARBAGE, (step.index, int(ExecuteStep.SILENT), 0)
    if found.is_planned:
        forecast, order = _NO_PLAN, (int(LoadMethodStep.DELEGATES), blob.index, 5)
    return Finding(
        message=f"The graph of delegate {blob.index} ({blob.backend}) {what}.",
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=method.location(step=step, argument=found.argument),
        forecast=forecast if is_known else None,
        order=order,
        evidence={"value": found.value, "node": found.node},
        subject=f"delegates[{blob.index}] flow",
        severity=Severity.ERROR if is_known else Severity.WARNING,
    )
