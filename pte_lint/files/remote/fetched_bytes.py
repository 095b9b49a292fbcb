"""Bytes that are fetched when a rule looks at them, within the caps."""

from __future__ import annotations

from typing import Final

from pte_lint.clock import STAGE, timed
from pte_lint.files.fetched import ArtifactError, Fetched
from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.known_bytes import KnownBytes
from pte_lint.files.remote.origin import FetchError, Origin
from pte_lint.schema import limits
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.sniff import magic_bytes

_BEHIND: Final = 1024
"""Bytes behind the program that are fetched with it."""


class FetchedBytes(KnownBytes):
    """An artifact far away. Its program is fetched first (`require`), the rest when looked at.

    Taking a range raises NotFetchedError where the caps forbid to fetch it, and ArtifactError where
    it cannot be had.
    """

    def __init__(
        self, origin: Origin, caps: Caps, name: str, kept: KnownBytes | None = None
    ) -> None:
        """Fetches the first bytes, unless some are here already.

        Args:
            origin: where the bytes are.
            caps: how much may be fetched.
            name: what errors call the artifact.
            kept: what an earlier run fetched of the same content.
        """
        self._origin = origin
        self._caps = caps
        self._name = name
        self._count = 0
        self._besides = caps.besides
        if kept is not None:
            super().__init__(len(kept))
            for start, content in kept.chunks():
                self.keep(start, content)
            return
        head = self._get(0, min(limits.FETCH_FIRST, max(caps.besides, magic_bytes())))
        super().__init__(origin.size or 0)
        self.keep(0, head)

    @property
    def fetched(self) -> Fetched:
        """What was fetched so far."""
        return Fetched(self._count, self._origin.requests)

    def require(self, stop: int) -> None:
        """Fetches all bytes up to `stop`; they are what the artifact is judged by.

        Raises:
            ArtifactError: they cannot be had, or are more than the caps allow.
        """
        stop = min(stop, len(self))
        gaps = list(self._gaps(0, stop))
        lacking = sum(end - start for start, end in gaps)
        if self._count + lacking > self._caps.bytes:
            raise self._trouble(
                f"its program has {stop} bytes, more than the {self._caps.bytes} that may be "
                f"fetched: allow more with --remote bytes={_rounded(stop + self._caps.besides)}"
            )
        if gaps and self._origin.requests >= self._caps.requests:
            raise self._trouble(
                f"it takes more than {self._caps.requests} requests: allow more with "
                "--remote requests=NUMBER"
            )
        for start, end in gaps:
            # Padding and the first segment's head follow the program, and are looked at next.
            spare = min(_BEHIND, self._caps.besides // 8) if end == stop else 0
            self.keep(start, self._get(start, min(end + spare, len(self))))
        # What the first look fetched beyond the program is not of the program.
        self._besides = self._caps.besides - max(0, self._count - stop)

    def close(self) -> None:
        """Makes sure that all bytes belong to one version of the artifact.

        Raises:
            ArtifactError: they do not, or it cannot be found out.
        """
        try:
            self._origin.verify()
        except FetchError as exc:
            raise self._trouble(str(exc), exc.again) from None

    def _miss(self, gaps: list[tuple[int, int]], start: int, stop: int) -> None:
        lacking = sum(end - first for first, end in gaps)
        left = min(self._besides, self._caps.bytes - self._count)
        if lacking > left:
            raise NotFetchedError(
                f"{lacking} more bytes would have to be fetched, and {max(left, 0)} are left of "
                f"those allowed besides the program (--remote besides={self._caps.besides})"
            )
        if self._origin.requests + len(gaps) > self._caps.requests:
            raise NotFetchedError(
                f"the {self._caps.requests} requests allowed are used up (--remote requests)"
            )
        for first, end in gaps:
            further = self._further(first, end, left, left - lacking)
            content = self._get(first, further)
            self.keep(first, content)
            self._besides -= len(content)
            left -= len(content)
            lacking -= end - first

    def _further(self, start: int, stop: int, left: int, spare: int) -> int:
        """Where to stop instead of `stop`: a little further, since the next look is often near.

        An eighth of what is left at most, so that looking in many places is not cut short.
        """
        further = min(start + min(limits.FETCH_AHEAD, left // 8), stop + spare, len(self))
        nearest = next((first for first in self._starts if first >= stop), further)
        return max(stop, min(further, nearest))

    def _get(self, start: int, stop: int) -> bytes:
        try:
            with timed(STAGE, "fetch"):
                content = self._origin.get(start, stop)
        except FetchError as exc:
            raise self._trouble(str(exc), exc.again) from None
        self._count += len(content)
        return content

    def _trouble(self, why: str, again: float | None = None) -> ArtifactError:
        return trouble(self._name, why, again)


def trouble(name: str, why: str, again: float | None = None) -> ArtifactError:
    """Says that an artifact cannot be read, and whether another try may work."""
    error = ArtifactError(0, f"cannot read {name}: {why}")
    error.again = again
    return error


def _rounded(count: int) -> str:
    return f"{-(-count // (1 << 20))}MiB"
