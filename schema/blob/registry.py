"""Readers of blobs by backend id, those that other packages bring included.

A package that brings rules may bring readers too: it calls `register_reader` when its rules are
loaded, so that `--isolated` leaves both out. Built-in readers cannot be replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pte_lint.schema.blob import (
    aoti,
    chips,
    coreai,
    coreml,
    native,
    openvino,
    tensorrt,
    tosa,
    vela,
    vgf,
    vulkan,
    xnnpack,
)
from pte_lint.schema.blob.containers import DESCRIBERS, MLX_MAGIC, MPS_MAGIC
from pte_lint.schema.blob.facts import BlobFacts
from pte_lint.schema.blob.window import Window

Reader = Callable[[Window, Mapping[str, bytes]], BlobFacts]
"""Given the blob and the compile specs, what can be read of it. It reads what it needs of the
window, which raises `OutsideError` beyond the blob, and nothing else; what that costs is bounded by
the blob's size."""


def _without_specs(read: Callable[[Window], BlobFacts]) -> Reader:
    return lambda blob, _: read(blob)


_BUILT_IN: dict[str, Reader] = {
    xnnpack.BACKEND: _without_specs(xnnpack.describe),
    vulkan.BACKEND: vulkan.describe,
    vela.BACKEND: vela.describe,
    tosa.BACKEND: tosa.describe,
    vgf.BACKEND: _without_specs(vgf.describe),
    coreml.BACKEND: coreml.describe,
    tensorrt.BACKEND: _without_specs(tensorrt.describe),
    native.BACKEND: _without_specs(native.describe),
    openvino.BACKEND: openvino.describe,
    coreai.BACKEND: _without_specs(coreai.describe),
    **dict.fromkeys(aoti.BACKENDS, aoti.describe),
    **chips.DESCRIBERS,
    **{name: _without_specs(read) for name, read in DESCRIBERS.items()},
}
_REGISTERED: dict[str, Reader] = {}
_MAGICS = {
    xnnpack.BACKEND: xnnpack.MAGIC,
    vulkan.BACKEND: vulkan.MAGIC,
    vela.BACKEND: vela.MAGIC,
    tosa.BACKEND: tosa.MAGIC,
    vgf.BACKEND: vgf.MAGIC,
    native.BACKEND: native.MAGIC,
    openvino.BACKEND: openvino.MAGIC,
    coreml.BACKEND: coreml.MAGIC,
    tensorrt.BACKEND: (tensorrt.MAGICS[0], 0),
    "MPSBackend": MPS_MAGIC,
    "MLXBackend": MLX_MAGIC,
}


def register_reader(backend_id: str, reader: Reader) -> None:
    """Brings a reader for a backend id.

    Raises:
        ValueError: The id has a built-in reader, or another one was registered.
    """
    if backend_id in _BUILT_IN or _REGISTERED.get(backend_id, reader) is not reader:
        raise ValueError(f"the backend id {backend_id!r} has a reader already")
    _REGISTERED[backend_id] = reader


def reader_of(backend_id: str) -> Reader | None:
    """The reader of a backend id; None where nobody brought one."""
    return _BUILT_IN.get(backend_id) or _REGISTERED.get(backend_id)


def built_in() -> tuple[str, ...]:
    """The backend ids whose readers are part of this package."""
    return tuple(_BUILT_IN)


def is_built_in(backend_id: str) -> bool:
    """Whether the reader of a backend id is part of this package."""
    return backend_id in _BUILT_IN


def maker_of(blob: Window) -> str:
    """The id of the backend that looks for the magic which a blob begins with; "" for no such."""
    return next((name for name, magic in _MAGICS.items() if blob.starts_with(*magic)), "")
