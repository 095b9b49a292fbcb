"""Where fetched bytes are kept for another run."""

from __future__ import annotations

from typing import Protocol

from pte_lint.files.remote.address import Listed
from pte_lint.files.remote.known_bytes import KnownBytes


class Shelf(Protocol):
    """Keeps what was fetched of files whose listing tells one content from another.

    No method raises for what is wrong with where it is kept.
    """

    def find(self, address: Listed) -> KnownBytes | None:
        """What is kept of a content; None: nothing."""
        ...

    def keep(self, address: Listed, content: KnownBytes) -> None:
        """Keeps what is known of a content, in place of what was kept of it."""
        ...
