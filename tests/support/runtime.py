"""The real runtime in tests: skipped where it is missing, but never where CI asks for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pte_lint.harness.build import build_probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import ProbeRun
from pte_lint.testing.data_builder import BuiltData
from pte_lint.testing.program_builder import BuiltProgram


def need_runtime() -> None:
    """Skips the test where the runtime or the compiler is missing.

    Raises:
        HarnessUnavailable: They are missing and the environment says CI=true.
    """
    try:
        build_probe()
    except HarnessUnavailable as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


def run_built(
    folder: Path,
    program: BuiltProgram,
    data: BuiltData | None = None,
    variants: tuple[str, ...] = ("default",),
) -> ProbeRun:
    """Writes a built program (and its .ptd) into a folder and runs it."""
    path = folder / "built.pte"
    path.write_bytes(program.bytes())
    files = []
    if data is not None:
        files.append(folder / "built.ptd")
        files[0].write_bytes(data.bytes())
    return run_probe(path, data=files, variants=variants)


def older_releases() -> Path:
    """The folder of releases before the installed one; skips the test where there is none.

    `scripts/test` installs executorch 1.4.1 there.
    """
    need_runtime()
    folder = Path(__file__).parent.parent.parent / "build" / "runtimes"
    if not (folder / "1.4.1" / "executorch").is_dir():
        missing = f"{folder} has no executorch 1.4.1: scripts/test installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return folder
