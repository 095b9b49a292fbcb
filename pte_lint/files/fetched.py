"""What every way to open an artifact shares: its error, and what a fetch took."""

from __future__ import annotations

from pte_lint.schema.frozen import dataclass


class ArtifactError(OSError):
    """The artifact cannot be opened; the message says which and why."""

    again: float | None = None
    """Seconds after which another try may work: a server that is busy, a connection that broke."""


class NoSourceError(TypeError):
    """What was given is nothing that can be opened; the message says what can."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What it took to read an artifact that is far away."""

    bytes: int
    """Bytes received, headers of the protocol not counted."""
    requests: int
