"""How much may be fetched of one artifact, and how long that may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pte_lint.files.remote.shelf import Shelf
from pte_lint.schema import limits
from pte_lint.schema.frozen import dataclass
from pte_lint.text.byte_size import byte_count


class CapsError(ValueError):
    """A cap has no such name, or no such value."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What may be fetched of one artifact. The defaults stand in the limits file of the reader."""

    bytes: int = limits.FETCH_BYTES
    """Bytes in all."""
    requests: int = limits.FETCH_REQUESTS
    """Requests in all."""
    besides: int = limits.FETCH_BESIDES
    """Bytes besides the program. What a rule would read beyond that is listed as not checked."""
    timeout: float = limits.FETCH_SILENCE
    """Seconds to wait for a byte."""
    shelf: Shelf | None = None
    """Where what was fetched is kept; None: nowhere."""

    def changed(self, given: Mapping[str, str]) -> Caps:
        """A copy with other values, such as `{"bytes": "1GiB"}`.

        Raises:
            CapsError: there is no such cap, or the value is no number of its kind.
        """
        values: dict[str, int | float] = {}
        for name, text in given.items():
            if name in ("bytes", "besides"):
                values[name] = _size(name, text)
            elif name == "requests":
                values[name] = _count(text)
            elif name == "timeout":
                values[name] = _seconds(text)
            else:
                raise CapsError(f"there is no cap {name!r}: there are {', '.join(NAMES)}")
        return replace(self, **values)  # type: ignore[arg-type]


DEFAULTS: Final = Caps()

NAMES: Final = ("bytes", "requests", "besides", "timeout")


def _size(name: str, text: str) -> int:
    try:
        return byte_count(text)
    except ValueError as exc:
        raise CapsError(f"{name}: {exc}") from exc


def _count(text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise CapsError(f"requests: {text!r} is no number of requests")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise CapsError(f"timeout: {text!r} is no number of seconds")
    return seconds
