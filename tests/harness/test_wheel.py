"""Finding the installed runtime."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.wheel import LIBRARIES, find_wheel


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like an ExecuTorch package, named in the environment."""
    root = tmp_path / "executorch"
    (root / "lib").mkdir(parents=True)
    for name in LIBRARIES:
        (root / "lib" / f"lib{name}.so").write_bytes(b"")
    (root / "version.py").write_text(
        'from typing import Optional\n__version__ = "1.6.0+cu128"\n'
        "git_version: Optional[str] = 'abc123'\n"
    )
    monkeypatch.setenv("PTE_LINT_EXECUTORCH", str(root))
    return root


def test_what_the_package_says_of_itself(package: Path) -> None:
    wheel = find_wheel()
    assert (wheel.root, wheel.version) == (package, "1.6.0")
    assert (wheel.full_version, wheel.commit) == ("1.6.0+cu128", "abc123")
    assert [path.name for path in wheel.libraries()] == [f"lib{name}.so" for name in LIBRARIES]


def test_no_version_file(package: Path) -> None:
    (package / "version.py").unlink()
    assert (find_wheel().version, find_wheel().commit) == ("unknown", None)


def test_a_release_without_the_runtime(package: Path) -> None:
    (package / "lib/libexecutorch.so").unlink()
    with pytest.raises(HarnessUnavailable) as caught:
        find_wheel()
    assert "ships no C++ runtime" in caught.value.reason
    assert "1.5" in caught.value.hint


def test_a_library_that_is_missing_is_named(package: Path) -> None:
    (package / "lib/libexecutorch_kernels_quantized.so").unlink()
    with pytest.raises(HarnessUnavailable, match="kernels_quantized"):
        find_wheel().libraries()


def test_nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTE_LINT_EXECUTORCH", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(HarnessUnavailable) as caught:
        find_wheel()
    assert "pip install --no-deps" in caught.value.hint


def test_finding_does_not_import(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTE_LINT_EXECUTORCH")
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(package.parent))
    for name in [name for name in sys.modules if name.split(".")[0] == "executorch"]:
        monkeypatch.delitem(sys.modules, name)
    assert find_wheel().root == package
    assert "executorch" not in sys.modules
