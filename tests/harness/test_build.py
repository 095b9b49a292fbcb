"""Building the probe, with a compiler that only keeps count."""

from __future__ import annotations

import shutil
import stat
import threading
from pathlib import Path

import pytest

from pte_lint.harness import build
from pte_lint.harness.build import build_probe, cache_folder, find_compiler
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.wheel import LIBRARIES

COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo "fake $VERSION"; exit 0; }
echo "$@" >> "$LOG"
[ -n "$FAIL" ] && { echo "fatal: no $FAIL" >&2; exit 1; }
sleep 0.01
while [ $# -gt 0 ]; do [ "$1" = -o ] && { : > "$2"; exit 0; }; shift; done
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a pretended wheel and compiler; the file lists the compiler's calls."""
    root = tmp_path / "executorch"
    (root / "lib").mkdir(parents=True)
    for name in LIBRARIES:
        (root / "lib" / f"lib{name}.so").write_bytes(b"")
    compiler = tmp_path / "fake-c++"
    compiler.write_text(COMPILER)
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    log = tmp_path / "calls"
    monkeypatch.setenv("PTE_LINT_EXECUTORCH", str(root))
    monkeypatch.setenv("PTE_LINT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.setenv("VERSION", "1")
    monkeypatch.delenv("FAIL", raising=False)
    return log


def count(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_built_once_and_then_found(calls: Path) -> None:
    first = build_probe()
    assert first.is_file()
    assert first.is_relative_to(cache_folder())
    compiled = count(calls)
    assert compiled == len(list(build.SOURCES.glob("*.cpp"))) + 1  # and one link
    assert build_probe() == first
    assert count(calls) == compiled


@pytest.mark.parametrize("change", ["source", "compiler", "library"])
def test_a_change_makes_another_probe(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(build.SOURCES, sources)
    monkeypatch.setattr(build, "SOURCES", sources)
    first = build_probe()
    if change == "source":
        with (sources / "main.cpp").open("a") as source:
            source.write("// changed\n")
    elif change == "compiler":
        monkeypatch.setenv("VERSION", "2")
    else:
        (tmp_path / "executorch/lib/libexecutorch.so").write_bytes(b"other")
    second = build_probe()
    assert second != first
    assert first.is_file()


def test_concurrent_builds_compile_once(calls: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(build_probe())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert count(calls) == len(list(build.SOURCES.glob("*.cpp"))) + 1


def test_a_failed_build_says_why_and_leaves_nothing(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "header.h")
    with pytest.raises(HarnessUnavailable) as caught:
        build_probe()
    assert "fatal: no header.h" in caught.value.reason
    left = [path.name for path in (cache_folder() / "probe").iterdir()]
    assert all(name.endswith(".lock") for name in left)
    monkeypatch.delenv("FAIL")
    assert build_probe().is_file()


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(HarnessUnavailable, match=r"c\+\+, g\+\+ or clang\+\+"):
        find_compiler()
    monkeypatch.setenv("CXX", "absent-compiler -m64")
    with pytest.raises(HarnessUnavailable, match="absent-compiler"):
        find_compiler()


def test_a_compiler_may_have_arguments(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = find_compiler()[0]
    monkeypatch.setenv("CXX", f"{path} -stdlib=libc++")
    assert find_compiler() == [path, "-stdlib=libc++"]


def test_other_systems_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(HarnessUnavailable, match="darwin"):
        build_probe()


def test_a_cache_folder_that_cannot_be_made(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("PTE_LINT_CACHE_DIR", str(tmp_path / "file/below"))
    with pytest.raises(HarnessUnavailable) as caught:
        build_probe()
    assert "PTE_LINT_CACHE_DIR" in caught.value.hint
