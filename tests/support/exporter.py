"""PyTorch and ExecuTorch in tests that export: skipped where they are missing, which fails where
`scripts/test-exports` asks for them (tests/conftest.py)."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def need_exporter() -> None:
    """Skips the module where there is no exporter."""
    missing = [each for each in ("torch", "executorch.exir") if find_spec(each) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}, to export", allow_module_level=True)
