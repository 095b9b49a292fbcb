"""Names from a file as facts keep them: valid Unicode, and no longer than anyone reads.

A name can be megabytes long and be mentioned by every instruction. What is cut off is told by its
length and a hash, so that two names are equal here only if they are equal in the file.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from pte_lint.text.printable import printable

LIMIT: Final = 512
"""Characters of a name that are kept."""


def label(text: str | None) -> str:
    """Returns a name as facts keep it; an absent one is empty."""
    if text is None:
        return ""
    return printable(text) if len(text) <= LIMIT else _cut(text)


@lru_cache(maxsize=64)
def _cut(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{printable(text[:LIMIT])}...[{len(text)} characters, sha256 {digest}]"
