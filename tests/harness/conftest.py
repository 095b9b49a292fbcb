"""The probe for tests that run the real runtime; where it cannot be had they fail on CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pte_lint.harness.build import Probe, build_probe
from pte_lint.harness.errors import HarnessUnavailable

FILES = Path(__file__).parent / "files"


@pytest.fixture(scope="session")
def probe() -> Probe:
    """The built probe."""
    try:
        return build_probe()
    except HarnessUnavailable as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the runtime must be there on CI: {reason}")
        pytest.skip(str(reason))


@pytest.fixture
def files(probe: Probe) -> Path:
    """Folder of the small programs; asks for the probe, without which they are of no use."""
    return FILES
