"""Describes EthosUBackend blobs: the stream of blocks that Vela's output is packed into.

Facts: backends/arm/runtime/VelaBinStream.cpp (vela_bin_validate, vela_bin_read) and .h (VelaIO),
backends/arm/arm_vela.py (vela_compile, vela_bin_pack_io); the accelerator is a compile spec of
backends/arm/ethosu/compile_spec.py. The command stream is compiled for the device and stays opaque.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from math import prod

from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
    WantedData,
)
from pte_lint.schema.blob.window import OutsideError, Window
from pte_lint.schema.shown_bytes import shown

BACKEND = "EthosUBackend"
MAGIC = (b"vela_bin_stream", 0)
"""What its blobs have, and where."""

_NAME = "Vela stream"
_LAST = b"vela_end_stream"
_BLOCKS = (b"cmd_data", b"weight_data", b"scratch_size", b"inputs", b"outputs")
_KEY_BYTES = 64
_IO = struct.Struct("<9i")
_OPAQUE = "compiled for the backend's own device"
_ACCELERATOR = re.compile(rb"--accelerator-config=([\w-]+)")
_INVALID = "InvalidProgram"


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that EthosUBackend is given.

    Args:
        blob: The blob.
        specs: The delegate's compile specs; Vela's own options are among them.
    """
    if not blob.starts_with(*MAGIC):
        problem = BlobProblem(blob.start, "does not start with vela_bin_stream", _INVALID)
        return BlobFacts("", blob.span, (problem,))
    stream = _Stream(blob)
    try:
        stream.read()
    except OutsideError as error:
        stream.problems.append(BlobProblem(error.at, str(error)))
    inputs, outputs = stream.inputs, stream.outputs
    found = _ACCELERATOR.search(b" ".join(specs.values()))
    requires = (Requirement("accelerator", found[1].decode()),) if found else ()
    return BlobFacts(
        _NAME,
        blob.span,
        tuple(stream.problems),
        None if inputs is None else _arguments(inputs, 0),
        None if outputs is None else _arguments(outputs, len(inputs or ())),
        tuple(stream.wants),
        opaque=_OPAQUE,
        requires=requires,
        scratch=stream.scratch,
        parts=tuple(stream.parts),
    )


_Entry = tuple[tuple[int, ...], int, int]
"""Shape, bytes of an element, and offset in working memory."""


class _Stream:
    """The blocks of one blob, read in order."""

    def __init__(self, blob: Window) -> None:
        self._blob = blob
        self.problems: list[BlobProblem] = []
        self.wants: list[WantedData] = []
        self.inputs: list[_Entry] | None = None
        self.outputs: list[_Entry] | None = None
        self.scratch: int | None = None
        self.parts: list[BlobPart] = []

    def read(self) -> None:
        blob, at = self._blob, 0
        while at < len(blob):
            name = blob.take(at, 16, "a block").partition(b"\0")[0]
            size, external = blob.unpack("<IB", at + 16, "a block")
            end = at + 32 + (size + 15) // 16 * 16
            if end > len(blob):
                self._note(at, f"block {shown(name)} ends at byte {end} of {len(blob)}")
                return
            if name.startswith(_LAST):
                if end != len(blob):
                    rest = f"{len(blob) - end} bytes follow vela_end_stream"
                    self._note(at, rest, _INVALID)
                self._places()
                return
            if external == 1:
                self._external(at, name, size)
            elif at and not name.startswith(_BLOCKS):
                self._note(at, f"block {shown(name)} is unknown", _INVALID)
            else:
                self._block(at + 32, name, size)
            at = end
        self._note(0, "has no vela_end_stream", _INVALID)

    def _note(self, at: int, message: str, error: str | None = None) -> None:
        self.problems.append(BlobProblem(self._blob.start + at, message, error))

    def _external(self, at: int, name: bytes, size: int) -> None:
        if size != _KEY_BYTES:
            self._note(
                at, f"block {shown(name)} has a key of {size} bytes, not {_KEY_BYTES}", _INVALID
            )
            return
        key = self._blob.take(at + 32, size).decode("utf-8", "surrogateescape")
        self.wants.append(WantedData(key, name.decode("ascii", "replace")))

    def _block(self, at: int, name: bytes, size: int) -> None:
        if name.startswith((b"cmd_data", b"weight_data")):
            what = "commands" if name.startswith(b"cmd_data") else "weights"
            self.parts.append(BlobPart(what, size))
        if name.startswith(b"cmd_data"):
            magic = self._blob.look(at, min(4, size))
            if magic not in (b"COP1", b"COP2"):
                self._note(
                    at, f"the commands begin with {shown(magic)}, not COP1 or COP2", _INVALID
                )
        elif name.startswith(b"scratch_size") and size >= 4:
            (self.scratch,) = self._blob.unpack("<I", at)
        elif name.startswith(b"inputs"):
            self.inputs = self._entries(at, "inputs", size)
        elif name.startswith(b"outputs"):
            self.outputs = self._entries(at, "outputs", size)

    def _entries(self, at: int, what: str, size: int) -> list[_Entry] | None:
        if size < 4:
            self._note(at, f"the {what} have no count")
            return None
        (count,) = self._blob.unpack("<i", at)
        if not 0 <= count <= (size - 4) // _IO.size:
            self._note(at, f"{count} {what} do not fit into {size} bytes")
            return None
        content = self._blob.take(at + 4, count * _IO.size)
        found = []
        for *shape, element, offset, _ in _IO.iter_unpack(content):
            found.append((tuple(shape), element, offset))
        return found

    def _places(self) -> None:
        """What is copied to or from working memory has to lie in it; the backend does not look."""
        if self.scratch is None:
            return
        for what, entries in (("input", self.inputs), ("output", self.outputs)):
            for number, (shape, element, offset) in enumerate(entries or ()):
                end = offset + prod(shape) * element
                if offset < 0 or end > self.scratch:
                    message = f"{what} {number} lies at bytes {offset} to {end} of a scratch memory"
                    self._note(0, f"{message} of {self.scratch}")


def _arguments(entries: list[_Entry], first: int) -> tuple[BlobArgument, ...]:
    return tuple(
        BlobArgument(first + n, None, shape, f"offset {offset}", element)
        for n, (shape, element, offset) in enumerate(entries)
    )
