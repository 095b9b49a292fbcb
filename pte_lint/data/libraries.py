"""The shared libraries that delegates name by a key, with what can be read of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.data.named_data import NamedData
from pte_lint.questions.method import Method
from pte_lint.schema.blob.aoti import LIBRARY
from pte_lint.schema.delegates import LibraryFacts, read_library
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span

_FREE_BYTES = 1 << 20
_FACTOR = 4
_TOO_MANY = "more keys name the same libraries than can be read in a time linear in the file"


@dataclass(frozen=True, slots=True)
class DelegateLibrary:
    """A library, the delegate that names it, its key, its bytes in the file, its facts."""

    method: Method
    blob: Blob
    key: str
    span: Span
    facts: LibraryFacts

    @property
    def subject(self) -> str:
        """What findings about it call it."""
        return f"{self.key} of delegate {self.blob.index} ({self.blob.backend})"


def libraries(ctx: Context) -> Sequence[DelegateLibrary]:
    """The libraries in the program, by method and delegate; those of data files are not read."""
    known = ctx.kept.get("libraries")
    if known is None:
        known = ctx.kept["libraries"] = _read(ctx)
    return cast(Sequence[DelegateLibrary], known)


def _read(ctx: Context) -> tuple[DelegateLibrary, ...]:
    wanted = [
        (method, blob, want.key)
        for method in ctx.methods
        for blob in blobs(method, ctx)
        for want in blob.facts.wants
        if want.role == LIBRARY
    ]
    if not wanted:
        return ()
    data, read, found = NamedData(ctx), dict[Span, LibraryFacts](), []
    left = _FREE_BYTES + _FACTOR * len(ctx.artifact.buffer)
    for method, blob, key in wanted:
        span = data.look_up(key).span
        if span is None:
            continue
        if span not in read:
            left -= span.size
            read[span] = (
                read_library(ctx.artifact.buffer, span)
                if left >= 0
                else LibraryFacts("", unread=_TOO_MANY)
            )
        found.append(DelegateLibrary(method, blob, key, span, read[span]))
    return tuple(found)
