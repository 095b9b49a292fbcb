"""Finds the installed ExecuTorch runtime without importing it."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.schema.frozen import dataclass

#: Folder of the ``executorch`` package to use instead of the installed one.
ENV_EXECUTORCH = "PTE_LINT_EXECUTORCH"

_INSTALL = (
    "Install it with: pip install --no-deps 'executorch>=1.5' (its libraries are enough, "
    "torch is not needed)."
)

#: Libraries the probe links, in link order. The backends that need a vendor's own software at run
#: time (QNN, OpenVINO) are left out: their delegates get stand-ins.
LIBRARIES = (
    "executorch",
    "executorch_kernels_optimized",
    "executorch_kernels_quantized",
    "executorch_backend_xnnpack",
    "executorch_threadpool",
)


@dataclass(frozen=True, slots=True)
class Wheel:
    """An installed ExecuTorch package that ships its C++ runtime.

    Attributes:
        root: Folder of the ``executorch`` package.
        version: Its version without a local label, such as ``1.5.1``.
        full_version: The version as the package states it, such as ``1.5.1+cpu``.
        commit: Commit the package was built from, if it says.
    """

    root: Path
    version: str
    full_version: str
    commit: str | None

    @property
    def include_folders(self) -> tuple[Path, Path]:
        """Folders for the compiler to search, as the package's CMake config names them."""
        include = self.root / "include"
        return include, include / "executorch/runtime/core/portable_type/c10"

    @property
    def library_folder(self) -> Path:
        """Folder of the shared libraries."""
        return self.root / "lib"

    def compile_words(self) -> list[str]:
        """What the compiler needs to find its headers."""
        return [word for path in self.include_folders for word in ("-isystem", str(path))]

    def link_words(self, built: Path) -> list[str]:
        """What the linker needs; `built` is the folder of what was built for it before."""
        lib = str(self.library_folder)
        # The kernels and backends register themselves; nothing refers to them by name.
        names = [f"-l{name}" for name in LIBRARIES]
        return ["-L", lib, f"-Wl,-rpath,{lib}", "-Wl,--no-as-needed", *names, "-ldl"]

    def libraries(self) -> tuple[Path, ...]:
        """The shared libraries the probe links.

        Raises:
            HarnessUnavailable: One of them is missing.
        """
        paths = tuple(self.library_folder / f"lib{name}.so" for name in LIBRARIES)
        for path in paths:
            if not path.is_file():
                raise HarnessUnavailable(f"{path} is missing.", _INSTALL)
        return paths


def find_wheel() -> Wheel:
    """Locates the ExecuTorch package, ``PTE_LINT_EXECUTORCH`` before the installed one.

    Raises:
        HarnessUnavailable: There is none, or it has no C++ runtime (releases before 1.5).
    """
    root = _package_folder()
    if not (root / "lib/libexecutorch.so").is_file():
        raise HarnessUnavailable(
            f"The ExecuTorch package in {root} ships no C++ runtime (lib/libexecutorch.so).",
            "Releases from 1.5 for Linux do. " + _INSTALL,
        )
    full, commit = stated_versions(root)
    return Wheel(root, full.partition("+")[0], full, commit)


def stated_versions(root: Path) -> tuple[str, str | None]:
    """The version that a package states of itself, ``unknown`` where none, and its commit."""
    try:
        text = (root / "version.py").read_text(encoding="utf-8")
    except OSError:
        text = ""
    return _stated(text, "__version__") or "unknown", _stated(text, "git_version")


def _package_folder() -> Path:
    override = os.environ.get(ENV_EXECUTORCH)
    if override:
        return Path(override)
    # find_spec of a top-level name reads no code of the package.
    try:
        spec = importlib.util.find_spec("executorch")
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise HarnessUnavailable("No ExecuTorch package is installed.", _INSTALL)
    for location in spec.submodule_search_locations:
        if (Path(location) / "version.py").is_file():
            return Path(location)
    return Path(next(iter(spec.submodule_search_locations)))


def _stated(text: str, name: str) -> str | None:
    found = re.search(rf"^{name}\b[^=\n]*=\s*['\"]([^'\"]+)['\"]", text, re.MULTILINE)
    return found.group(1) if found else None
