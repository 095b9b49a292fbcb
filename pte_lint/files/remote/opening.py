"""Opens an artifact by its address: fetches its program, and leaves the rest where it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.address import Listed, scheme
from pte_lint.files.remote.bucket import BucketOrigin
from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.fetched_bytes import FetchedBytes, trouble
from pte_lint.files.remote.file_systems import file_system
from pte_lint.files.remote.http import HttpOrigin
from pte_lint.files.remote.origin import Changed, FetchError, Origin
from pte_lint.files.remote.storage import StorageOrigin
from pte_lint.schema.container import read_container
from pte_lint.schema.errors import NotFetchedError


@contextmanager
def open_remote(address: str, name: str, caps: Caps) -> Iterator[FetchedBytes]:
    """Yields the bytes behind an address; header and program are there already.

    Args:
        address: `scheme://...`, secrets included.
        name: what errors call it.
        caps: how much may be fetched.

    Raises:
        ArtifactError: it cannot be read, takes more than the caps allow, or changed meanwhile (at
            the end of the block).
    """
    kept = None
    if caps.shelf is not None and isinstance(address, Listed):
        kept = caps.shelf.find(address)
    try:
        origin = _origin(address, caps) if kept is None else _Later(address, caps, len(kept))
    except FetchError as exc:
        raise trouble(name, str(exc), exc.again) from None
    buffer = FetchedBytes(origin, caps, name, kept)
    try:
        buffer.require(_judged_by(buffer))
    except NotFetchedError as exc:
        raise ArtifactError(0, f"cannot read {name}: to see what it is, {exc}") from None
    yield buffer
    buffer.close()
    if caps.shelf is not None and isinstance(address, Listed) and buffer.fetched.requests:
        caps.shelf.keep(address, buffer)


class _Later:
    """An origin that is asked nothing before something is missing."""

    def __init__(self, address: str, caps: Caps, size: int) -> None:
        self._address, self._caps = address, caps
        self._origin: Origin | None = None
        self.size: int | None = size

    @property
    def requests(self) -> int:
        return 0 if self._origin is None else self._origin.requests

    def get(self, start: int, stop: int) -> bytes:
        if self._origin is None:
            self._origin = _origin(self._address, self._caps)
            if self._origin.size not in (None, self.size):
                raise Changed("its size")
        return self._origin.get(start, stop)

    def verify(self) -> None:
        if self._origin is not None:
            self._origin.verify()


def _origin(address: str, caps: Caps) -> Origin:
    found, path = file_system(address)
    if scheme(address) in ("http", "https"):
        return HttpOrigin(found, address, caps)
    told = address.told if isinstance(address, Listed) and address.told else None
    kind = BucketOrigin if scheme(address) == "s3" else StorageOrigin
    return kind(found, path, caps, told)


def _judged_by(buffer: FetchedBytes) -> int:
    """Where the bytes end that everything is judged by.

    Of what is no artifact, the first bytes name what it is instead; sniffing has fetched them.
    """
    container = read_container(buffer)
    return container.program_range.size if container.kind.is_artifact else 0
