"""Collects the facts about one method."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pte_lint.data.blobs import Blob
from pte_lint.inspection.code import (
    ArenaFacts,
    CopyUse,
    DelegateFacts,
    LibraryNeed,
    MethodFacts,
    OperatorUse,
    Port,
    Ports,
    Share,
    SpecFacts,
    StateFacts,
)
from pte_lint.inspection.inside import inside
from pte_lint.inspection.labels import label
from pte_lint.inspection.literals import kind_name, scalar
from pte_lint.inspection.tensors import residence, tensor_type
from pte_lint.ir.device import HOST
from pte_lint.ir.steps import StepKind
from pte_lint.questions.largest_tensors import WORTH_TELLING, largest_tenants
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import boundary_copies
from pte_lint.questions.placement.target_device import delegate_target
from pte_lint.questions.state import SHARED_ARENA, shared_buffers, without_content
from pte_lint.schema.enums import DataLocation
from pte_lint.schema.program import BackendDelegate, CompileSpec

_SPEC_TEXT = 200
"""Characters of a compile spec that are shown."""

_SPEC_HEX = 32
"""Bytes of a compile spec that are shown when it is no text."""


def method_facts(
    method: Method,
    described: Sequence[Blob],
    libraries: Mapping[int, tuple[LibraryNeed, ...]] = MappingProxyType({}),
) -> MethodFacts:
    """Describes one method.

    Args:
        method: The method.
        described: Its delegates' blobs.
        libraries: What its delegates load, by their index; empty where nobody asks.
    """
    kinds = Counter(str(step.kind) for step in method.steps)
    calls = Counter(s.operator for s in method.kernel_calls())
    operators = tuple(
        OperatorUse(label(name), count, is_compute(name))
        for name, count in sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    )
    return MethodFacts(
        name=label(method.name),
        inputs=_ports(method, method.inputs),
        outputs=_ports(method, method.outputs, output=True),
        arenas=tuple(
            ArenaFacts(
                a.memory_id,
                str(a.device),
                a.size,
                largest_tenants(method, a.memory_id) if a.size >= WORTH_TELLING else (),
            )
            for a in method.arenas.values()
        ),
        values=len(method.values),
        instructions=len(method.steps),
        by_kind=dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        operators=operators,
        delegates=_delegates(method, described, libraries),
        copies=_copies(method),
        state=_state(method),
        share=_share(
            kinds[StepKind.DELEGATE], sum(use.calls for use in operators if use.is_compute)
        ),
        planned_bytes=method.planned_bytes(),
    )


def _share(delegates: int, compute: int) -> Share:
    total = delegates + compute
    return Share(delegates, compute, delegates / total if total else None)


def is_compute(operator: str) -> bool:
    """False for prim operators (registered by the runtime itself) and boundary copies."""
    return not operator.startswith(("executorch_prim::", "et_copy::"))


def _ports(method: Method, table: Sequence[int], *, output: bool = False) -> Ports:
    return Ports(table, lambda position, v: _port(method, position, v, output=output))


def _port(method: Method, position: int, v: int, *, output: bool = False) -> Port:
    value, tensor = method.value(v), method.tensor(v)
    literal, is_fixed = (None, False)
    if value is not None and tensor is None and not method.writers(v):
        literal, is_fixed = scalar(value)
    same = method.input_of.get(v) if output and value is not None else None
    return Port(
        position=position,
        value=v,
        kind=kind_name(value),
        type=tensor_type(tensor) if tensor else None,
        residence=residence(method, v),
        literal=literal,
        is_fixed=is_fixed,
        same_as=same,
    )


def _copies(method: Method) -> tuple[CopyUse, ...]:
    count: Counter[str] = Counter()
    nbytes: Counter[str] = Counter()
    for copy in boundary_copies(method):
        if method.flow.reachable[copy.step.index]:
            count[copy.direction] += 1
            nbytes[copy.direction] += copy.nbytes
    return tuple(CopyUse(d, count[d], nbytes[d]) for d in ("h2d", "d2h") if count[d])


def _state(method: Method) -> tuple[StateFacts, ...]:
    found = []
    kept = set(without_content(method))
    for v in method.tensors:
        tensor, loaded = method.tensor(v), method.has_initial_state(v)
        if tensor is None or tensor.allocation_info is None:
            continue
        if not loaded and v not in kept and not method.is_named(v):
            continue
        where = residence(method, v)
        if where is not None:
            writers = dict.fromkeys(label(method.steps[at].operator) for at in method.writers(v))
            found.append(
                StateFacts(v, where.key, tensor_type(tensor), where, loaded, tuple(writers))
            )
    return tuple(found)


def with_shared_state(
    facts: Sequence[MethodFacts], methods: Sequence[Method]
) -> tuple[MethodFacts, ...]:
    """The methods with what they share; `facts` and `methods` are in one order."""
    names: dict[tuple[int, int], tuple[str, ...]] = {}
    for buffer in shared_buffers(methods):
        users = [label(method.name) for method, _ in buffer.uses]
        for n, (method, _) in enumerate(buffer.uses):
            names[method.index, buffer.offset] = tuple(users[:n] + users[n + 1 :])

    def shared(method: Method, state: StateFacts) -> StateFacts:
        where = state.residence
        if where.arena != SHARED_ARENA or where.offset is None:
            return state
        return replace(state, shared_with=names.get((method.index, where.offset), ()))

    return tuple(
        replace(each, state=tuple(shared(method, state) for state in each.state))
        for each, method in zip(facts, methods, strict=True)
    )


def _delegates(
    method: Method,
    described: Sequence[Blob],
    libraries: Mapping[int, tuple[LibraryNeed, ...]],
) -> tuple[DelegateFacts, ...]:
    calls: Counter[int] = Counter()
    arity: dict[int, tuple[int, int]] = {}
    for step in method.delegate_calls():
        calls[step.target] += 1
        outputs = len(step.args) - step.first_output
        arity.setdefault(step.target, (step.first_output, outputs))
    by_index = {blob.index: blob for blob in described}
    found = []
    for index, delegate in enumerate(method.plan.delegates or ()):
        blob, told = by_index.get(index), arity.get(index)
        found.append(
            DelegateFacts(
                index=index,
                backend=label(delegate.id),
                calls=calls[index],
                where=_where(delegate) if blob else "missing",
                blob_size=blob.span.size if blob else 0,
                blob_start=blob.span.start if blob else None,
                device=_device(index, delegate),
                inputs=told[0] if told else None,
                outputs=told[1] if told else None,
                specs=tuple(_spec(spec) for spec in delegate.compile_specs or ()),
                blob_format=(label(blob.facts.format) or None) if blob else None,
                wants=_wants(blob) if blob else (),
                libraries=libraries.get(index, ()),
                **(inside(blob.facts) if blob else {}),
            )
        )
    return tuple(found)


def _where(delegate: BackendDelegate) -> str:
    inline = delegate.processed and delegate.processed.location == DataLocation.INLINE
    return "inline" if inline else "segment"


def _device(index: int, delegate: BackendDelegate) -> str | None:
    target = delegate_target(index, delegate)
    if target.spec is None and target.is_host:
        return None
    return str(HOST) if target.is_host else str(target)


def _wants(blob: Blob) -> tuple[str, ...]:
    """The keys without which the backend does not start, as the file spells them."""
    return tuple(dict.fromkeys(label(w.key) for w in blob.facts.wants if w.required))


def _spec(spec: CompileSpec) -> SpecFacts:
    value = spec.value or b""
    digest = hashlib.sha256(value).hexdigest()
    return SpecFacts(label(spec.key), spec_text(value), len(value), digest)


def spec_text(value: bytes) -> str:
    """Shows a compile spec: the text when it is printable, else its first bytes in hex."""
    try:
        text = value.decode("utf-8") if len(value) <= 16 * _SPEC_TEXT else ""
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and (text or not value):
        return text if len(text) <= _SPEC_TEXT else f"{text[:_SPEC_TEXT]}... ({len(value)} bytes)"
    more = f"... ({len(value)} bytes)" if len(value) > _SPEC_HEX else ""
    return f"0x{value[:_SPEC_HEX].hex()}{more}"
