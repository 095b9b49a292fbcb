"""A tight memory plan for straight-line methods: tensors take the places of dead ones."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.schema.program import DelegateCall, KernelCall, TensorList

from pte_lint.testing.builder import MethodBuilder


def pack(method: MethodBuilder) -> None:
    """Places planned tensors so that those of one arena may share bytes when never both alive.

    Inputs live from the start, outputs and state to the end, everything else from the instruction
    that names it first to the one that names it last. No in-place updates are assumed: an output
    never takes the place of an input of its own instruction.
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for step, each in enumerate(method.instructions):
        call = each.instr_args
        if not isinstance(call, KernelCall | DelegateCall):
            continue
        for value in _spread(method, call.args or ()):
            first.setdefault(value, step)
            last[value] = step
    end = len(method.instructions)
    for value in method.inputs:
        first[value] = -1
        last.setdefault(value, -1)
    for value in method.outputs:
        last[value] = end
    named = set(first)
    for value in _kept(method):
        first[value], last[value] = -1, end
    placed: list[tuple[tuple[int, int], int, int, int, int]] = []
    arenas = {home: n + 1 for n, home in enumerate(sorted({p.home for p in method.placements}))}
    for index, place in enumerate(method.placements):
        if place.value not in named:
            first[place.value], last[place.value] = -1, end
        start, stop = first[place.value], last[place.value]
        offset = 0
        for home, begin, size, a, z in sorted(placed, key=lambda p: p[1]):
            overlaps = offset < begin + size and begin < offset + place.nbytes
            if home == place.home and a <= stop and start <= z and overlaps:
                offset = -(-(begin + size) // 16) * 16
        placed.append((place.home, offset, max(place.nbytes, 1), start, stop))
        method.placements[index] = replace(place, memory_id=arenas[place.home], offset=offset)


def _spread(method: MethodBuilder, args: tuple[int, ...]) -> list[int]:
    found = []
    for value in args:
        content = method.values[value].val
        found += list(content.items or ()) if isinstance(content, TensorList) else [value]
    return found


def _kept(method: MethodBuilder) -> list[int]:
    """State: planned tensors that are read before any instruction writes them."""
    written: set[int] = set(method.inputs)
    kept = []
    for each in method.instructions:
        call = each.instr_args
        if isinstance(call, KernelCall | DelegateCall) and call.args:
            results = {call.args[-1]}
            for value in _spread(method, call.args):
                if value not in written and value not in results:
                    kept.append(value)
            written.update(_spread(method, call.args))
    kept += list(method.initial)
    return [v for v in kept if any(p.value == v for p in method.placements)]
