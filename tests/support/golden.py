"""Golden files: what a format or a help text looked like when somebody last looked at it.

Run the tests with PTE_LINT_UPDATE_GOLDENS=1 to rewrite them, and read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

UPDATE = bool(os.environ.get("PTE_LINT_UPDATE_GOLDENS"))


def check_golden(path: Path, text: str) -> None:
    """Compares with a golden file, or rewrites it."""
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        return
    assert path.is_file(), f"no golden file {path.name}; run with PTE_LINT_UPDATE_GOLDENS=1"
    assert text == path.read_bytes().decode("utf-8")
