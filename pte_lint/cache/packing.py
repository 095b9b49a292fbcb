"""Reports as bytes and back. Reading makes data and nothing else, whatever the bytes are."""

from __future__ import annotations

import io
import pickle
from typing import Any, Final

from pte_lint.cache.store import ENTRY_BYTES
from pte_lint.result import ArtifactReport

_KINDS: Final = frozenset(
    (f"pte_lint.{module}", name)
    for module, names in {
        "finding": ("Finding", "Location", "Severity", "SourceLine", "Unchecked"),
        "forecast": ("Forecast", "Outcome", "Prediction", "Stage"),
        "order": ("ExecuteStep", "LoadMethodStep", "LoadProgramStep"),
        "result": ("ArtifactReport", "RuleResult", "Verdict"),
    }.items()
    for name in names
)
"""Everything that a report is made of, besides what JSON has."""


class _Reader(pickle.Unpickler):
    """Knows the kinds above; they only hold values."""

    def find_class(self, module: str, name: str) -> Any:
        """Returns a kind.

        Raises:
            UnpicklingError: it is none of ours.
        """
        if (module, name) not in _KINDS:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a report")
        return super().find_class(module, name)


Content = tuple[tuple[tuple[int, int], ...], str, ArtifactReport]
"""The ranges that the report depends on, their digest, and the report."""


def pack(content: Content) -> bytes | None:
    """The content as bytes; None where it is too large, or would not come back the same."""
    try:
        raw = pickle.dumps(content, protocol=5)
    except Exception:
        return None  # something of a rule that cannot be written
    return raw if len(raw) <= ENTRY_BYTES and unpack(raw) == content else None


def unpack(raw: bytes) -> Content | None:
    """Reads what `pack` wrote; None for anything else."""
    try:
        content = _Reader(io.BytesIO(raw)).load()
    except Exception:
        return None  # damage has no end of forms
    match content:
        case (tuple() as ranges, str() as digest, ArtifactReport() as report):
            return ranges, digest, report
        case _:
            return None
