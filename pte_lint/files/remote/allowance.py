"""Which addresses a configuration may name: those that the command line or environment allows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

VARIABLE: Final = "PTE_LINT_ALLOW_ADDRESS"
"""The environment variable with beginnings of addresses, separated by blanks."""

_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
SCHEMES: Final = ("https", "http", "s3", "hf")
"""Of these, requests without anybody's credentials can be made."""

_PLAIN: Final = re.compile(r"[^\s\\\x00-\x1f\x7f]+")

Origin = tuple[str, str, int | None]
"""Scheme, host and port."""


def origin(address: str) -> Origin | None:
    """Scheme, host (for s3 and hf: bucket or owner) and port of an address; None: it has none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    kind = parts.scheme.lower()
    if not parts.hostname or not _PLAIN.fullmatch(address):
        return None
    host = parts.hostname if kind in _PORTS else parts.netloc
    return kind, host, port if port is not None else _PORTS.get(kind)


def is_allowed(address: str, beginnings: Iterable[str]) -> bool:
    """True when an address is of a scheme, host and port that is allowed, and below its path.

    Args:
        address: what a configuration names.
        beginnings: such as `https://models.example.org` or `s3://bucket/models`.
    """
    here = origin(address)
    if here is None or here[0] not in SCHEMES:
        return False
    parts = _path(address)
    if parts is None:
        return False
    return any(
        origin(each) == here and (top := _path(each)) is not None and parts[: len(top)] == top
        for each in beginnings
    )


def from_environment(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The beginnings that the environment allows."""
    return tuple(environment.get(VARIABLE, "").split())


def _path(address: str) -> list[str] | None:
    """The steps of a path; None where some may lead back up once a server has read them."""
    parts = urlsplit(address).path.strip("/").split("/")
    plain = unquote(unquote("/".join(parts)))
    if any(part in (".", "..") for part in re.split(r"[/\\]", plain)):
        return None
    return [part for part in parts if part]
