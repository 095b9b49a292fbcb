"""Describes the blobs of the AOTInductor backends, CudaBackend and MetalBackend.

Such a blob holds no code: it names a shared library and weights in the named data map. Facts:
backends/aoti/aoti_delegate_handle.h (resolve_blob_keys), backends/cuda/runtime/cuda_backend.cpp
(init, load_constants_legacy), and the 1.5 wheel's backends/cuda/cuda_weight_collector.py
(encode_cuda_weight_metadata).
"""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.schema.blob.facts import BlobConstant, BlobFacts, BlobProblem, WantedData
from pte_lint.schema.blob.window import OutsideError, TooLargeError, Window
from pte_lint.schema.enums import dtype_name, element_size

BACKENDS = ("CudaBackend", "MetalBackend")

LIBRARY = "shared library"
WEIGHTS = "weights"
OPAQUE = "what the generated library takes and gives is inside its code"

_MAGIC = b"ETCUDAFQN"
_KNOWN_VERSION = b"3"
_DEVICES = (0, 1)
"""AOTI_DEVICE_TYPE_CPU and AOTI_DEVICE_TYPE_CUDA of cuda_weight_collector.py."""
# Keys are hex digests with a suffix; this is room to spare, and keeps a text search short.
_LONGEST_LINES = 65_536
_MOST_WEIGHTS = 1_000_000


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that an AOTInductor backend is given.

    Args:
        blob: The blob.
        specs: The delegate's compile specs; `method_name` names the keys of an empty blob.
    """
    if len(blob) == 0:
        method = specs.get("method_name", b"").decode("utf-8", "surrogateescape")
        prefix = f"{method}_" if method else ""
        wants = (
            WantedData(f"{prefix}so_blob", LIBRARY),
            WantedData(f"{prefix}weights_blob", WEIGHTS),
        )
        return BlobFacts("AOTI keys by method name", blob.span, wants=wants, opaque=OPAQUE)
    if blob.starts_with(_MAGIC):
        return _weight_table(blob)
    return _key_lines(blob)


def _key_lines(blob: Window) -> BlobFacts:
    text = blob.take(0, min(len(blob), _LONGEST_LINES))
    library, newline, weights = text.partition(b"\n")
    if not newline:
        message = "it is neither empty, nor two keys on two lines, nor a payload that is known"
        return BlobFacts("", blob.span, (BlobProblem(blob.start, message, "Internal", "1.4"),))
    wants = (WantedData(_key(library), LIBRARY), WantedData(_key(weights), WEIGHTS))
    return BlobFacts("AOTI key lines", blob.span, wants=wants, opaque=OPAQUE)


def _key(text: bytes) -> str:
    """Returns a key as the map is asked for it: up to the first zero byte."""
    return text.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _weight_table(blob: Window) -> BlobFacts:
    """Describes the payload of 1.5: the library's key, then each weight with its own key."""
    version = blob.look(len(_MAGIC), 1)
    name = f"CUDA weight table {version.decode('ascii', 'replace')}"
    if version != _KNOWN_VERSION:
        message = f"payload version {version!r} is not the known {_KNOWN_VERSION!r}"
        return BlobFacts(name, blob.span, (BlobProblem(blob.start, message),), opaque=OPAQUE)
    wants: list[WantedData] = []
    constants: list[BlobConstant] = []
    problems: list[BlobProblem] = []
    unread = ""
    try:
        end = _read_weights(blob, wants, constants, problems)
        if end != len(blob):
            message = f"{len(blob) - end} bytes follow the last weight"
            problems.append(BlobProblem(blob.start + end, message))
    except TooLargeError as error:
        unread = str(error)
    except OutsideError as error:
        problems.append(BlobProblem(error.at, str(error)))
    return BlobFacts(
        name,
        blob.span,
        tuple(problems),
        unread=unread,
        wants=tuple(wants),
        opaque=OPAQUE,
        constants=tuple(constants),
    )


def _read_weights(
    blob: Window,
    wants: list[WantedData],
    constants: list[BlobConstant],
    problems: list[BlobProblem],
) -> int:
    """Notes the library's key and each weight; returns where the table ends."""
    key, at = _string(blob, len(_MAGIC) + 1, "the library's key")
    wants.append(WantedData(key, LIBRARY))
    (count,) = blob.unpack("<I", at, "the number of weights")
    at += 4
    for number in range(count):
        if number >= _MOST_WEIGHTS:
            raise TooLargeError(blob.start + at, "the table of weights")
        name, at = _string(blob, at, "a weight's name")
        key, at = _string(blob, at, "a weight's key")
        first = at
        size, dtype, device, offset, rank = blob.unpack("<QiiqI", at, "a weight's metadata")
        at += 28
        blob.take(at, 0, "a weight's shape")
        if rank * 16 > len(blob) - at:
            raise OutsideError(blob.start + at, "a weight's shape")
        sizes = blob.unpack(f"<{rank}q", at, "a weight's shape")
        strides = blob.unpack(f"<{rank}q", at + 8 * rank, "a weight's shape")
        at += rank * 16
        wants.append(WantedData(key, WEIGHTS, size))
        constants.append(BlobConstant(name, dtype_name(dtype), sizes, size, key))
        needs = _end(sizes, strides, offset) * (element_size(dtype) or 1)
        if device not in _DEVICES:
            message = f"weight {name!r} is for device type {device}, neither cpu (0) nor cuda (1)"
            problems.append(BlobProblem(blob.start + first, message))
        elif needs > size:
            message = f"weight {name!r} takes {needs} bytes of a storage of {size}"
            problems.append(BlobProblem(blob.start + first, message))
    return at


def _end(sizes: tuple[int, ...], strides: tuple[int, ...], offset: int) -> int:
    """Elements of a storage that a tensor reaches to; negative steps and sizes reach nowhere."""
    if any(size <= 0 for size in sizes):
        return 0
    reach = sum((n - 1) * max(step, 0) for n, step in zip(sizes, strides, strict=True))
    return max(offset, 0) + reach + 1


def _string(blob: Window, at: int, what: str) -> tuple[str, int]:
    (length,) = blob.unpack("<I", at, what)
    return blob.take(at + 4, length, what).decode("utf-8", "surrogateescape"), at + 4 + length
