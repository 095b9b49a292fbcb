"""What lies below an address: s3://bucket/prefix/, hf://organisation/model, https://host/folder/.

Nothing that a listing says is believed: names are looked at up to a number, pages and folders are
asked for one at a time and never gathered, and what leads elsewhere is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from pte_lint.files.remote.address import is_address, scheme
from pte_lint.files.remote.file_systems import file_system
from pte_lint.files.remote.found import Found
from pte_lint.files.remote.origin import FetchError
from pte_lint.files.remote.patience import ask, patiently
from pte_lint.files.walking import Names

_WEB: Final = ("http", "https")
_PAGE: Final = re.compile(r"(/|/[^/]+\.html?)$", re.IGNORECASE)
_REPOSITORY: Final = re.compile(r"hf://(datasets/|spaces/)?[^/]+/[^/]+/?", re.IGNORECASE)
_ORGANISATION: Final = re.compile(r"hf://(?!(?:datasets|spaces)/?$)[^/]+/?", re.IGNORECASE)
_DEPTH: Final = 64
_EMPTY_PAGES: Final = 100
"""Pages without a name, one after the other, after which a listing is given up."""
_STATES: Final = ("ETag", "etag", "generation", "blob_id", "md5Hash", "content_md5")


def is_listing(argument: str) -> bool:
    """Whether an address means all that is below it: a folder, a page of links, a repository."""
    if not is_address(argument):
        return False
    kind = scheme(argument)
    if kind in _WEB:
        try:
            return _PAGE.search(urlsplit(argument).path or "/") is not None
        except ValueError:
            return False
    if kind == "hf" and (_REPOSITORY.fullmatch(argument) or _ORGANISATION.fullmatch(argument)):
        return True
    return argument.endswith("/")


def listed(address: str, names: Names, timeout: float, *, deep: bool = True) -> Iterator[Found]:
    """The files below an address, in the order of the listing.

    Args:
        address: one that `is_listing`.
        names: counts what is looked at.
        timeout: seconds to wait for each page.
        deep: whether also what lies in folders below it.

    Raises:
        FetchError: it cannot be listed.
        TooManyNames: more names than `names` allows.
    """
    kind = scheme(address)
    system, path = file_system(address)
    if kind in _WEB:
        from pte_lint.files.remote.http_index import indexed

        found: Iterable[Found] = indexed(system, address, names, timeout, deep=deep)
    elif kind == "hf":
        from pte_lint.files.remote.hub import organisation, repository

        if _ORGANISATION.fullmatch(address):
            found = organisation(system, address, names, timeout)
        else:
            found = repository(system, address, names, timeout, deep=deep)
    elif kind == "s3":
        found = _pages_of_s3(system, path, names, timeout, deep)
    else:
        found = _folders(system, (address, path), names, timeout, _DEPTH if deep else 0)
    for each in found:
        names.count()
        yield each


def _pages_of_s3(
    system: Any, path: str, names: Names, timeout: float, deep: bool
) -> Iterator[Found]:
    """s3fs itself keeps all of a listing; here a page is gone when the next one comes."""
    bucket, prefix, _ = system.split_path(path.rstrip("/"))
    prefix = f"{prefix}/" if prefix else ""
    asked: dict[str, object] = {"Bucket": bucket, "Prefix": prefix}
    if not deep:
        asked["Delimiter"] = "/"
    empty = 0
    while True:
        page = _answer(lambda: system.call_s3("list_objects_v2", **asked), timeout)
        entries = page.get("Contents") or ()
        folders = page.get("CommonPrefixes") or ()
        for _ in folders:
            names.count()
        empty = 0 if entries or folders else empty + 1
        if empty > _EMPTY_PAGES:
            raise FetchError("the listing goes on without a name in it")
        for entry in entries:
            key = str(entry["Key"])
            if key.endswith("/") or not key.startswith(prefix):
                names.count()
                continue
            where = f"s3://{bucket}/{key}"
            tag = entry.get("ETag")
            yield Found(where, where, key[len(prefix) :], entry.get("Size"), tag, "ETag")
        if not page.get("IsTruncated"):
            return
        asked["ContinuationToken"] = page.get("NextContinuationToken")


def _folders(
    system: Any, top: tuple[str, str], names: Names, timeout: float, most_deep: int
) -> Iterator[Found]:
    """Of any other file system, one folder at a time; `top` is its address and its path."""
    base, path = (each.rstrip("/") for each in top)
    waiting = [(path, 0)]
    seen = {path}
    while waiting:
        here, depth = waiting.pop()
        entries = _answer(lambda here=here: list(system.ls(here, detail=True)), timeout)  # type: ignore[misc]
        deeper = []
        for entry in sorted(entries, key=lambda each: str(each["name"])):
            name = str(entry["name"]).rstrip("/")
            if not name.startswith(f"{path}/"):
                names.count()
            elif entry.get("type") == "directory":
                names.count()
                if depth < most_deep and name not in seen:
                    seen.add(name)
                    deeper.append((name, depth + 1))
            else:
                inside = name[len(path) + 1 :]
                tag = next((key for key in _STATES if entry.get(key)), None)
                where = f"{base}/{inside}"
                state = None if tag is None else str(entry[tag])
                yield Found(where, where, inside, entry.get("size"), state, tag)
        waiting += reversed(deeper)


def _answer(question: Callable[[], Any], timeout: float) -> Any:
    return patiently(lambda: ask(question, timeout))
