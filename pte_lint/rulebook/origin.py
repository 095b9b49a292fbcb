"""Where something that is not pte-lint's own comes from: an entry point of a distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pte_lint.rulebook.installed import others_may_declare
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """One entry point, and the distribution that declares it."""

    distribution: str
    version: str
    name: str
    value: str
    """`package.module:ATTRIBUTE`."""

    @property
    def plugin(self) -> str:
        """The distribution as people name it: `acme-rules 1.2`."""
        return f"{self.distribution} {self.version}".strip()

    def __str__(self) -> str:
        """Renders as `plugin acme-rules 1.2 (entry point acme = acme_rules:RULES)`."""
        return f"plugin {self.plugin} (entry point {self.name} = {self.value})"


def entry_points_of_others(
    group: str, own: tuple[str, str] | None = None
) -> Iterator[tuple[Origin, Callable[[], Any]]]:
    """The entry points of a group with what loads each, by distribution and name.

    Args:
        group: such as `pte_lint.rules`.
        own: name and value of pte-lint's own entry point, which is left out.
    """
    if not others_may_declare(group):
        return
    from importlib.metadata import entry_points

    found = []
    for point in entry_points(group=group):
        if (point.name, point.value) == own:
            continue
        name, version = (point.dist.name, point.dist.version) if point.dist else ("unknown", "")
        found.append((Origin(name, version, point.name, point.value), point.load))
    yield from sorted(found, key=lambda each: (each[0].distribution, each[0].name))
