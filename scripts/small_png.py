"""Makes screenshots small: a palette of 256 colours, and the best compression of zlib.

A page has few colours; the many shades are the edges of letters, whose nearest neighbour nobody
can tell apart.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = 256


def smaller(png: bytes) -> bytes:
    """Returns the same picture with a palette.

    Args:
        png: 8 bits a channel, RGB, not interlaced: what Chromium writes.

    Raises:
        ValueError: it is something else.
    """
    chunks = list(_chunks(png))
    width, height, depth, kind, *_, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if (depth, kind, interlaced) != (8, 2, 0):
        raise ValueError("not a plain RGB picture")
    raw = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
    rows = _unfiltered(raw, width, height)
    pixels = [row[i : i + 3] for row in rows for i in range(0, 3 * width, 3)]
    counted = Counter(pixels)
    palette = [colour for colour, _ in counted.most_common(_COLOURS)]
    index = {colour: n for n, colour in enumerate(palette)}
    for colour in counted:
        if colour not in index:
            index[colour] = min(range(len(palette)), key=lambda n: _distance(palette[n], colour))
    body = bytearray()
    for y in range(height):
        body.append(0)
        body += bytes(index[p] for p in pixels[y * width : (y + 1) * width])
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"".join((
        _SIGNATURE,
        _chunk(b"IHDR", header),
        _chunk(b"PLTE", b"".join(palette)),
        _chunk(b"IDAT", zlib.compress(bytes(body), 9)),
        _chunk(b"IEND", b""),
    ))  # fmt: skip


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    if not png.startswith(_SIGNATURE):
        raise ValueError("not a PNG")
    found, at = [], len(_SIGNATURE)
    while at < len(png):
        size, name = struct.unpack_from(">I4s", png, at)
        found.append((name, png[at + 8 : at + 8 + size]))
        at += 12 + size
    return found


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _unfiltered(raw: bytes, width: int, height: int) -> list[bytes]:
    """Undoes the filters of the PNG specification, row by row."""
    stride, rows = 3 * width, []
    before = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for i in range(stride):
            left = row[i - 3] if i >= 3 else 0
            up, corner = before[i], before[i - 3] if i >= 3 else 0
            row[i] = (row[i] + _predicted(kind, left, up, corner)) & 0xFF
        rows.append(bytes(row))
        before = row
    return rows


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    match kind:
        case 0:
            return 0
        case 1:
            return left
        case 2:
            return up
        case 3:
            return (left + up) // 2
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def _distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
