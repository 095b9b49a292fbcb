"""What a program could promise: its facts in the form of a contract.

A program is held against a contract by making its own and comparing the two, so the contract of a
file is one that the file keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.data.multiply_adds import delegated_multiply_adds, host_multiply_adds
from pte_lint.inspection import code
from pte_lint.inspection.code import MethodFacts
from pte_lint.inspection.labels import label
from pte_lint.inspection.layout import key_sizes
from pte_lint.inspection.methods import method_facts
from pte_lint.inspection.needs import external_needs
from pte_lint.questions.method import Method
from pte_lint.rulebook import contract_model as model

ALL: Final = "all"
_HOST: Final = "cpu"


def contract_of(context: Context) -> model.Contract:
    """The contract that a program keeps, and that one which is worse in anything breaks."""
    facts = facts_by_name(context)
    return model.Contract.of(
        methods={
            name: model.Method.of(
                inputs=ports(each.inputs),
                outputs=ports(each.outputs),
                **_work(method, each, context) if each.instructions else {},
            )
            for name, (method, each) in facts.items()
        },
        state=states(each for _, each in facts.values()),
        external=tuple(sorted(external(context, facts))) or None,
        most_bytes=file_bytes(context),
        most_planned=planned(each for _, each in facts.values()),
    )


def with_headroom(contract: model.Contract, percent: int) -> model.Contract:
    """A copy that lets sizes grow by so many percent."""

    def more(sizes: dict[str, int] | None) -> dict[str, int] | None:
        return None if sizes is None else {key: _more(size) for key, size in sizes.items()}

    def _more(size: int) -> int:
        return size + size * percent // 100

    methods = {}
    for name, method in contract.methods.items():
        largest = method.largest_tensor
        grown = {
            "most_planned": more(method.most_planned),
            "most_copied": more(method.most_copied),
            "largest_tensor": None if largest is None else _more(largest),
        }
        methods[name] = method.model_copy(update=grown)
    sizes = {"most_bytes": more(contract.most_bytes), "most_planned": more(contract.most_planned)}
    return contract.model_copy(update={"methods": methods, **sizes})


def _work(method: Method, facts: MethodFacts, context: Context) -> dict[str, object]:
    """What a method promises that does more than return numbers."""
    least = delegated(method, facts, context)
    return {
        "backends": backends(facts),
        "least_delegated": model.Delegated.of(**{k: v for k, v in least if v}),
        "host_operators": host_operators(facts),
        "most_planned": planned([facts]),
        "most_copied": copied(facts) if facts.copies else None,
        "largest_tensor": largest_tensor(method)[0],
    }


def facts_by_name(context: Context) -> dict[str, tuple[Method, MethodFacts]]:
    """The methods by name; of equal names the first, which is the one that the runtime finds."""
    found: dict[str, tuple[Method, MethodFacts]] = {}
    for method, facts in zip(context.methods, _facts(context), strict=True):
        found.setdefault(label(method.name), (method, facts))
    return found


def _facts(context: Context) -> Sequence[MethodFacts]:
    """What is told of each method: worked out once for all rules that ask."""
    known = context.kept.get("facts")
    if known is None:
        methods = context.methods
        known = context.kept["facts"] = [method_facts(m, blobs(m, context)) for m in methods]
    return cast("Sequence[MethodFacts]", known)


def ports(given: Iterable[code.Port]) -> tuple[model.Port, ...]:
    """Inputs or outputs, in order."""
    return tuple(_port(each) for each in given)


def _port(port: code.Port) -> model.Port:
    if port.type is None:
        return model.Port.of(kind=port.kind, value=port.literal if port.is_fixed else None)
    told, where = port.type, port.residence
    order = told.dim_order if told.dim_order is not None else tuple(range(len(told.sizes)))
    return model.Port.of(
        kind=port.kind,
        dtype=told.dtype,
        shape=told.sizes,
        dynamic=told.dynamism != "static",
        dim_order=order,
        device=where.device if where is not None else None,
        memory=str(where.memory) if where is not None else None,
    )


def backends(facts: MethodFacts) -> tuple[str, ...]:
    """The backends that a method calls, with their devices, each once, sorted."""
    called = (each for each in facts.delegates if each.calls)
    return tuple(sorted({_on_device(each) for each in called}))


def _on_device(delegate: code.DelegateFacts) -> str:
    is_host = delegate.device in (None, _HOST)
    return delegate.backend if is_host else f"{delegate.backend} on {delegate.device}"


def host_operators(facts: MethodFacts) -> tuple[str, ...]:
    """The operators that compute on the host, sorted."""
    return tuple(sorted(use.operator for use in facts.operators if use.is_compute))


def delegated(method: Method, facts: MethodFacts, context: Context) -> model.Delegated:
    """The share of a method that delegates take; None where a blob does not tell what is inside,
    or where there is nothing to share."""
    described = [blob for blob in blobs(method, context) if blob.index in _called(method)]
    adds = delegated_multiply_adds(method, described)
    return model.Delegated.of(
        calls=_share(facts.share.delegate_calls, facts.share.compute_calls),
        operators=_operators(facts),
        bytes=_bytes(method, described, context),
        multiply_adds=None if adds is None else _share(adds, host_multiply_adds(method)),
    )


def _called(method: Method) -> set[int]:
    return {step.target for step in method.delegate_calls()}


def _operators(facts: MethodFacts) -> float | None:
    called = [each for each in facts.delegates if each.calls]
    if not all(each.operators for each in called):
        return None
    inside = sum(each.calls * sum(use.count for use in each.operators) for each in called)
    return _share(inside, facts.share.compute_calls)


def _bytes(method: Method, described: Iterable[Blob], context: Context) -> float | None:
    known = key_sizes(context)
    spans: dict[object, int] = {}
    for blob in described:
        spans[blob.span] = blob.span.size
        for want in blob.facts.wants:
            spans[want.key] = known.get(label(want.key), 0)
    host: dict[object, int] = {}
    for v in (*method.constants, *method.externals):
        tensor = method.tensor(v)
        if tensor is not None and (method.readers(v) or method.is_output[v]):
            extra = tensor.extra_tensor_info
            name = (
                extra.fully_qualified_name if extra is not None and method.is_external(v) else None
            )
            host[name or tensor.data_buffer_idx] = method.nbytes(v)
    return _share(sum(spans.values()), sum(host.values()))


def _share(inside: int, outside: int) -> float | None:
    """In thousandths, rounded down: as exactly as it is written."""
    return inside * 1000 // (inside + outside) / 1000 if inside + outside else None


def planned(facts: Iterable[MethodFacts]) -> dict[str, int]:
    """Planned bytes by device, and of all together."""
    total: dict[str, int] = {}
    for each in facts:
        for device, nbytes in each.planned_bytes.items():
            total[device] = total.get(device, 0) + nbytes
    return {ALL: sum(total.values()), **total}


def copied(facts: MethodFacts) -> dict[str, int]:
    """The bytes of boundary copies by direction, and of all."""
    by_direction = {use.direction: use.nbytes for use in facts.copies}
    return {ALL: sum(by_direction.values()), **by_direction}


def largest_tensor(method: Method) -> tuple[int, int]:
    """The bytes of the largest tensor, and its value."""
    return max(((method.nbytes(v), v) for v in method.tensors), default=(0, -1))


def file_bytes(context: Context) -> dict[str, int]:
    """The file's size, and by device what of it is blobs and keys of delegates there."""
    found: dict[str, dict[object, int]] = {}
    known = key_sizes(context)
    for method, facts in zip(context.methods, _facts(context), strict=True):
        targets = {each.index: each.device for each in facts.delegates}
        for blob in blobs(method, context):
            device = targets.get(blob.index)
            if device is None or device == _HOST:
                continue
            mine = found.setdefault(device, {})
            mine[blob.span] = blob.span.size
            for want in blob.facts.wants:
                mine[want.key] = known.get(label(want.key), 0)
    by_device = {device: sum(parts.values()) for device, parts in sorted(found.items())}
    return {ALL: context.artifact.size, **by_device}


def states(facts: Iterable[MethodFacts]) -> tuple[model.State, ...]:
    """The buffers that keep their content, over all methods; those without a name are counted."""
    by_name: dict[str, list[tuple[str, code.StateFacts]]] = {}
    for each in facts:
        unnamed = 0
        for state in each.state:
            name = state.name or f"buffer {unnamed}"
            unnamed += not state.name
            by_name.setdefault(name, []).append((each.name, state))
    return tuple(_state(name, by_name[name]) for name in sorted(by_name))


def _state(name: str, uses: list[tuple[str, code.StateFacts]]) -> model.State:
    places = {(s.residence.arena, s.residence.offset, s.type.nbytes) for _, s in uses}
    methods = tuple(dict.fromkeys(method for method, _ in uses))
    _, first = uses[0]
    return model.State.of(
        name=name,
        methods=methods,
        dtype=first.type.dtype,
        shape=first.type.sizes,
        shared=len(methods) > 1 and len(places) == 1,
        initial_content=all(state.has_initial_data for _, state in uses),
    )


def external(context: Context, facts: Mapping[str, tuple[Method, MethodFacts]]) -> set[str]:
    """The keys that data files must bring."""
    return {each.key for each in external_needs(context, [f for _, f in facts.values()])}
