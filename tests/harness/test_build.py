"""Building the probe, with a compiler that only keeps count."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.harness import build
from pte_lint.harness.build import Probe, build_probe, cache_folder, find_compiler
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.wheel import LIBRARIES
from pte_lint.text.notice import listening

COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo "fake $VERSION"; exit 0; }
echo "$@" >> "$LOG"
[ -n "$FAIL" ] && { echo "fatal: no $FAIL" >&2; exit 1; }
sleep 0.01
while [ $# -gt 0 ]; do [ "$1" = -o ] && { echo built > "$2"; exit 0; }; shift; done
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
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(build, "_OPEN", {})
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.setenv("VERSION", "1")
    monkeypatch.delenv("FAIL", raising=False)
    return log


def find_compiler_file() -> Path:
    return Path(find_compiler()[0])


def count(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_built_once_and_then_found(calls: Path) -> None:
    first = build_probe()
    assert first.path.is_file()
    assert first.path.is_relative_to(cache_folder())
    compiled = count(calls)
    assert compiled == len(list(build.SOURCES.glob("*.cpp"))) + 1  # and one link
    assert build_probe() == first
    assert count(calls) == compiled


def _note() -> str:
    files = len(list(build.SOURCES.glob("*.cpp")))
    where = cache_folder() / "probe"
    return (
        f"building the probe that runs programs ({files} C++ files, a minute or two); it is kept "
        f"in {where}"
    )


def test_a_build_is_told_of_before_it_starts_and_only_then(calls: Path) -> None:
    said: list[tuple[str, int]] = []
    with listening(lambda text: said.append((text, count(calls)))):
        build_probe()
        build._OPEN.clear()
        build_probe()
    assert said == [(_note(), 0)]


def test_who_waits_for_the_build_of_another_process_is_told(calls: Path) -> None:
    path = calls.parent / "probe.lock"
    said: list[str] = []
    free = threading.Event()

    def hold() -> None:
        with build._locked(path):
            held.set()
            free.wait()

    def heard(text: str) -> None:
        said.append(text)
        free.set()

    held = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    with listening(heard), build._locked(path):
        pass
    holder.join()
    assert said == ["another process is building the probe that runs programs: waiting for it"]


def test_the_command_line_says_on_stderr_that_it_builds(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "header.h")
    convnet = Path(__file__).parents[1] / "data" / "clean" / "convnet.pte"
    result = CliRunner().invoke(app, ["confirm", "--isolated", str(convnet)])
    assert result.exit_code == 2
    first, second, *_ = result.stderr.splitlines()
    assert first == f"note: {_note()}"
    assert second.startswith("error: The probe could not be built")
    assert result.stdout == ""


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
        with find_compiler_file().open("a") as script:
            script.write("# installed anew\n")
    else:
        (tmp_path / "executorch/lib/libexecutorch.so").write_bytes(b"other")
    second = build_probe()
    assert second.path != first.path
    assert first.path.is_file()


def test_concurrent_builds_compile_once(calls: Path) -> None:
    found: list[Probe] = []
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
    assert build_probe().path.is_file()


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


# -- what others put into the cache folder ---------------------------------------------------------


def anew(monkeypatch: pytest.MonkeyPatch) -> Probe:
    """As the next process sees it."""
    monkeypatch.setattr(build, "_OPEN", {})
    return build_probe()


def content(probe: Probe) -> bytes:
    return Path(f"/proc/self/fd/{probe.descriptor}").read_bytes()


def test_what_was_built_is_found_by_the_next_process(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build_probe()
    compiled = count(calls)
    assert anew(monkeypatch).path == first.path
    assert count(calls) == compiled
    assert content(build_probe()) == b"built\n"


def planted(probe: Path) -> None:
    probe.unlink()
    probe.write_bytes(b"planted")
    probe.chmod(0o700)


def changed(probe: Path) -> None:
    with probe.open("ab") as file:
        file.write(b"x")


def linked(probe: Path) -> None:
    other = probe.with_name("other")
    probe.rename(other)
    probe.symlink_to(other)


def without_code(probe: Path) -> None:
    probe.with_name(f"{probe.name}.code").unlink()


def with_a_code_too_long(probe: Path) -> None:
    with probe.with_name(f"{probe.name}.code").open("ab") as file:
        file.write(b"x")


def fifo(probe: Path) -> None:
    probe.unlink()
    os.mkfifo(probe)


def writable_by_others(probe: Path) -> None:
    probe.chmod(0o722)


def in_a_folder_writable_by_others(probe: Path) -> None:
    probe.parent.chmod(0o777)


def of_another_user(probe: Path) -> None:
    os.chown(probe, 65534, 65534)


def folder_is_a_link(probe: Path) -> None:
    aside = probe.parent.parent.parent / "aside"
    probe.parent.rename(aside)
    probe.parent.symlink_to(aside)


def folder_is_a_file(probe: Path) -> None:
    shutil.rmtree(probe.parent)
    probe.parent.write_bytes(b"")


@pytest.mark.parametrize(
    "spoil",
    [
        planted,
        changed,
        linked,
        without_code,
        with_a_code_too_long,
        fifo,
        writable_by_others,
        in_a_folder_writable_by_others,
        pytest.param(
            of_another_user, marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
        ),
        folder_is_a_link,
        folder_is_a_file,
    ],
)
def test_what_was_not_built_here_is_built_anew(
    calls: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None]
) -> None:
    first = build_probe()
    compiled = count(calls)
    spoil(first.path)
    found = anew(monkeypatch)
    assert (found.path, content(found)) == (first.path, b"built\n")
    assert count(calls) == 2 * compiled
    anew(monkeypatch)
    assert count(calls) == 2 * compiled


def test_a_folder_from_elsewhere_is_worth_nothing(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that a build server restores, made by somebody who has the same everything."""
    build_probe()
    compiled = count(calls)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state of another machine"))
    anew(monkeypatch)
    assert count(calls) == 2 * compiled


def test_without_a_secret_it_is_built_for_this_process_only(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    first = build_probe()
    compiled = count(calls)
    assert content(first) == b"built\n"
    assert not first.path.exists()
    assert build_probe() == first
    assert count(calls) == compiled
    anew(monkeypatch)
    assert count(calls) == 2 * compiled


def test_a_link_in_place_of_the_cache_folder_is_refused(calls: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/probe").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HarnessUnavailable, match="link"):
        build_probe()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_folder_of_probes_is_closed_to_others(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache/probe").mkdir(parents=True)
    (tmp_path / "cache/probe").chmod(0o777)
    old = os.umask(0o002)
    try:
        probe = build_probe()
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "cache/probe").stat().st_mode) == 0o700
    assert stat.S_IMODE(probe.path.stat().st_mode) == 0o700
    compiled = count(calls)
    anew(monkeypatch)
    assert count(calls) == compiled
