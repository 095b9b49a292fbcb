"""TOML, by the standard library or, before Python 3.11, by the package that it was made of."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final

_MODULE: Final = "tomllib" if sys.version_info >= (3, 11) else "tomli"


def loads(text: str) -> dict[str, Any]:
    """Reads a TOML document.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deep.
    """
    content: dict[str, Any] = import_module(_MODULE).loads(text)
    return content
