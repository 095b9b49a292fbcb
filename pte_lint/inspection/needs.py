"""What the runner of a program must provide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.context import Context
from pte_lint.data.needs import needs_of
from pte_lint.inspection.code import MethodFacts
from pte_lint.inspection.labels import label
from pte_lint.inspection.model import (
    BackendNeed,
    DeviceNeed,
    ExternalNeed,
    KernelNeed,
    Needs,
    Refusal,
)
from pte_lint.inspection.tensors import Memory, tensor_type
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import boundary_copies

_HOST = "cpu"


def needs(context: Context, facts: Sequence[MethodFacts], report: ArtifactReport | None) -> Needs:
    """Collects what all methods together need.

    Args:
        context: the opened artifact.
        facts: what was found out about its methods, in their order.
        report: the judgement of the same artifact, for the runtimes that run it; None leaves
            those out.
    """
    runtimes, refusals = _runtimes(report)
    return Needs(
        minimum_runtime=runtimes[0] if runtimes else None,
        runtimes=runtimes,
        refusals=refusals,
        backends=_backends(facts),
        kernels=_kernels(facts),
        devices=_devices(context.methods, facts),
        external=external_needs(context, facts),
        given=needs_of(context),
    )


def _runtimes(report: ArtifactReport | None) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
    runs: list[str] = []
    refusals: list[Refusal] = []
    for version, verdicts in (report.runs_on if report else {}).items():
        bad = [v for v in verdicts if v.outcome is not Outcome.OK]
        if not bad:
            runs.append(version)
        refusals.extend(
            Refusal(version, v.method, str(v.stage), str(v.outcome), v.error, v.rule) for v in bad
        )
    return tuple(runs), tuple(refusals)


def _backends(facts: Iterable[MethodFacts]) -> tuple[BackendNeed, ...]:
    delegates: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for method in facts:
        for delegate in method.delegates:
            delegates[delegate.backend] += 1
            calls[delegate.backend] += delegate.calls
    return tuple(BackendNeed(b, n, calls[b]) for b, n in sorted(delegates.items()))


def _kernels(facts: Iterable[MethodFacts]) -> tuple[KernelNeed, ...]:
    calls: Counter[str] = Counter()
    for method in facts:
        for use in method.operators:
            calls[use.operator] += use.calls
    ranked = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    return tuple(KernelNeed(operator, count) for operator, count in ranked)


def _devices(methods: Iterable[Method], facts: Iterable[MethodFacts]) -> tuple[DeviceNeed, ...]:
    planned: Counter[str] = Counter()
    copies: Counter[str] = Counter()
    callers: Counter[str] = Counter()
    for method_facts in facts:
        planned.update(method_facts.planned_bytes)
        for port in chain(method_facts.inputs, method_facts.outputs):
            where = port.residence
            if where is not None and where.memory is Memory.CALLER:
                callers[where.memory_device] += 1
    for method in methods:
        copies.update(str(copy.device(method)) for copy in boundary_copies(method))
    names = sorted((planned.keys() | copies.keys() | callers.keys()) - {_HOST})
    return tuple(DeviceNeed(n, planned[n], copies[n], callers[n]) for n in (_HOST, *names))


def external_needs(context: Context, facts: Iterable[MethodFacts]) -> tuple[ExternalNeed, ...]:
    """The keys that tensors and delegates ask for and the program itself does not have."""
    found: dict[str, ExternalNeed] = {}
    for method in context.methods:
        for v in method.tensors:
            tensor = method.tensor(v)
            if tensor is None or tensor.extra_tensor_info is None or not method.is_external(v):
                continue
            key = label(tensor.extra_tensor_info.fully_qualified_name)
            mutable = tensor.allocation_info is not None
            found.setdefault(key, ExternalNeed(key, tensor_type(tensor), mutable, "tensor"))
    program = context.program
    own = {label(e.key) for e in (program.named_data or () if program else ())}
    for method_facts in facts:
        for delegate in method_facts.delegates:
            for key in delegate.wants:
                if key not in own:
                    by = f"delegate {delegate.backend}"
                    found.setdefault(key, ExternalNeed(key, None, mutable=False, by=by))
    return tuple(found[key] for key in sorted(found))
