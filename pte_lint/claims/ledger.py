"""What this tool gave up on, and the budgets whose use is entered there.

A hostile file can make an analysis cost more than any bound that is linear in the file, so each has
a budget. Whoever uses one up has not judged what lies beyond, and that is no pass: every budget
belongs to a ledger, and what stands in a ledger becomes an error finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

ALLOW_UNJUDGED = "--allow-unjudged"
"""The option that makes a warning of what was not judged."""


class Unjudged(NamedTuple):
    """Something that this tool gave up on, and why."""

    what: str
    """Such as `the memory plan`."""
    why: str


class Ledger:
    """What was given up on while one thing was judged, each entry once, in order."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        """Begins with nothing."""
        self._entries: dict[Unjudged, None] = {}

    def give_up(self, what: str, why: str) -> None:
        """Enters that `what` is not judged, or not to its end."""
        self._entries[Unjudged(what, why)] = None

    def __iter__(self) -> Iterator[Unjudged]:
        return iter(self._entries)

    def __bool__(self) -> bool:
        return bool(self._entries)


class Budget:
    """Work that may still be done about something; the ledger tells when it was not enough."""

    __slots__ = ("_entry", "_ledger", "left")

    def __init__(self, ledger: Ledger, what: str, why: str, amount: int) -> None:
        """Grants an amount of work.

        Args:
            ledger: Where using it up is entered.
            what: What is not judged then.
            why: What takes so much work.
            amount: How much may be spent, in units of the analysis.
        """
        self._ledger = ledger
        self._entry = Unjudged(what, why)
        self.left = amount

    def spend(self, work: int = 1) -> bool:
        """Takes work off the budget; False when there was not enough left."""
        self.left -= work
        if self.left >= 0:
            return True
        self._ledger.give_up(*self._entry)
        return False

    @property
    def is_spent(self) -> bool:
        """Whether more was asked for than there was."""
        return self.left < 0
