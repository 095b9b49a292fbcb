"""Blobs as Torch-TensorRT packs them around an engine."""

from __future__ import annotations

import json
import struct
from typing import Any

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program


def engine(version: tuple[int, int, int, int] = (10, 13, 3, 9), tag: bytes = b"ftrt") -> bytes:
    """The documented head of an engine, and nothing behind it."""
    return tag + bytes(20) + bytes(version) + bytes(36)


def metadata(**fields: Any) -> dict[str, Any]:
    """What the exporter writes down of an engine with one input and one output."""
    return {
        "io_bindings": [
            {"name": "x", "dtype": "", "shape": [], "is_input": True},
            {"name": "output0", "dtype": "", "shape": [], "is_input": False},
        ],
        "aliased_io": [],
        "hardware_compatible": False,
        "device_id": 0,
        "serialized_metadata": "",
        "target_platform": "linux_x86_64",
        **fields,
    }


def tensorrt_blob(
    content: bytes | None = None,
    told: dict[str, Any] | bytes | None = None,
    *,
    magic: bytes = b"TR01",
    **places: int,
) -> bytes:
    """A whole blob; `places` replaces numbers of the header."""
    content = engine() if content is None else content
    text = told if isinstance(told, bytes) else b""
    if not isinstance(told, bytes):
        text = json.dumps(told or metadata(), separators=(",", ":")).encode()
    at = (32 + len(text) + 15) // 16 * 16
    numbers = {"text_at": 32, "text_size": len(text), "engine_at": at, "size": len(content)}
    numbers |= places
    head = struct.pack("<4sIIIQ8s", magic, *numbers.values(), b"\x01")
    return head + text + bytes(at - 32 - len(text)) + content


def tensorrt_program(blob: bytes) -> bytes:
    """A program with one call of a TensorRT delegate."""
    b = MethodBuilder()
    x = b.input((2, 3), "float32")
    for out in b.delegate("TensorRTBackend", [x], [(2, 3)], blob=blob):
        b.output(out)
    return build_program(b).bytes()
