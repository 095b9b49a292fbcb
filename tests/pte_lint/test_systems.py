"""Everything but running programs works where the system is not POSIX, as far as Linux can show it:
modules and calls that other systems lack are taken away before anything is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from pte_lint.cli.options import data_given, outputs
from pte_lint.files.remote.address import is_address

MODEL = Path(__file__).parents[1] / "data" / "clean" / "linear.pte"

_WITHOUT = """
import os, signal, sys

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "crypt", "nis")
# Python's own multiprocessing and tempfile look these up as they are imported.
import tempfile, subprocess, shutil
CALLS = (
    "O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_CLOEXEC O_NOCTTY O_SYNC fork forkpty getuid geteuid "
    "getgid getegid getpgid setsid killpg chown lchown fchown fchmod mkfifo mknod pread pwrite "
    " sendfile set_blocking get_blocking nice uname sched_getaffinity statvfs memfd_create"
)


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ImportError(f"{name} is not on this system")
        return None


for name in MODULES:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
for name in CALLS.split():
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1"):
    delattr(signal, name)
os.supports_dir_fd = set()

from click.testing import CliRunner
from pte_lint.cli.app import app

for words in __WORDS__:
    result = CliRunner().invoke(app, words, prog_name="pte-lint")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    print(result.exit_code, " ".join(words[:1]), "Traceback" in result.output)

sys.platform = "win32"
result = CliRunner().invoke(app, ["confirm", __MODEL__], prog_name="pte-lint")
print(result.exit_code, result.stderr.strip())
"""


def test_everything_but_confirm_needs_no_posix(tmp_path: Path) -> None:
    model = str(MODEL)
    words = [
        ["check", model],
        ["check", model, "--output", f"sarif={tmp_path / 'a.sarif'}", "--cache"],
        ["inspect", model],
        ["report", model, "-o", str(tmp_path / "report.html")],
        ["diff", model, model],
        ["explain", "PTE301"],
        ["rules"],
        ["memory", model],
        ["graph", model],
        ["baseline", "write", model, "--baseline", str(tmp_path / "known.json")],
    ]
    code = _WITHOUT.replace("__WORDS__", repr(words)).replace("__MODEL__", repr(model))
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PTE_LINT_CACHE_DIR": str(tmp_path / "cache"),
    }
    env.pop("PTE_LINT_NO_CACHE", None)
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *lines, confirm = done.stdout.splitlines()
    assert lines == [f"0 {each[0]} False" for each in words]
    assert confirm == (
        "2 error: Programs are run on Linux only, this is win32. Use a Linux machine or container."
    )
    assert (tmp_path / "a.sarif").is_file()
    assert (tmp_path / "report.html").is_file()
    assert list((tmp_path / "cache").rglob("*")), "the cache was not used"


@pytest.mark.parametrize("path", [r"C:\models\a.pte", "C:/models/a.pte", r"\\host\share\a.pte"])
def test_paths_with_drives_are_paths(path: str) -> None:
    assert not is_address(path)
    assert data_given(path) == Path(path)
    assert outputs([f"json={path}"]) == {"json": Path(path)}
    assert PureWindowsPath(path).name == "a.pte"
