"""What ranges of bytes are fetched from, and what goes wrong with it."""

from __future__ import annotations

from typing import Protocol


class FetchError(Exception):
    """Bytes cannot be had. The text says why, and holds no address: those carry secrets."""

    again: float | None = None
    """Seconds after which another try may work; None: it would end the same."""

    @classmethod
    def passing(cls, text: str, again: float = 0.0) -> FetchError:
        """One that may not be there the next time."""
        error = cls(text)
        error.again = again
        return error


class Changed(FetchError):  # noqa: N818 - what happened, in a word
    """Two answers belong to different versions of the artifact."""

    def __init__(self, what: str) -> None:
        """Takes what differs, such as `its size`."""
        super().__init__(f"it changed while it was being read ({what} differs): try again")


class Origin(Protocol):
    """An artifact far away. Every method may raise FetchError."""

    @property
    def requests(self) -> int:
        """Requests made so far, and those that `verify` will make."""
        ...

    @property
    def size(self) -> int | None:
        """Bytes of the artifact; None before the first answer."""
        ...

    def get(self, start: int, stop: int) -> bytes:
        """Fetches the bytes from `start` to `stop`, fewer only where the artifact ends."""
        ...

    def verify(self) -> None:
        """Makes sure that everything fetched belongs to one version of the artifact."""
        ...
