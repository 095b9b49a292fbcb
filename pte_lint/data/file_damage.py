"""What lies outside a data file, by entry: not the same as being absent.

The runtime verifies no .ptd, so damage only matters where something follows it.
"""

from __future__ import annotations

import re

from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.violations import Violation, ViolationKind

_ENTRY = re.compile(r"named_data\[(\d+)\](?:\.tensor_layout)?(?:\.(\w+))?$")
_SEGMENT = re.compile(r"segments\[(\d+)\]")
_TOO_LONG = "a vector or string of length"
"""How the reader words a length that leaves the file; the content starts inside it."""


def damaged_entries(file: LoadedFlatTensor) -> dict[int, set[str]]:
    """By entry, the parts that cannot be decoded, and `terminator` for an endless key."""
    found: dict[int, set[str]] = {}
    for violation in file.violations:
        match = _ENTRY.match(violation.path)
        if match is None:
            continue
        part = match[2] or "entry"
        part = part_of(part, violation)
        if violation.hard or violation.kind is ViolationKind.BAD_OFFSET:
            found.setdefault(int(match[1]), set()).add(part)
        elif violation.kind is ViolationKind.NO_TERMINATOR:
            found.setdefault(int(match[1]), set()).add("terminator")
    return found


def is_unread_length(violation: Violation) -> bool:
    """True for a length that leaves the file and that no runtime reads."""
    ends = violation.path.endswith((".dim_order", "segments"))
    return violation.hard and ends and violation.message.startswith(_TOO_LONG)


def part_of(part: str, violation: Violation) -> str:
    """The name of a damaged part; one whose length alone is wrong has a name of its own."""
    return f"{part} length" if is_unread_length(violation) else part


def damaged_segments(file: LoadedFlatTensor) -> set[int]:
    """Segments whose table entry cannot be decoded."""
    matches = (_SEGMENT.match(v.path) for v in file.violations if v.hard)
    return {int(match[1]) for match in matches if match is not None}
