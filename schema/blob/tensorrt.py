"""Describes TensorRTBackend blobs: JSON metadata and an engine.

Facts: pytorch/TensorRT, cpp/src/torch_tensorrt/executorch (TensorRTBlobHeader.cpp: parse,
TensorRTBackend.cpp: init, execute) and py/torch_tensorrt/executorch (serialization.py, backend.py).
No release of ExecuTorch has this backend itself: Torch-TensorRT brings it since 2.12. Of an engine
only what `trtexec --getPlanVersionOnly` reads is documented (NVIDIA/TensorRT,
samples/common/sampleEngines.cpp: printPlanVersion): its tag and the version it was made with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
)
from pte_lint.schema.blob.window import Window

BACKEND = "TensorRTBackend"
MAGICS = (b"TR01", b"TR02")
VERSION = "TensorRT"
PLATFORM = "platform"
"""What `Requirement.what` says for the version and the platform of an engine."""

_HEADER_BYTES = 32
_ALIGNMENT = 16
_WORD = re.compile(r"[\w.-]{1,40}")
_MOST = 1 << 63
_METADATA_BYTES = 1 << 20
"""More of it is not read: thousands of tensors take a tenth of that."""
_ENGINE_TAG = b"ftrt"
_ENGINE_HEAD = 28
_ALIASES = ("kv_cache_update", "user")
_OPAQUE = "compiled for the backend's own device"
_INVALID = "InvalidProgram"


def describe(blob: Window) -> BlobFacts:
    """Describes a blob that TensorRTBackend is given."""
    magic = blob.look(0, 4)
    if len(blob) < _HEADER_BYTES or magic not in MAGICS:
        message = f"{len(blob)} bytes that begin with {magic!r}, not TR01 or TR02, are no header"
        return BlobFacts("", blob.span, (BlobProblem(blob.start, message, _INVALID),))
    name = f"TensorRT blob {magic.decode()}"
    text_at, text_size, engine_at, engine_size = blob.unpack("<IIIQ", 4)
    message = _misplaced(text_at, text_size, engine_at, engine_size, len(blob))
    if message:
        return BlobFacts(name, blob.span, (BlobProblem(blob.start + 4, message, _INVALID),))
    parts = (BlobPart("metadata", text_size), BlobPart("engine", engine_size))
    if text_size > _METADATA_BYTES:
        return BlobFacts(name, blob.span, parts=parts, opaque=f"metadata of {text_size} bytes")
    problems: list[BlobProblem] = []
    told = _metadata(blob, text_at, text_size, problems)
    inputs, outputs = _bindings(told.get("io_bindings"))
    names = [each.name for each in inputs], [each.name for each in outputs]
    for message in _alias_faults(told.get("aliased_io"), *names):
        problems.append(BlobProblem(blob.start + text_at, message, _INVALID))
    if not engine_size:
        problems.append(BlobProblem(blob.start + 16, "the engine has no bytes", _INVALID))
    return BlobFacts(
        name,
        blob.span,
        tuple(problems),
        tuple(inputs) if told else None,
        tuple(outputs) if told else None,
        requires=(*_engine(blob, engine_at, engine_size), *_machine(told)),
        parts=parts,
        opaque=_OPAQUE,
    )


def _misplaced(text_at: int, text_size: int, engine_at: int, engine_size: int, size: int) -> str:
    """The first check of the loader that fails, in its order; "" for none."""
    if text_at < _HEADER_BYTES:
        return f"the metadata begins at byte {text_at}, inside the header"
    if engine_at % _ALIGNMENT:
        return f"the engine begins at byte {engine_at}, which is no multiple of {_ALIGNMENT}"
    if text_at + text_size > size:
        return f"the metadata ends at byte {text_at + text_size} of {size}"
    # The loader's sum has 64 bits.
    end = (engine_at + engine_size) % (1 << 64)
    if end > size:
        return f"the engine ends at byte {end} of {size}"
    if text_at + text_size > engine_at:
        return f"the metadata ends at byte {text_at + text_size}, behind the engine's first byte"
    return ""


def _metadata(blob: Window, at: int, size: int, problems: list[BlobProblem]) -> dict[str, Any]:
    text = blob.take(at, size, "the metadata")
    if b'"io_bindings"' not in text:
        message = "the metadata has no io_bindings"
        problems.append(BlobProblem(blob.start + at, message, _INVALID))
        return {}
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict) and isinstance(told.get("io_bindings"), list):
        return told
    # The loader's own reader is lenient: what it makes of this is not known.
    problems.append(BlobProblem(blob.start + at, "the metadata is no JSON that lists bindings"))
    return {}


def _bindings(entries: Any) -> tuple[list[BlobArgument], list[BlobArgument]]:
    """Inputs and outputs in the order of the delegate's arguments: all inputs first."""
    found: tuple[list[BlobArgument], list[BlobArgument]] = [], []
    for entry in entries or ():
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            continue
        if entry["name"]:
            found[entry.get("is_input") is not True].append(_argument(entry))
    inputs, outputs = found
    return (
        [_placed(each, n) for n, each in enumerate(inputs)],
        [_placed(each, len(inputs) + n) for n, each in enumerate(outputs)],
    )


def _argument(entry: dict[str, Any]) -> BlobArgument:
    dtype, shape = entry.get("dtype"), entry.get("shape")
    sizes = None
    # Torch-TensorRT leaves both empty: the engine knows them.
    if isinstance(shape, list) and shape and all(_is_number(size) for size in shape):
        sizes = tuple(shape)
    return BlobArgument(None, dtype if _is_word(dtype) else None, sizes, name=entry["name"])


def _is_word(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _is_number(value: Any) -> bool:
    return type(value) is int and -_MOST <= value < _MOST


def _placed(argument: BlobArgument, index: int) -> BlobArgument:
    return BlobArgument(index, argument.dtype, argument.sizes, name=argument.name)


def _alias_faults(entries: Any, inputs: list[str], outputs: list[str]) -> Iterator[str]:
    """What `init` refuses of outputs that share an input's memory."""
    if not isinstance(entries, list):
        return
    known_in, known_out = set(inputs), set(outputs)
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        output, source = entry.get("output"), entry.get("input")
        kind = entry.get("kind") or _ALIASES[0]
        if not output or not source:
            continue
        if output not in known_out or source not in known_in:
            yield f"aliased_io pairs output {output!r} with input {source!r}, which are no bindings"
            return
        if kind not in _ALIASES:
            yield f"aliased_io of output {output!r} has the unknown kind {kind!r}"
            return


def _engine(blob: Window, at: int, size: int) -> tuple[Requirement, ...]:
    """The version that an engine of the documented form was made with: serialisation version 0."""
    head = blob.look(at, min(size, _ENGINE_HEAD))
    if len(head) < _ENGINE_HEAD or not head.startswith(_ENGINE_TAG) or any(head[4:8]):
        return ()
    return (Requirement(VERSION, ".".join(str(number) for number in head[24:28])),)


def _machine(told: dict[str, Any]) -> Iterator[Requirement]:
    platform = told.get("target_platform")
    if _is_word(platform):
        yield Requirement(PLATFORM, platform)
    if _is_number(told.get("device_id")):
        yield Requirement("CUDA device", str(told["device_id"]))
    if told.get("hardware_compatible") is True:
        yield Requirement("GPU", "any that hardware compatibility covers")
