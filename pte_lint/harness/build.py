"""Builds the probe on first use and keeps it under the user's cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.wheel import LIBRARIES, Wheel, find_wheel

#: Folder to use instead of the user's cache folder.
ENV_CACHE = "PTE_LINT_CACHE_DIR"

SOURCES = Path(__file__).parent / "probe"

#: C++17 is what the runtime's headers need; the definition is the one its CMake config asks for.
FLAGS = ("-std=c++17", "-O1", "-g0", "-fPIE", "-pthread", "-DC10_USING_CUSTOM_GENERATED_MACROS")

_COMPILE_SECONDS = 300


def cache_folder() -> Path:
    """Where built probes are kept: ``PTE_LINT_CACHE_DIR``, else the user's cache folder."""
    override = os.environ.get(ENV_CACHE)
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("pte-lint"))


def find_compiler() -> list[str]:
    """The C++ compiler as a command: ``$CXX``, else the first of c++, g++, clang++ that exists.

    Raises:
        HarnessUnavailable: There is none.
    """
    chosen = shlex.split(os.environ.get("CXX", ""))
    for command in [chosen] if chosen else [["c++"], ["g++"], ["clang++"]]:
        path = shutil.which(command[0])
        if path:
            return [path, *command[1:]]
    wanted = chosen[0] if chosen else "c++, g++ or clang++"
    raise HarnessUnavailable(
        f"No C++ compiler was found ({wanted}).",
        "Install one (on Debian: apt install g++) or name it in the environment variable CXX.",
    )


def build_probe() -> Path:
    """Path of the probe for the installed runtime, built now if it has not been built before.

    The file's place follows from the sources, the flags, the runtime's libraries and the compiler,
    so a change of any of them makes a new one. Concurrent calls, also from other processes, build
    once.

    Raises:
        HarnessUnavailable: No Linux, no runtime, no compiler, or the compiler failed.
    """
    if not sys.platform.startswith("linux"):
        raise HarnessUnavailable(
            f"Programs are run on Linux only, this is {sys.platform}.",
            "Use a Linux machine or container.",
        )
    wheel = find_wheel()
    compiler = find_compiler()
    folder = cache_folder() / "probe" / _key(wheel, compiler)
    probe = folder / "pte-lint-probe"
    if probe.is_file():
        return probe
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarnessUnavailable(
            f"The cache folder cannot be made: {error}.", f"Name another one in {ENV_CACHE}."
        ) from error
    with _locked(folder.with_suffix(".lock")):
        if not probe.is_file():
            _build_into(folder, wheel, compiler)
    return probe


def _key(wheel: Wheel, compiler: list[str]) -> str:
    digest = hashlib.sha256()
    for source in sorted(SOURCES.iterdir()):
        if source.suffix in {".h", ".cpp"}:
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    for library in wheel.libraries():
        stat = library.stat()
        digest.update(f"{library}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    digest.update(f"{wheel.full_version}\0{wheel.commit}\0{FLAGS}\0{LIBRARIES}\0".encode())
    version = subprocess.run([*compiler, "--version"], capture_output=True, check=False, timeout=60)
    digest.update("\0".join(compiler).encode() + b"\0" + version.stdout)
    return digest.hexdigest()[:32]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build_into(folder: Path, wheel: Wheel, compiler: list[str]) -> None:
    """Compiles next to `folder` and renames: a folder that exists is complete."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="build-") as scratch:
        work = Path(scratch)
        includes = [part for path in wheel.include_folders for part in ("-isystem", str(path))]
        sources = sorted(SOURCES.glob("*.cpp"))
        objects = [work / f"{source.stem}.o" for source in sources]
        commands = [
            [*compiler, *FLAGS, *includes, "-c", str(source), "-o", str(target)]
            for source, target in zip(sources, objects, strict=True)
        ]
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
            list(pool.map(_compile, commands))
        done = work / "done"
        done.mkdir()
        lib = str(wheel.library_folder)
        link = [*compiler, "-pie", "-pthread", *map(str, objects), "-L", lib, f"-Wl,-rpath,{lib}"]
        # The kernels and backends register themselves; nothing refers to them by name.
        link += ["-Wl,--no-as-needed", *(f"-l{name}" for name in LIBRARIES), "-ldl"]
        _compile([*link, "-o", str(done / "pte-lint-probe")])
        done.rename(folder)


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_COMPILE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HarnessUnavailable(f"{command[0]} cannot be run: {error}.", "Check CXX.") from error
    if done.returncode != 0:
        words = "\n".join(done.stderr.strip().splitlines()[:12])
        raise HarnessUnavailable(
            f"The probe could not be built ({command[0]} ended with {done.returncode}):\n{words}",
            "The probe needs the headers and libraries of executorch 1.5 or later and C++17.",
        )
