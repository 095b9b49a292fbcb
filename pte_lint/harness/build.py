"""Builds the probe on first use and keeps it under the user's cache folder."""

from __future__ import annotations

import hashlib
import hmac
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from pte_lint.files import state
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.older_wheel import OlderWheel
from pte_lint.harness.wheel import LIBRARIES, Wheel, find_wheel
from pte_lint.schema.frozen import dataclass
from pte_lint.text.notice import notice

#: Folder to use instead of the user's cache folder.
ENV_CACHE = "PTE_LINT_CACHE_DIR"

SOURCES = Path(__file__).parent / "probe"

#: C++17 is what the runtime's headers need; the definition is the one its CMake config asks for.
FLAGS = ("-std=c++17", "-O1", "-g0", "-fPIE", "-pthread", "-DC10_USING_CUSTOM_GENERATED_MACROS")

_COMPILE_SECONDS = 300

_NAME = "pte-lint-probe"

#: Beside the probe: the code that says it was built here.
_CODE = "pte-lint-probe.code"
_CODE_BYTES = 32

#: Beside a probe for an older release: what stands for PyTorch's libraries.
_TORCHLESS = "libtorch.so"
_MOST_TORCHLESS = 16 << 20


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


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe that was built here, or was found to be just what was built.

    Attributes:
        path: Where it lies; for people.
        descriptor: The very file that was looked at, open for as long as this process lives. It is
            started through this, so that nothing can take its place in between.
    """

    path: Path
    descriptor: int
    torchless: bytes = b""
    """What is to stand for PyTorch's libraries where the runtime wants them: a shared library."""


_OPEN: dict[str, Probe] = {}
_OPENING = threading.Lock()
_ADOPTED = "adopted"


def adopt(path: Path | None) -> None:
    """Takes a probe that was built elsewhere for the installed runtime, or None: no longer.

    Whoever calls this answers for the file: nothing tells that it is ours.
    """
    _OPEN.pop(_ADOPTED, None)
    if path is not None:
        _OPEN[_ADOPTED] = Probe(path, os.open(path, os.O_RDONLY | os.O_CLOEXEC))


def build_probe(wheel: Wheel | None = None) -> Probe:
    """The probe for a runtime, the installed one by default, built now if it has not been before.

    What is found in the cache folder is used only if it carries a code that this user's secret made
    for its bytes (`pte_lint.files.state`), and belongs to the user. Anything else is built anew,
    and so is everything where there is no secret. The file's place follows from the sources, the
    flags, the runtime's libraries and the compiler, so a change of any of them makes a new one.
    Concurrent calls, also from other processes, build once.

    Raises:
        HarnessUnavailable: No Linux, no runtime, no compiler, or the compiler failed.
    """
    if not sys.platform.startswith("linux"):
        raise HarnessUnavailable(
            f"Programs are run on Linux only, this is {sys.platform}.",
            "Use a Linux machine or container.",
        )
    wheel = wheel or find_wheel()
    if _ADOPTED in _OPEN and not isinstance(wheel, OlderWheel):
        return _OPEN[_ADOPTED]
    compiler = find_compiler()
    key = _key(wheel, compiler)
    with _OPENING:
        if key not in _OPEN:
            secret = state.secret()
            if secret is None:
                _OPEN[key] = _build_for_now(key, wheel, compiler)
            else:
                _OPEN[key] = _find_or_build(key, secret, wheel, compiler)
        return _OPEN[key]


def _build_for_now(key: str, wheel: Wheel, compiler: list[str]) -> Probe:
    """Builds for this process alone: nobody could tell later that the file is ours."""
    with tempfile.TemporaryDirectory(prefix="pte-lint-build-") as scratch:
        folder = Path(scratch) / key
        _tell(None)
        _build_into(folder, wheel, compiler)
        path = folder / _NAME
        descriptor = state.open_own(path)
        torchless = _torchless(folder)
    if descriptor is None:
        raise _vanished(path)
    return Probe(path, descriptor, torchless)


def _find_or_build(key: str, secret: bytes, wheel: Wheel, compiler: list[str]) -> Probe:
    folder = cache_folder() / "probe" / key
    _own_folder(folder.parent)
    with _locked(folder.with_suffix(".lock")):
        found = _verified(folder, key, secret)
        if found is None:
            _remove(folder)
            _tell(folder.parent)
            _build_into(folder, wheel, compiler)
            built = state.open_own(folder / _NAME)
            if built is None:
                raise _vanished(folder / _NAME)
            code = _code(built, _torchless(folder), key, secret)
            os.close(built)
            with os.fdopen(state.create_own(folder / _CODE), "wb") as file:
                file.write(code)
            found = _verified(folder, key, secret)
        if found is None:
            raise _vanished(folder / _NAME)
        return found


def _vanished(path: Path) -> HarnessUnavailable:
    return HarnessUnavailable(
        f"The probe that was just built at {path} is gone or was changed.",
        f"Name a folder that nobody else writes to in {ENV_CACHE}.",
    )


def _verified(folder: Path, key: str, secret: bytes) -> Probe | None:
    """The probe in a folder if it is what was built; None for anything else that may be there."""
    try:
        told = folder.lstat()
    except OSError:
        return None
    code = state.open_own(folder / _CODE)
    if code is None:
        return None
    with os.fdopen(code, "rb") as file:
        said = file.read(_CODE_BYTES + 1)
    descriptor = state.open_own(folder / _NAME)
    if descriptor is None:
        return None
    torchless = _torchless(folder)
    if (
        stat.S_ISDIR(told.st_mode)
        and state.is_own(told)
        and hmac.compare_digest(said, _code(descriptor, torchless, key, secret))
    ):
        return Probe(folder / _NAME, descriptor, torchless)
    os.close(descriptor)
    return None


def _torchless(folder: Path) -> bytes:
    """The bytes of what stands for PyTorch's libraries; none where the runtime needs nothing."""
    descriptor = state.open_own(folder / _TORCHLESS)
    if descriptor is None:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_TORCHLESS)


def _code(descriptor: int, torchless: bytes, key: str, secret: bytes) -> bytes:
    """What says that these bytes were built here, for this place."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    digest = hashlib.sha256()
    with os.fdopen(os.dup(descriptor), "rb") as file:
        for piece in iter(lambda: file.read(1 << 18), b""):
            digest.update(piece)
    digest.update(hashlib.sha256(torchless).digest())
    return state.sign(secret, b"probe", key.encode(), digest.digest())


def _own_folder(folder: Path) -> None:
    """Makes the folder of probes, and sees to it that nobody else can put something there.

    Raises:
        HarnessUnavailable: It cannot be made, or belongs to somebody else.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = folder.lstat()
        if stat.S_ISDIR(told.st_mode) and told.st_uid == os.geteuid():
            folder.chmod(0o700)
            return
    except OSError as error:
        raise HarnessUnavailable(
            f"The cache folder cannot be made: {error}.", f"Name another one in {ENV_CACHE}."
        ) from error
    raise HarnessUnavailable(
        f"The cache folder {folder} is a link or belongs to another user.",
        f"Name another one in {ENV_CACHE}.",
    )


def _remove(path: Path) -> None:
    """Removes whatever is in the way, and nothing that it links to."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _key(wheel: Wheel, compiler: list[str]) -> str:
    digest = hashlib.sha256(_sources(tuple(map(_state, _source_files()))))
    for library in wheel.libraries():
        stat = library.stat()
        digest.update(f"{library}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    digest.update(f"{wheel.full_version}\0{wheel.commit}\0{FLAGS}\0{LIBRARIES}\0".encode())
    version = _version((*compiler,), _state(Path(compiler[0])))
    digest.update("\0".join(compiler).encode() + b"\0" + version)
    return digest.hexdigest()[:32]


def _state(path: Path) -> tuple[str, int, int]:
    told = path.stat()
    return str(path), told.st_size, told.st_mtime_ns


def _source_files() -> list[Path]:
    return sorted(each for each in SOURCES.rglob("*") if each.suffix in {".h", ".cpp"})


@lru_cache(maxsize=1)
def _sources(_told: tuple[tuple[str, int, int], ...]) -> bytes:
    """The contents of the sources, read again when one of their files changes."""
    digest = hashlib.sha256()
    for source in _source_files():
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.digest()


@lru_cache(maxsize=4)
def _version(compiler: tuple[str, ...], _told: tuple[str, int, int]) -> bytes:
    """What the compiler says of itself, asked again when its file changes."""
    words = [*compiler, "--version"]
    return subprocess.run(words, capture_output=True, check=False, timeout=60).stdout


def _tell(folder: Path | None) -> None:
    sources = len(list(SOURCES.glob("*.cpp")))
    kept = f"it is kept in {folder}" if folder else "it cannot be kept here, and is built each time"
    notice(f"building the probe that runs programs ({sources} C++ files, a minute or two); {kept}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl  # not on every system, and only those that have it get here

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notice("another process is building the probe that runs programs: waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _build_into(folder: Path, wheel: Wheel, compiler: list[str]) -> None:
    """Compiles next to `folder` and renames: a folder that exists is complete."""
    # Only here, as programs are run far more often than what runs them is built.
    from concurrent.futures import ThreadPoolExecutor

    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="build-") as scratch:
        work = Path(scratch)
        sources = sorted(SOURCES.glob("*.cpp"))
        objects = [work / f"{source.stem}.o" for source in sources]
        commands = [
            [*compiler, *FLAGS, *wheel.compile_words(), "-c", str(source), "-o", str(target)]
            for source, target in zip(sources, objects, strict=True)
        ]
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
            list(pool.map(_compile, commands))
        done = work / "done"
        done.mkdir(mode=0o700)
        if isinstance(wheel, OlderWheel):
            _build_torchless(done / _TORCHLESS, wheel, compiler, work)
            (done / _TORCHLESS).chmod(0o600)
        link = [*compiler, "-pie", "-pthread", *map(str, objects), *wheel.link_words(done)]
        _compile([*link, "-o", str(done / _NAME)])
        (done / _NAME).chmod(0o700)
        done.rename(folder)


def _build_torchless(target: Path, wheel: OlderWheel, compiler: list[str], work: Path) -> None:
    symbols = work / "symbols.s"
    symbols.write_text(wheel.torchless_symbols(), encoding="utf-8")
    source = SOURCES / "torchless" / "torchless.cpp"
    words = [*FLAGS[:2], str(source), str(symbols), *wheel.torchless_words()]
    _compile([*compiler, *words, "-o", str(target)])


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
            "The probe needs the headers and libraries of executorch 1.5 or later and C++17; of "
            "older releases 1.4.1 and 1.3.1 are known to do.",
        )
