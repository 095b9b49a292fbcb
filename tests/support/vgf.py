"""VGF containers with one graph that takes a tensor and gives one."""

from __future__ import annotations

import struct
from typing import Any

from pte_lint.schema.fbs import layout

from tests.schema.layout_writer import write_document

FLOAT, INT8 = 100, 14
"""VkFormat of float32 and int8."""


def resource(sizes: list[int], category: int, vk_format: int = FLOAT) -> dict[str, Any]:
    """An entry of the table of resources: 0 is an input, 1 an output, 3 a constant."""
    return {
        "vk_descriptor_type": 1000460000,
        "vk_format": vk_format,
        "category": category,
        "description": {"shape": sizes},
    }


def vgf_blob(
    *,
    magic: bytes = b"VGF1",
    version: tuple[int, int, int] = (0, 4, 3),
    resources: list[dict[str, Any]] | None = None,
    modules: list[dict[str, Any]] | None = None,
    constants: bytes | None = None,
    **sequence: Any,
) -> bytes:
    """A whole container; `sequence` replaces fields of the model sequence."""
    if resources is None:
        resources = [resource([2, 3], 0), resource([2, 3], 1), resource([4], 3, INT8)]
    if modules is None:
        modules = [{"type": 1, "name": "graph", "entry_point": "main", "code_type": 1}]
    steps = {
        "segments": [{"type": 1, "name": "step", "module_index": 0}],
        "inputs": [{"binding": 0, "mrt_index": 0}],
        "outputs": [{"binding": 1, "mrt_index": 1}],
        "input_names": ["x"],
        "output_names": ["y"],
        **sequence,
    }
    if constants is None:
        constants = b"CONST00\0" + struct.pack("<QIiQQ", 1, 2, -1, 4, 0) + b"abcd" + bytes(4)
    sections = [
        write_document(layout("vgf_modules"), {"modules": modules}),
        write_document(layout("vgf_sequence"), steps),
        write_document(layout("vgf_resources"), {"mrt_entry": resources}),
        constants,
    ]
    body, places = b"", []
    for section in sections:
        places += [128 + len(body), len(section)]
        body += section + bytes(-len(section) % 8)
    head = struct.pack("<4sH2x3B5x8Q", magic, 313, *version, *places)
    return head + bytes(128 - len(head)) + body
