"""Finds the installed ExecuTorch wheel without importing it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest


def wheel_folder() -> Path:
    """The folder of the executorch package; skips without it, and fails where CI is set."""
    spec = find_spec("executorch")
    if spec is None or not spec.submodule_search_locations:
        if os.environ.get("CI") == "true":
            pytest.fail("the executorch wheel is not installed")
        pytest.skip("the executorch wheel is not installed")
    return Path(next(iter(spec.submodule_search_locations)))
