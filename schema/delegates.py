"""What can be read safely of the blobs of known delegates.

A blob belongs to its backend, and most are opaque. What is described here is what the backend's
own loader checks first, so that a blob which is damaged, swapped or made for something else is
recognised, and a delegate call can be compared with the graph it calls.
"""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.schema import blob_aoti, blob_vulkan, blob_xnnpack
from pte_lint.schema.blob_containers import DESCRIBERS
from pte_lint.schema.blob_facts import BlobArgument, BlobFacts, BlobProblem, WantedData
from pte_lint.schema.blob_window import OutsideError, Window
from pte_lint.schema.elf import ElfFacts, read_elf
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take

__all__ = [
    "BlobArgument",
    "BlobFacts",
    "BlobProblem",
    "ElfFacts",
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
        if backend_id == blob_xnnpack.BACKEND:
            return blob_xnnpack.describe(blob)
        if backend_id == blob_vulkan.BACKEND:
            return blob_vulkan.describe(blob)
        if backend_id in blob_aoti.BACKENDS:
            return blob_aoti.describe(blob, specs)
        if backend_id in DESCRIBERS:
            return DESCRIBERS[backend_id](blob)
    except OutsideError as error:
        return BlobFacts("", blob.span, (BlobProblem(error.at, str(error)),))
    except NotFetchedError as error:
        return BlobFacts("", blob.span, opaque=str(error))
    return BlobFacts("", blob.span, opaque=f"the format of {backend_id!r} is not known")


def read_library(buffer: Buffer, span: Span) -> ElfFacts | None:
    """Says which machine a shared library in the file is for; None when it is no ELF image."""
    return read_elf(take(buffer, span.start, span.start + min(span.size, 64)))
