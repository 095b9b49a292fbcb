"""An edited program as the file it was in: alone, or inside of a bundle."""

from __future__ import annotations

from pte_lint.data.context import Context
from pte_lint.edits.draft import Draft
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.pieced import PiecedBytes
from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.ranges import Buffer
from pte_lint.schema.writer.bundle_file import write_bundle
from pte_lint.schema.writer.pieces import Piece
from pte_lint.schema.writer.program_file import Source


def draft_of(context: Context, content: PiecedBytes) -> Draft:
    """A draft of the program in a file.

    Raises:
        EditError: There is none.
    """
    if context.loaded is None:
        raise EditError("there is no program to change")
    return Draft(Source(context.loaded, content))


def rewritten(draft: Draft, context: Context, content: PiecedBytes, source: Buffer) -> PiecedBytes:
    """The file with the draft in the program's place.

    Args:
        draft: What was made of the program.
        context: The file's.
        content: Its bytes.
        source: What the pieces of these are ranges of.

    Raises:
        EditError: It cannot be written.
    """
    pieces: list[Piece] = list(draft.pieces())
    if context.bundle is not None:
        try:
            pieces = [write_bundle(context.bundle, pieces, content)]
        except UnwritableError as exc:
            raise EditError(str(exc)) from exc
    return PiecedBytes(content.resolved(pieces), source)
