"""Numbers of bytes as people write them: `1000000`, `512 KiB`, `64MiB`."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_SIZE: Final = re.compile(r"(\d{1,15})\s*([a-z]*)", re.IGNORECASE)


def byte_count(text: str) -> int:
    """Reads a number of bytes with or without a unit.

    Raises:
        ValueError: it is none.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or found[2].lower() not in _UNITS:
        raise ValueError(f"{text!r} is no size: write 1000000, 512KiB, 64MiB or 1GiB")
    return int(found[1]) * _UNITS[found[2].lower()]
