"""Writes very long programs quickly.

`flatbuffers.Builder` needs about 100 microseconds an instruction, which makes a program of a
million of them a matter of minutes. A straight chain repeats one block of tables, so this module
lays that block out once and stamps it.

Tables stand before what they refer to (offsets in a flatbuffer only go forward; vtables may stand
anywhere). The program runs: `out = relu(in)` over and over, on two alternating places of one arena.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

_BLOCK = 144
"""Bytes of one instruction with its operand: Int value, Tensor value, instruction."""

# Vtables: own size, table size, then the place of each field in the table (0: absent).
_VTABLES: dict[str, Sequence[int]] = {
    "program": (20, 16, 0, 4, 0, 0, 8, 12, 0, 0),
    "plan": (24, 40, 4, 0, 8, 12, 16, 20, 24, 28, 32, 0),
    "chain": (12, 16, 4, 8, 12, 0),
    "operator": (8, 12, 4, 8),
    "offsets": (8, 8, 0, 4),
    "union": (8, 12, 8, 4),
    "int": (6, 16, 8),
    "tensor": (18, 20, 16, 0, 4, 8, 0, 0, 12),
    "allocation": (8, 12, 4, 8),
    "kernel_call": (8, 8, 0, 4),
}
_SIDE = 8
_TENSOR_BYTES = 256


class _Forward:
    """A buffer that grows at its end, with offsets that are filled in later."""

    def __init__(self) -> None:
        self.data = bytearray(b"\0\0\0\0ET12")
        self.vtables: dict[str, int] = {}
        for name, words in _VTABLES.items():
            self.align(2)
            self.vtables[name] = len(self.data)
            self.data += struct.pack(f"<{len(words)}H", *words)

    def align(self, to: int) -> int:
        self.data += bytes(-len(self.data) % to)
        return len(self.data)

    def table(self, name: str) -> int:
        """Starts a table of zeros; returns its position."""
        at = self.align(8)
        self.data += bytes(_VTABLES[name][1])
        struct.pack_into("<i", self.data, at, at - self.vtables[name])
        return at

    def point(self, field: int) -> None:
        """Lets the offset field at `field` point to what is written next."""
        struct.pack_into("<I", self.data, field, self.align(4) - field)

    def string(self, field: int, text: str) -> None:
        self.point(field)
        raw = text.encode()
        self.data += struct.pack("<I", len(raw)) + raw + b"\0"

    def vector(self, field: int, layout: str, items: Sequence[int]) -> int:
        """Writes a vector of scalars; returns the position of its first item."""
        if layout in "qQ":
            # The items, not the length before them, are aligned.
            self.data += bytes((4 - len(self.data)) % 8)
            struct.pack_into("<I", self.data, field, len(self.data) - field)
        else:
            self.point(field)
        self.data += struct.pack("<I", len(items))
        at = len(self.data)
        self.data += struct.pack(f"<{len(items)}{layout}", *items)
        return at

    def tables(self, field: int, count: int) -> int:
        """Writes a vector of table offsets to fill in; returns the position of the first."""
        return self.vector(field, "I", [0] * count)


def chain_program(instructions: int) -> bytes:
    """A program with one method, a straight chain of `aten::relu.out`.

    Args:
        instructions: how many; each has an Int value beside its tensor, as an operator with a
            scalar argument would, so there are twice as many values.
    """
    out = _Forward()
    program = out.table("program")
    struct.pack_into("<I", out.data, 0, program)
    plan = _one(out, program + 4, "plan")
    out.vector(program + 8, "I", ())
    segment = out.table("offsets")
    struct.pack_into("<I", out.data, program + 12, segment - (program + 12))
    out.vector(segment + 4, "Q", (0,))
    out.string(plan + 4, "forward")
    values = out.tables(plan + 8, 2 * instructions + 2)
    out.vector(plan + 12, "i", (1,))
    out.vector(plan + 16, "i", (2 * instructions + 1,))
    chain = _one(out, plan + 20, "chain")
    operator = _one(out, plan + 24, "operator")
    out.string(operator + 4, "aten::relu")
    out.string(operator + 8, "out")
    out.vector(plan + 28, "I", ())
    out.vector(plan + 32, "q", (0, 2 * _TENSOR_BYTES))
    out.vector(chain + 4, "i", ())
    out.vector(chain + 8, "i", ())
    calls = out.tables(chain + 12, instructions)
    _blocks(out, values, calls, instructions)
    return bytes(out.data)


def _one(out: _Forward, field: int, name: str) -> int:
    """A vector with one table; returns the table's position."""
    entry = out.tables(field, 1)
    table = out.table(name)
    struct.pack_into("<I", out.data, entry, table - entry)
    return table


def _blocks(out: _Forward, values: int, calls: int, count: int) -> None:
    """Stamps the input's block (its instruction is not listed) and one block an instruction."""
    base = out.align(8)
    data = out.data
    data += bytes(_BLOCK * (count + 1))
    vt = out.vtables
    words = struct.Struct("<36i")
    sizes = (2, _SIDE, _SIDE)
    for i in range(count + 1):
        at = base + i * _BLOCK
        target = 2 * i + 1
        source = target - 2 if i else target
        words.pack_into(
            data,
            at,
            *(at - vt["union"], 12, 2, 0),
            *(at + 16 - vt["int"], 0, 1, 0),
            *(at + 32 - vt["union"], 8, 5),
            *(at + 44 - vt["tensor"], 28, 36, 8, 6),
            *(at + 64 - vt["allocation"], 1, (i % 2) * _TENSOR_BYTES),
            *sizes,
            *(2, 0x0100),
            *(at + 96 - vt["union"], 8, 1),
            *(at + 108 - vt["kernel_call"], 4),
            *(3, source, target, target, 0, 0, 0),
        )
        entry = values + 8 * i
        struct.pack_into("<II", data, entry, at - entry, at + 32 - (entry + 4))
        if i:
            call = calls + 4 * (i - 1)
            struct.pack_into("<I", data, call, at + 96 - call)
