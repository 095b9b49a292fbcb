"""Blobs of Vulkan graphs that take one tensor and give one, and programs that call them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from pte_lint.schema.fbs import layout

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.schema.layout_writer import write_document

TENSOR = 5
"""The code of a tensor among the values of a graph."""


def tensor(sizes: Sequence[int], **fields: Any) -> dict[str, Any]:
    """A float32 tensor in a 3D texture, width packed."""
    content = {
        "datatype": 5, "dims": list(sizes), "constant_id": -1, "mem_obj_id": -1,
        "storage_type": 1, "memory_layout": 0, "staging_datatype": 5,
    }  # fmt: skip
    return {"value_type": TENSOR, "value": content | fields}


def vulkan_blob(
    values: Sequence[dict[str, Any]] = (tensor((2, 3)), tensor((2, 3))),
    data: bytes = b"",
    **fields: Any,
) -> bytes:
    """A whole blob: value 0 goes in, value 1 comes out."""
    content = {
        "version": "0",
        "chain": [{"name": "aten.abs.default", "args": [0, 1]}],
        "values": list(values),
        "input_ids": [0],
        "output_ids": [1],
        **fields,
    }
    graph = write_document(layout("vulkan"), content)
    end = 32 + len(graph)
    head = struct.pack("<4s4sHIIIQ", b"", b"VH00", 30, 32, len(graph), end, len(data))
    return head + bytes(2) + graph + data


def vulkan_program(sizes: Sequence[int] = (2, 3), **fields: Any) -> bytes:
    """A program with one call of a Vulkan delegate."""
    blob = vulkan_blob((tensor(sizes, **fields), tensor(sizes, **fields)))
    b = MethodBuilder()
    x = b.input(sizes, "float32")
    for out in b.delegate("VulkanBackend", [x], [tuple(sizes)], blob=blob):
        b.output(out)
    return build_program(b).bytes()
