"""An output of one method that does not fit the input it is handed to.

What it finds:
    For each pipeline declared in the configuration: an output and the input that it feeds, in the
    same file or in another, that differ in element type, rank, sizes, dim order, device or device
    index, or whose memory planning does not fit. Without a declaration: two methods that keep
    tensors of one type and shape on different devices.

What the runtime does:
    Method::set_input refuses another element type (InvalidArgument) and other sizes
    (NotSupported). An input that is planned is copied into from the host: device data is refused
    by 1.5 (NotSupported) and crashes 1.4. An input that is not planned shares the pointer, and
    nobody looks at its device: the method computes garbage or crashes. Dim orders are not
    compared: the bytes are taken as they are.

Why it happens:
    Methods are exported with settings of their own; nothing in the exporter sees the hand-over. A
    dict of flags inside PropagateDeviceConfig counts as true for every method.

How to fix it:
    Give both methods settings that fit, by method name: the first leaves its output on the device,
    the second takes it there, and neither plans it.

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass
        from executorch.exir.passes.propagate_device_config import (
            PropagateDeviceConfig,
        )

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config={
                "prefill": PropagateDeviceConfig(skip_d2h_for_method_outputs=True),
                "decode": PropagateDeviceConfig(skip_h2d_for_method_inputs=True),
            },
            memory_planning_pass={
                "prefill": MemoryPlanningPass(alloc_graph_output=False),
                "decode": MemoryPlanningPass(alloc_graph_input=False),
            },
        ))

    Declare the hand-over, so that it is checked:

        [[tool.pte-lint.pipeline]]
        from = { method = "prefill", output = 0 }
        to = { method = "decode", input = 0 }

How it is confirmed:
    Running the first method and giving its output to the second.

Seen in:
    executorch#18788, executorch#19970
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.schema.frozen import dataclass

from pte_lint.claims.finding import Finding, Json, Severity, Unchecked
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.export_settings import (
    TARGET_SPEC,
    DeviceSettings,
    settings_snippet,
)
from pte_lint.questions.placement.ports import (
    Misfit,
    Port,
    input_port,
    input_ports,
    misfits,
    output_port,
    output_ports,
)
from pte_lint.rulebook.pipeline import Peer, Peers, Pipeline
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE322",
    "methods-disagree-on-device",
    Severity.ERROR,
    "outputs that do not fit the input of another method",
    sign=Unseen("it is about two methods, and each is run by itself"),
)
def check(context: Context) -> Yields:
    """Errors for declared pipelines; a warning for what looks like one."""
    if not context.methods:
        return
    declared = _pipelines(context)
    given = context.options.get("peers")
    peers = given if isinstance(given, Peers) else Peers()
    for pipeline in declared:
        yield from _declared(context, pipeline, peers)
    named = {(p.from_method, p.to_method) for p in declared}
    yield from _likely(context.methods, named)


def _pipelines(context: Context) -> list[Pipeline]:
    declared = context.options.get("pipelines")
    if not isinstance(declared, list | tuple):
        return []
    return [p for p in declared if isinstance(p, Pipeline)]


def _declared(context: Context, pipeline: Pipeline, peers: Peers) -> Yields:
    """Judged where the receiving method is, or where the giving one is if only that is here."""
    path = context.artifact.path
    here: Sequence[Peer] = (Peer(path, context.methods),)
    sources, targets = here, here
    to_here = pipeline.to_artifact is None or peers.is_match(pipeline.to_artifact, path)
    if pipeline.from_artifact is not None:
        if not to_here:
            return
        sources = peers.matching(pipeline.from_artifact, context.ledger)
    elif pipeline.to_artifact is not None:
        targets = peers.matching(pipeline.to_artifact, context.ledger)
    givers = [m for peer in sources if (m := peer.method(pipeline.from_method)) is not None]
    takers = [m for peer in targets if (m := peer.method(pipeline.to_method)) is not None]
    if not givers and not takers:
        return  # a pipeline of other artifacts
    if not givers or not takers:
        missing = pipeline.to_method if givers else pipeline.from_method
        yield Unchecked(f"pipeline {pipeline}", f"no method {missing} was found")
        return
    for giver in givers:
        for taker in takers:
            yield from _hand_over(context, pipeline, giver, taker)


def _hand_over(context: Context, pipeline: Pipeline, giver: Method, taker: Method) -> Yields:
    source, target = output_port(giver, pipeline.output), input_port(taker, pipeline.input)
    if source is None or target is None:
        end = f"{giver.name} output {pipeline.output}"
        if source is not None:
            end = f"{taker.name} input {pipeline.input}"
        yield Unchecked(f"pipeline {pipeline}", f"{end} is no tensor")
        return
    for misfit in misfits(source, target):
        yield _finding(_Ends(giver, taker, source, target), misfit, taker in context.methods)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Both ends of one hand-over."""

    giver: Method
    taker: Method
    source: Port
    target: Port


def _finding(ends: _Ends, misfit: Misfit, local: bool) -> Finding:
    """`local`: the receiving method is in this artifact, and the verdict on it is meant."""
    source, target = ends.source, ends.target
    at, port = (ends.taker, target) if local else (ends.giver, source)
    return Finding(
        message=f"{source.name} ({source.describe()}) feeds {target.name} ({target.describe()}), "
        f"and their {misfit.what} does not fit: {misfit.says}.",
        remediation=_remediation(ends, misfit),
        location=at.location(value=port.value),
        forecast=misfit.forecast if local else None,
        order=(target.index,),
        evidence=_evidence(source, target, misfit.what),
        subject=f"{source.name} to {target.name}: {misfit.what}",
        severity=None if misfit.forecast is not None else Severity.WARNING,
        method=at.name,
        plan=at.index,
    )


def _remediation(ends: _Ends, misfit: Misfit) -> str:
    giver, taker = ends.giver, ends.taker
    devices = ends.source.device, ends.target.device
    if misfit.what == "device" and not any(device.is_host for device in devices):
        return (
            "Lower both methods for one device, which the partitioners' compile specs name:\n\n"
            f"{TARGET_SPEC}"
        )
    if giver.name == taker.name:
        settings = [(giver.name, DeviceSettings(True, True, False, False))]
    else:
        settings = [
            (giver.name, DeviceSettings(skip_d2h=True, alloc_outputs=False)),
            (taker.name, DeviceSettings(skip_h2d=True, alloc_inputs=False)),
        ]
    return (
        "Export both ends with the same element type, sizes and dim order. To hand over on the "
        "device, the first leaves its output there, the second takes it there, and neither "
        f"plans it:\n\n{settings_snippet(settings)}\n\n"
        "To hand over on the host, leave both at the defaults."
    )


def _evidence(source: Port, target: Port, what: str) -> dict[str, Json]:
    return {
        "difference": what,
        "output": {"port": source.name, "is": source.describe(), "planned": source.planned},
        "input": {"port": target.name, "is": target.describe(), "planned": target.planned},
    }


def _likely(methods: Sequence[Method], declared: set[tuple[str, str]]) -> Iterator[Finding]:
    """Device outputs and device inputs of one type and shape on two devices of one kind.

    Nobody has said that one feeds the other; but a device tensor of the same shape is kept for
    somebody, and there it would be on the wrong device.
    """
    device_methods = [m for m in methods if m.placement.is_concerned]
    if len(device_methods) < 2:
        return
    takers = [
        (m, port)
        for m in device_methods
        for port in input_ports(m)
        if not port.device.is_host and not port.planned
    ]
    for giver in device_methods:
        for source in output_ports(giver):
            if source.device.is_host:
                continue
            alike = [
                (m, port)
                for m, port in takers
                if m is not giver and _is_alike(source, port)
                if (giver.name, m.name) not in declared
            ]
            if alike and all(port.device != source.device for _, port in alike):
                taker, target = alike[0]
                misfit = Misfit("device", f"{source.device} is not {target.device}", None)
                yield _finding(_Ends(giver, taker, source, target), misfit, True)


def _is_alike(source: Port, target: Port) -> bool:
    give, take = source.tensor, target.tensor
    return give.scalar_type == take.scalar_type and give.sizes == take.sizes
