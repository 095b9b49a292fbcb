"""The delegates of a method with what can be read of their blobs."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.data.context import Context
from pte_lint.data.delegate_blobs import Blob
from pte_lint.questions.method import Method


def blobs(method: Method, ctx: Context) -> Sequence[Blob]:
    """The delegates of `method` that have an id and a blob inside the file, in order."""
    return ctx.blobs[method.index] if method.index < len(ctx.blobs) else ()


__all__ = ["Blob", "blobs"]
