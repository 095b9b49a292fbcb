"""Where results are kept, and whether they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "PTE_LINT_CACHE_DIR"
"""The environment variable that moves the folder."""

OFF_VARIABLE: Final = "PTE_LINT_NO_CACHE"
"""The environment variable that switches the cache off."""

_MANY: Final = 8
_WORTH_IT: Final = 64 << 10

_NO: Final = ("", "0", "false", "no", "off")


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the cache: the variable's, or the user's cache folder. It need not exist."""
    given = environment.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("pte-lint", appauthor=False)


def least_bytes(asked: bool | None, count: int) -> int | None:
    """From how many bytes on artifacts are worth a look into the cache; None: none is.

    Finding out what judges takes as long as judging a small file. So one or a few of them are just
    judged, unless the cache was asked for.

    Args:
        asked: what the command line says; None: nothing.
        count: how many artifacts there are.
    """
    if not is_on(asked):
        return None
    return 0 if asked or count >= _MANY else _WORTH_IT


def is_on(asked: bool | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to use the cache.

    Args:
        asked: what the command line says; None: nothing.
        environment: `PTE_LINT_NO_CACHE` says no, and so does `CI`: there the cache would be empty,
            or carried from run to run by somebody who knows what it depends on less well.
    """
    if asked is not None:
        return asked
    return all(_is_no(environment.get(name, "")) for name in (OFF_VARIABLE, "CI"))


def _is_no(value: str) -> bool:
    return value.strip().lower() in _NO
