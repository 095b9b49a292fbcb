"""Whether what an XNNPACK delegate wrote is what its graph computes."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import torch

from pte_lint.harness.reference.apart import apart
from pte_lint.harness.reference.tolerances import OF_DELEGATES
from pte_lint.harness.reference.xnnpack.constants import Constants, NotComputed
from pte_lint.harness.reference.xnnpack.evaluate import Computed, Evaluator
from pte_lint.harness.reference.xnnpack.values import PLAIN, WHOLE, Place
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span
from pte_lint.schema.xnnpack_graph import EXTERNAL_INPUT, EXTERNAL_OUTPUT
from pte_lint.schema.xnnpack_values import Dtype

_BACKEND: Final = "XnnpackBackend"
_ROOM: Final = 2
"""What nudged roundings make of a result may be so many times as far in another direction."""


Arguments = Sequence[tuple[Any, Sequence[int]]]
"""Stored elements, of what is a tensor, with their dim orders."""


@lru_cache(maxsize=8)
def evaluator(path: str, size: int, named: tuple[tuple[str, int, int], ...]) -> Evaluator:
    """What computes the graph of a blob.

    Args:
        path: A file that begins with the blob.
        size: Its bytes.
        named: Keys of named data with where they are in the file, and their bytes.

    Raises:
        NotComputed: It cannot be computed.
    """
    with Path(path).open("rb") as file:
        buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    facts = describe_blob(_BACKEND, buffer, Span(0, size), {})
    if facts.graph is None:
        raise NotComputed("its graph cannot be read")
    spans = {key: Span(start, length) for key, start, length in named}
    return Evaluator(Constants(facts.graph, buffer, facts.graph_constants, spans))


def answer(delegate: Mapping[str, Any], args: Arguments) -> dict[str, Any]:
    """As the worker answers: `status` equal, differs or none, and how far it is off.

    Args:
        delegate: `file`, `size` and `named` as `evaluator` takes them.
        args: All arguments of the call, after it.

    Raises:
        NotComputed: The graph, or what becomes of these arguments, cannot be computed.
    """
    named = tuple((key, start, size) for key, (start, size) in sorted(delegate["named"].items()))
    return judged(evaluator(delegate["file"], delegate["size"], named), args)


def judged(graph: Evaluator, args: Arguments) -> dict[str, Any]:
    """As `answer`, of a graph at hand."""
    given = {}
    for at in graph.externals(EXTERNAL_INPUT):
        stored, order = _argument(args, at)
        given[at] = stored.permute(tuple(order))  # XNNPACK takes sizes as they lie
    computed = graph(given)
    nudged: list[Computed] = []
    differs = {"status": "differs", "of": "what its graph computes"}
    tells = False
    for number, (at, place) in enumerate(graph.externals(EXTERNAL_OUTPUT).items()):
        got, order = _argument(args, at)
        back = sorted(range(len(order)), key=order.__getitem__)
        if len(back) != computed.outputs[at].dim():
            text = f"it has {len(back)} dimensions, its graph gives {computed.outputs[at].dim()}"
            return {**differs, "output": number, "reason": text}
        want = _as(got, computed.outputs[at].permute(back), place)
        if got.shape != want.shape:
            text = f"sizes are {list(got.shape)}, its graph gives {list(want.shape)}"
            return {**differs, "output": number, "reason": text}
        relative, absolute = _allowed(graph, place)
        off = apart(got, want, relative, absolute, of_largest=True)
        if off is not None and graph.rounds:
            if not nudged:
                nudged = [graph(given, nudge) for nudge in (-1, 1)]
            spread = max(_furthest(each.outputs[at], computed.outputs[at]) for each in nudged)
            off = apart(got, want, relative, absolute + _ROOM * spread, of_largest=True)
        if off is not None and computed.has_nan:
            raise NotComputed("a NaN comes up inside, of which kernels make what they like")
        if off is not None:
            return {**differs, "output": number, **off}
        tells = tells or (got.numel() > 1 and bool((got != got.flatten()[0]).any()))
    return {"status": "equal", "tells": tells}


def _argument(args: Arguments, at: int) -> tuple[torch.Tensor, Sequence[int]]:
    made, order = args[at] if at < len(args) else (None, ())
    if not isinstance(made, torch.Tensor):
        raise NotComputed(f"argument {at} is no tensor")
    return made, order


def _as(got: torch.Tensor, want: torch.Tensor, place: Place) -> torch.Tensor:
    """What was computed in the type of what was written; the backend widens int32 to int64."""
    known = PLAIN.get(place.dtype) or WHOLE.get(place.dtype)
    if got.dtype != known and not (known == torch.int32 and got.dtype == torch.int64):
        raise NotComputed(f"an output of {got.dtype} where the graph gives {known}")
    return want.to(got.dtype)


def _allowed(graph: Evaluator, place: Place) -> tuple[float, float]:
    if place.dtype in WHOLE:
        return 0.0, 1.0
    precision = graph.precision if place.dtype is Dtype.FP32 else place.dtype
    return OF_DELEGATES.get(precision.name.lower(), (0.0, 0.0))


def _furthest(one: torch.Tensor, other: torch.Tensor) -> float:
    difference = (one.double() - other.double()).abs().nan_to_num(nan=0.0, posinf=0.0)
    return float(difference.max()) if difference.numel() else 0.0
