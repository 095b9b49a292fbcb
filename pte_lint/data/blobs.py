"""The delegates of a method with what can be read of their blobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.data.context import Context
from pte_lint.data.delegate_blobs import Blob
from pte_lint.questions.method import Method, Step
from pte_lint.schema.xnnpack_graph import Graph


def blobs(method: Method, ctx: Context) -> Sequence[Blob]:
    """The delegates of `method` that have an id and a blob inside the file, in order."""
    return ctx.blobs[method.index] if method.index < len(ctx.blobs) else ()


def called_graphs(method: Method, ctx: Context) -> Iterator[tuple[Blob, Graph, Step]]:
    """The XNNPACK graphs that calls reach, each with the first of these calls."""
    calls: dict[int, Step] = {}
    for step in method.delegate_calls():
        if method.flow.reachable[step.index]:
            calls.setdefault(step.target, step)
    for blob in blobs(method, ctx):
        if blob.facts.graph is not None and blob.index in calls:
            yield blob, blob.facts.graph, calls[blob.index]


__all__ = ["Blob", "blobs", "called_graphs"]
