"""Tells addresses from paths, and writes them without their secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final
from urllib.parse import urlsplit

# Two letters at least: C:// is a drive.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class Anonymous(str):
    """An address that a configuration names: nobody's credentials go there."""

    __slots__ = ()


class Listed(str):
    """An address that a listing gave, with what it told of the file."""

    told: Mapping[str, object]
    """Its `size`, and what changes when the content does, as the file system names it; empty
    where it names nothing."""
    revision: str
    """What the storage calls this very content."""

    @classmethod
    def of(cls, address: str, revision: str, told: Mapping[str, object]) -> Listed:
        """One of a file of which this was told."""
        made = cls(address)
        made.revision, made.told = revision, told
        return made


def is_address(text: str) -> bool:
    """True for `scheme://...`, as `https://example.org/model.pte`."""
    return _SCHEME.match(text) is not None


def scheme(address: str) -> str:
    """The scheme of an address in lower case; empty for a path."""
    found = _SCHEME.match(address)
    return found[1].lower() if found else ""


def with_slashes(path: str) -> str:
    """A path as repositories have it; an address as it is, for a path would lose a slash.

    It has slashes on every system and does not begin with `./`, which no service would match.
    """
    return path if not path or is_address(path) else PurePath(path).as_posix()


def shown(address: str) -> str:
    """An address as reports name it: without user, password, query and fragment.

    Signed addresses carry their credentials in the query.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{scheme(address)}://..."
    host = parts.netloc.rpartition("@")[2]
    return f"{scheme(address)}://{host}{parts.path}"
