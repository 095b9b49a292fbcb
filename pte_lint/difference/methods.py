"""Compares one method of two programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pte_lint.calling import D2H_COPY, H2D_COPY
from pte_lint.difference import changes as kinds
from pte_lint.difference.changes import Change
from pte_lint.inspection.build import blob_key
from pte_lint.inspection.code import DelegateFacts, MethodFacts, Port, StateFacts
from pte_lint.inspection.methods import is_compute


@dataclass(frozen=True, slots=True)
class MethodSide:
    """A method of one of the two artifacts."""

    facts: MethodFacts
    position: int
    content: Mapping[str, str]
    """Content hashes of the artifact."""
    code: Sequence[str]
    """The canonical instructions."""


def method_changes(before: MethodSide, after: MethodSide) -> Iterator[Change]:
    """Yields the changes of a method that both programs have."""
    old, new = before.facts, after.facts
    found: list[Change] = []
    for title, was, now in (
        ("input", old.inputs, new.inputs),
        ("output", old.outputs, new.outputs),
    ):
        found.extend(_ports(title, was, now))
    delegates = [*_delegation(old, new), *_blobs(before, after)]
    found.extend(_operators(old, new, bool(delegates)))
    found.extend(delegates)
    found.extend(_copies(old, new))
    found.extend(_planned(old, new))
    found.extend(_state(old.state, new.state))
    if not found:
        found.extend(_instructions(before.code, after.code))
    for change in found:
        yield replace(change, method=new.name)


def signature(method: MethodFacts) -> str:
    """Renders `(f32[8,8], Int) -> (f32[8,8])`."""
    inputs = ", ".join(_what(p) for p in method.inputs)
    outputs = ", ".join(_what(p) for p in method.outputs)
    return f"({inputs}) -> ({outputs})"


def _what(port: Port) -> str:
    if port.type is not None:
        return str(port.type)
    return f"{port.kind} {port.literal!r}" if port.is_fixed else port.kind


def _where(port: Port) -> str | None:
    if port.residence is None:
        return None
    memory, device = port.residence.memory_device, port.residence.device
    odd = f" on {memory}" if memory != device else ""
    return f"{device}, {port.residence.memory}{odd}"


def _ports(title: str, old: Sequence[Port], new: Sequence[Port]) -> Iterator[Change]:
    for position in range(max(len(old), len(new))):
        was = old[position] if position < len(old) else None
        now = new[position] if position < len(new) else None
        before, after = (_what(p) if p is not None else None for p in (was, now))
        if before != after:
            yield kinds.SignatureChanged(port=f"{title} {position}", old=before, new=after)
        if was is None or now is None:
            continue
        place, moved = _where(was), _where(now)
        if place is not None and moved is not None and place != moved:
            yield kinds.PlacementChanged(port=f"{title} {position}", old=place, new=moved)


def _operators(old: MethodFacts, new: MethodFacts, delegates_changed: bool) -> Iterator[Change]:
    before = {use.operator: use for use in old.operators}
    after = {use.operator: use for use in new.operators}
    for operator in sorted(before.keys() | after.keys()):
        was, now = before.get(operator), after.get(operator)
        old_calls, new_calls = was.calls if was else 0, now.calls if now else 0
        if old_calls == new_calls or operator in (H2D_COPY, D2H_COPY):
            continue  # boundary copies have a kind of their own
        direction = ""
        if delegates_changed and is_compute(operator):
            if new_calls > old_calls and old.delegates:
                direction = "out of a delegate"
            elif new_calls < old_calls and new.delegates:
                direction = "into a delegate"
        yield kinds.OperatorsChanged(
            operator=operator, old=old_calls, new=new_calls, direction=direction
        )


def _delegation(old: MethodFacts, new: MethodFacts) -> Iterator[Change]:
    before, after = _by_backend(old.delegates), _by_backend(new.delegates)
    for backend in sorted(before.keys() | after.keys()):
        was, now = before.get(backend, []), after.get(backend, [])
        calls = sum(d.calls for d in was), sum(d.calls for d in now)
        if len(was) != len(now) or calls[0] != calls[1]:
            yield kinds.DelegationChanged(
                backend=backend,
                old_delegates=len(was),
                new_delegates=len(now),
                old=calls[0],
                new=calls[1],
            )


def _by_backend(delegates: Iterable[DelegateFacts]) -> dict[str, list[DelegateFacts]]:
    found: dict[str, list[DelegateFacts]] = {}
    for delegate in delegates:
        found.setdefault(delegate.backend, []).append(delegate)
    return found


def _blobs(old: MethodSide, new: MethodSide) -> Iterator[Change]:
    """Compares delegates of one backend in their order; one that is missing has no bytes."""
    before, after = _by_backend(old.facts.delegates), _by_backend(new.facts.delegates)
    for backend in sorted(before.keys() | after.keys()):
        was, now = before.get(backend, []), after.get(backend, [])
        for n in range(max(len(was), len(now))):
            a = was[n] if n < len(was) else None
            b = now[n] if n < len(now) else None
            label = f"{backend}#{n}"
            sizes = a.blob_size if a else 0, b.blob_size if b else 0
            differs = False
            if a is not None and b is not None and sizes[0] == sizes[1]:
                hashes = _hash(old, a), _hash(new, b)
                differs = None not in hashes and hashes[0] != hashes[1]
            if sizes[0] != sizes[1] or differs:
                yield kinds.BlobChanged(
                    delegate=label, old=sizes[0], new=sizes[1], content_differs=differs
                )
            if a is not None and b is not None:
                yield from _specs(label, a, b)


def _hash(side: MethodSide, delegate: DelegateFacts) -> str | None:
    return side.content.get(blob_key(side.position, delegate.index))


def _specs(label: str, old: DelegateFacts, new: DelegateFacts) -> Iterator[Change]:
    before = {spec.key: spec for spec in old.specs}
    after = {spec.key: spec for spec in new.specs}
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        if was is None or now is None or was.sha256 != now.sha256:
            yield kinds.CompileSpecChanged(
                delegate=label,
                key=key,
                old=was.value if was else None,
                new=now.value if now else None,
            )


def _copies(old: MethodFacts, new: MethodFacts) -> Iterator[Change]:
    before = {c.direction: c for c in old.copies}
    after = {c.direction: c for c in new.copies}
    for direction in ("h2d", "d2h"):
        was, now = before.get(direction), after.get(direction)
        if was != now:
            yield kinds.BoundaryCopiesChanged(
                direction=direction,
                old_copies=was.copies if was else 0,
                new_copies=now.copies if now else 0,
                old=was.nbytes if was else 0,
                new=now.nbytes if now else 0,
            )


def _planned(old: MethodFacts, new: MethodFacts) -> Iterator[Change]:
    before, after = old.planned_bytes, new.planned_bytes
    for device in sorted(before.keys() | after.keys()):
        arenas = [
            tuple((a.memory_id, a.size) for a in facts.arenas if a.device == device)
            for facts in (old, new)
        ]
        was, now = before.get(device, 0), after.get(device, 0)
        if was != now or arenas[0] != arenas[1]:
            yield kinds.PlannedBytesChanged(
                device=device, old=was, new=now, old_arenas=arenas[0], new_arenas=arenas[1]
            )


def _state(old: Sequence[StateFacts], new: Sequence[StateFacts]) -> Iterator[Change]:
    before, after = _labelled(old), _labelled(new)
    for label in dict.fromkeys((*after, *before)):
        was, now = before.get(label), after.get(label)
        if was != now:
            yield kinds.StateChanged(name=label, old=was, new=now)


def _labelled(state: Sequence[StateFacts]) -> dict[str, str]:
    """Mutable tensors by name, or by count where they have none."""
    seen: Counter[str] = Counter()
    found = {}
    for entry in state:
        name = entry.name or "unnamed"
        label = f"{name}#{seen[name]}" if entry.name is None or seen[name] else name
        seen[name] += 1
        initial = " with initial data" if entry.has_initial_data else ""
        place = f"{entry.residence.device}, {entry.residence.memory}"
        found[label] = f"{entry.type} {place}{initial}"
    return found


def _instructions(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    if old == new:
        return
    first = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    before, after = (code[first] if first < len(code) else "end" for code in (old, new))
    yield kinds.InstructionsChanged(first=first, old=before, new=after)
