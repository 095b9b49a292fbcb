"""Artifacts that have something in common, counted, with the first of them as examples."""

from __future__ import annotations

from typing import Final

from pte_lint.schema.frozen import dataclass, field

EXAMPLES: Final = 3


@dataclass(slots=True)
class Group:
    """How many there are, and the names of a few."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, path: str) -> None:
        """Counts one."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(path)
