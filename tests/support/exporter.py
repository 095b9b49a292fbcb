"""PyTorch and ExecuTorch in tests that export: skipped where they are missing, but never silently
where `scripts/test-exports` asks for them."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest


def need_exporter() -> None:
    """Skips the module where there is no exporter.

    Raises:
        RuntimeError: It is missing and PTE_LINT_EXPORTS=1 says that it must be there.
    """
    missing = [each for each in ("torch", "executorch.exir") if find_spec(each) is None]
    if not missing:
        return
    if os.environ.get("PTE_LINT_EXPORTS") == "1":
        raise RuntimeError(f"nothing can be exported: {', '.join(missing)} missing")
    pytest.skip(f"needs {' and '.join(missing)}, to export", allow_module_level=True)
