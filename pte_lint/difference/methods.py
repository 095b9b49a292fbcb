"""Compares one method of two programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pte_lint.difference import changes as kinds
from pte_lint.difference.changes import Change
from pte_lint.difference.delegates import Moves, blobs, delegation
from pte_lint.difference.sides import MethodSide
from pte_lint.inspection.code import MethodFacts, Port, StateFacts
from pte_lint.inspection.methods import is_compute
from pte_lint.ir.calling import D2H_COPY, H2D_COPY


def method_changes(before: MethodSide, after: MethodSide) -> Iterator[Change]:
    """Yields the changes of a method that both programs have."""
    old, new = before.facts, after.facts
    found: list[Change] = []
    for title, was, now in (
        ("input", old.inputs, new.inputs),
        ("output", old.outputs, new.outputs),
    ):
        found.extend(_ports(title, was, now))
    delegates = [*delegation(old, new), *blobs(before, after)]
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
    if old == new:
        return  # the value that a hostile file lists thousands of times needs no look for each
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
    before = {use.operator: use.calls for use in old.operators}
    after = {use.operator: use.calls for use in new.operators}
    may = Moves.between(old, new) if delegates_changed else Moves()
    for operator in sorted(before.keys() | after.keys()):
        was, now = before.get(operator, 0), after.get(operator, 0)
        if was == now or operator in (H2D_COPY, D2H_COPY):
            continue  # boundary copies have a kind of their own
        direction = ""
        if is_compute(operator):
            if now > was and may.out_of_delegate:
                direction = "out of a delegate"
            elif now < was and may.into_delegate:
                direction = "into a delegate"
        yield kinds.OperatorsChanged(operator=operator, old=was, new=now, direction=direction)


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
