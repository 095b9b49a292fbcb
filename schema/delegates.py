"""What can be read safely of the blobs of known delegates.

A blob belongs to its backend, and most are opaque. What is described here is what the backend's
own loader checks first, so that a blob which is damaged, swapped or made for something else is
recognised, and a delegate call can be compared with the graph it calls.
"""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobProblem, WantedData
from pte_lint.schema.blob.library import LibraryFacts, describe_library
from pte_lint.schema.blob.registry import is_built_in, maker_of, reader_of
from pte_lint.schema.blob.window import OutsideError, Window
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer

__all__ = [
    "BlobArgument",
    "BlobFacts",
    "BlobProblem",
    "LibraryFacts",
    "WantedData",
    "describe_blob",
    "read_library",
]

_NO_SPECS: Mapping[str, bytes] = {}


def describe_blob(
    backend_id: str,
    buffer: Buffer,
    span: Span,
    specs: Mapping[str, bytes] = _NO_SPECS,
) -> BlobFacts:
    """Describes the blob that a backend is given as `processed`.

    Args:
        backend_id: The delegate's id.
        buffer: The file; only the blob's own structure is read, not the weights in it.
        span: The blob's bytes in the file; must lie inside it.
        specs: The delegate's compile specs, key to bytes.

    Returns:
        What was found. `format` is "" for an unknown backend, and for a blob that its backend does
        not recognise. Nothing about the content raises.
    """
    return _describe(backend_id, Window(buffer, span), specs)


def _describe(backend_id: str, blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    try:
        reader = reader_of(backend_id)
        if reader is not None:
            return reader(blob, specs)
        made_by = maker_of(blob)
    except OutsideError as error:
        return BlobFacts("", blob.span, (BlobProblem(error.at, str(error)),))
    except NotFetchedError as error:
        return BlobFacts("", blob.span, opaque=str(error))
    except Exception as error:
        if is_built_in(backend_id):
            raise
        return BlobFacts("", blob.span, unread=f"the reader of {backend_id!r} failed: {error!r}")
    opaque = f"the format of {backend_id!r} is not known"
    return BlobFacts("", blob.span, opaque=opaque, made_by=made_by)


def read_library(buffer: Buffer, span: Span) -> LibraryFacts:
    """Describes a shared library in the file, which a delegate names by a key.

    Args:
        buffer: The file; headers, tables and heads of code are read, and no code.
        span: The library's bytes in the file; must lie inside it.
    """
    try:
        return describe_library(Window(buffer, span))
    except NotFetchedError as error:
        return LibraryFacts("", unread=str(error))
