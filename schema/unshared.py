"""How large a decoded document would be if nothing in it were shared."""

from __future__ import annotations

from pte_lint.schema.limits import TABLE_BYTES
from pte_lint.schema.record import Record

_NUMBER = 4
"""Bytes that a number in a vector counts for, and a reference."""


class UnsharedSize:
    """Measures parts of one document, each distinct part once: linear in what is distinct.

    The document must stay alive meanwhile: parts are told apart by identity.
    """

    def __init__(self) -> None:
        """Knows nothing yet."""
        self._known: dict[int, int] = {}

    def of(self, part: object, without: frozenset[str] = frozenset()) -> int:
        """Returns about how many bytes a part takes with every reference counted.

        Args:
            part: A record, a vector or a string of the document.
            without: Names of fields, of whatever record, that do not count; the same for all
                questions about a document.
        """
        if isinstance(part, str | bytes):
            return len(part)
        if not isinstance(part, tuple):
            return 0
        known = self._known.get(id(part))
        if known is not None:
            return known
        if isinstance(part, Record):
            pairs = zip(part.__match_args__, part, strict=False)
            size = TABLE_BYTES + sum(self.of(v, without) for k, v in pairs if k not in without)
        elif part and isinstance(part[0], int | float):
            size = _NUMBER * len(part)
        else:
            size = _NUMBER * len(part) + sum(self.of(each, without) for each in part)
        self._known[id(part)] = size
        return size
