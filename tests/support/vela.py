"""Streams of blocks as arm_vela.py packs them, and programs that call them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

Entry = tuple[Sequence[int], int, int]
"""Shape of six sizes, bytes of an element, offset in working memory."""

INPUT: Entry = ((1, 1, 1, 2, 2, 3), 1, 0)
OUTPUT: Entry = ((1, 1, 1, 1, 2, 2), 1, 16)


def block(name: str, content: bytes = b"", external: int = 0) -> bytes:
    """A block with its header and padding."""
    head = struct.pack("<16sIB11s", name.encode(), len(content), external, b"")
    # An empty block is followed by no padding, as next_mul_16 of the loader has it.
    return head + content + bytes(-len(content) % 16)


def vela_stream(
    inputs: Sequence[Entry] = (INPUT,),
    outputs: Sequence[Entry] = (OUTPUT,),
    *,
    scratch: int = 64,
    commands: bytes = b"COP1" + bytes(12),
    end: bytes = b"",
) -> bytes:
    """A whole stream."""

    def entries(given: Sequence[Entry]) -> bytes:
        rows = [struct.pack("<9i", *shape, size, offset, 1) for shape, size, offset in given]
        return struct.pack("<i", len(rows)) + b"".join(rows)

    return b"".join(
        (
            block("vela_bin_stream"),
            block("cmd_data", commands),
            block("weight_data", bytes(32)),
            block("scratch_size", struct.pack("<I", scratch)),
            block("inputs", entries(inputs)),
            block("outputs", entries(outputs)),
            end or block("vela_end_stream"),
        )
    )


def vela_program(
    blob: bytes,
    *,
    dtype: str = "int8",
    sizes: Sequence[int] = (2, 2, 3),
    accelerator: str = "ethos-u55-128",
    has_output: bool = True,
) -> bytes:
    """A program with one call of an Ethos-U delegate."""
    b = MethodBuilder()
    x = b.input(sizes, dtype)
    specs = {"compile_flags": f"--accelerator-config={accelerator} --verbose".encode()}
    made = [(2, 2)] if has_output else []
    for out in b.delegate("EthosUBackend", [x], made, dtype=dtype, blob=blob, specs=specs):
        b.output(out)
    return build_program(b).bytes()
