"""A delegate's graph that reads constants which the backend has given back.

What it finds:
    XNNPACK graphs in which a node reads a constant where it stands, in the blob or in the named
    data, instead of packing a copy of it when the method loads. Layers pack their weights and
    biases; a PReLU reads its slopes in every run.

What the runtime does:
    The backend frees the blob once the graph is compiled (init in
    backends/xnnpack/runtime/XNNPACKBackend.cpp), and the named data that it looked up once XNNPACK
    has its operators (compileModel in XNNCompiler.cpp). What is read afterwards is whatever that
    memory holds by then: status Ok with wrong values, or SIGSEGV where it went back to the system,
    as larger pieces do. Runtimes since 1.4.1 keep the named data of constants that no layer packs;
    1.2, 1.3 and 1.4.0 keep none, and no release keeps blobs, or constants that a layer packs and
    another node reads. A program that is in memory already (BufferDataLoader) is not freed, and
    runs.

Why it happens:
    The model has a PReLU, and runs on an ExecuTorch before 1.4.1; or an exporter wrote constants
    into the blob.

How to fix it:
    Run it on 1.4.1 or later. For older ones leave PReLU to the host:

        from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
        from executorch.backends.xnnpack.partition.config.node_configs import PreluConfig
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

        configs = [each for each in ALL_PARTITIONER_CONFIGS if each is not PreluConfig]
        partitioner = [XnnpackPartitioner(configs=configs)]

How it is confirmed:
    The file is loaded so that nobody may touch what was freed: the run dies of a read there.

Seen in:
    https://github.com/pytorch/executorch/pull/21480
"""

from __future__ import annotations

from typing import Final

from pte_lint.schema.enums import DataLocation
from pte_lint.schema.xnnpack_flow import RawConstant, raw_constants
from pte_lint.schema.xnnpack_graph import operator_names

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.blobs import Blob, called_graphs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule

_ALWAYS: Final = Forecast.always(undefined(Stage.EXECUTE))
_BEFORE_KEPT: Final = _ALWAYS.since("1.4", None)


@method_rule(
    "PTE439",
    "delegate-freed-constant",
    Severity.ERROR,
    "graphs that read constants which were freed",
    sign=Unseen(
        "what freed memory holds depends on what is asked for between loading and running",
        Trial.FREED,
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first such constant of each graph that is called."""
    for blob, graph, step in called_graphs(method, ctx):
        place = blob.delegate.processed
        is_freed = place is not None and place.location == DataLocation.SEGMENT
        freed = [
            (each, forecast)
            for each in raw_constants(graph)
            if (forecast := _forecast(each, is_freed)) is not None
        ]
        if freed:
            # Those that no release keeps come first.
            each, forecast = min(freed, key=lambda pair: pair[1] is not _ALWAYS)
            is_known = blob.backend in ctx.target.profile.backends
            yield _finding(method, blob, step, each, forecast=forecast, is_known=is_known)


def _forecast(each: RawConstant, is_blob_freed: bool) -> Forecast | None:
    if each.key is None:
        return _ALWAYS if is_blob_freed else None
    return _ALWAYS if each.is_packed else _BEFORE_KEPT


def _finding(
    method: Method,
    blob: Blob,
    step: Step,
    each: RawConstant,
    *,
    forecast: Forecast,
    is_known: bool,
) -> Finding:
    nodes = blob.facts.graph.xnodes if blob.facts.graph is not None else None
    name = operator_names().get((nodes or ())[each.node].xnode_union_type, "")
    where = "in the blob" if each.key is None else "in the named data"
    return Finding(
        message=(
            f"Node {each.node}, {name}, of the graph of delegate {blob.index} ({blob.backend}) "
            f"reads constant {each.value}, which is {where} and is freed before the first run."
        ),
        remediation=(
            "Run it on ExecuTorch 1.4.1 or later, or leave PReLU to the host:\n\n"
            "    from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS\n"
            "    from executorch.backends.xnnpack.partition.config.node_configs "
            "import PreluConfig\n"
            "    from executorch.backends.xnnpack.partition.xnnpack_partitioner "
            "import XnnpackPartitioner\n\n"
            "    configs = [each for each in ALL_PARTITIONER_CONFIGS if each is not PreluConfig]\n"
            "    partitioner = [XnnpackPartitioner(configs=configs)]"
            if forecast is _BEFORE_KEPT
            else "Export the program again with a current ExecuTorch:\n\n"
            '    program.save("model.pte")'
        ),
        location=method.location(step=step),
        forecast=forecast if is_known else None,
        order=(step.index, int(ExecuteStep.SILENT), 0),
        evidence={"value": each.value, "node": each.node, "key": each.key},
        subject=f"delegates[{blob.index}] constants",
        severity=Severity.ERROR if is_known else Severity.WARNING,
    )
