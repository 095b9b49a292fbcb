"""Blobs that are one flatbuffer from their first byte to their last."""

from __future__ import annotations

from pte_lint.schema.binding import Binding
from pte_lint.schema.blob.facts import UNREAD, BlobFacts, BlobProblem
from pte_lint.schema.blob.window import Window
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.violations import is_exhausted


def read_graph(
    blob: Window, magic: tuple[bytes, int], name: str, binding: Binding
) -> tuple[object, list[BlobProblem]] | BlobFacts:
    """The root table and what is wrong with those below; facts where there is no more to say.

    Args:
        blob: The blob.
        magic: Its identifier, and where that stands.
        name: What the format is called.
        binding: The tables to keep.
    """
    if not blob.starts_with(*magic):
        identifier, at = magic
        message = f"identifier {blob.look(at, 4)!r} is not {identifier.decode()}"
        return BlobFacts("", blob.span, (BlobProblem(blob.start + min(at, len(blob)), message),))
    with blob.part(0, len(blob)) as window:
        decoded = decode(window, binding, origin=blob.start)
    if is_exhausted(decoded.violations):
        return BlobFacts(name, blob.span, unread=UNREAD)
    problems = [
        BlobProblem(found.at, f"{found.path or 'graph'}: {found.message}")
        for found in decoded.violations
    ]
    if decoded.root is None or any(found.hard for found in decoded.violations):
        return BlobFacts(name, blob.span, tuple(problems))
    return decoded.root, problems
