"""Git on a checkout that may be hostile: plumbing only, and nothing that a setting would run.

What `.gitattributes` or `.gitmodules` of the checkout say has no say here: objects are read as they
are stored. Large files of Git LFS are the exception; their address comes from the base.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from steps.job import WORK, StepError

_SAFE: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.pager": "cat",
    "core.quotePath": "false",
    "diff.orderFile": os.devnull,
    "fetch.recurseSubmodules": "false",
    "protocol.ext.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
_ELSEWHERE: Final = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_WORK_TREE",
)
"""Variables that would make git look at something else than the working folder."""

_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_SMALL: Final = 8 << 20
"""Bytes of a settings file that is still read."""

LINK, SUBMODULE = "120000", "160000"


@dataclass(frozen=True)
class Change:
    """A path that differs between two commits."""

    name: str
    mode: str
    """On the new side; `000000` when it is gone."""

    @property
    def gone(self) -> bool:
        """True when the new side does not have it."""
        return self.mode == "000000"


class Git:
    """The repository of the working folder."""

    def __init__(self) -> None:
        """Looks for it; `folder` is None when there is none."""
        self._here = os.getcwd()  # noqa: PTH109
        settings = {**_SAFE, "safe.directory": self._here}
        self._options = [part for k, v in settings.items() for part in ("-c", f"{k}={v}")]
        self._environment = {k: v for k, v in os.environ.items() if k not in _ELSEWHERE}
        self._environment.update(GIT_TERMINAL_PROMPT="0", GIT_NO_REPLACE_OBJECTS="1")
        done = self._try("rev-parse", "--absolute-git-dir")
        self.folder = os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else None
        if self.folder is None and b"not a git repository" not in done.stderr:
            raise StepError(f"git: {done.stderr.decode('utf-8', 'backslashreplace').strip()}")

    def commit(self, name: str) -> str:
        """The id of a commit, fetched when the clone does not have it.

        Raises:
            StepError: there is none.
        """
        if name.startswith("-"):
            raise StepError(f"{name} names no commit")
        found = self._commit(name)
        if found is None:
            self._run("fetch", "--quiet", "--depth=1", "--no-tags", "--", "origin", name)
            found = self._commit(name) or self._commit("FETCH_HEAD")
        if found is None:
            raise StepError(f"{name} names no commit")
        return found

    def changes(self, base: str, head: str) -> list[Change]:
        """What differs between two commits below the working folder, relative to it."""
        flags = "-r -z --raw --no-renames --relative --no-ext-diff --no-textconv"
        told = self._run("diff-tree", *flags.split(), "--ignore-submodules=none", base, head, "--")
        fields = told.split(b"\0")
        return [
            Change(os.fsdecode(name), os.fsdecode(head_line.split()[1]))
            for head_line, name in zip(fields[:-1:2], fields[1::2], strict=True)
        ]

    def files(self, commit: str) -> list[str]:
        """The files and links of a commit below the working folder, relative to it."""
        told = self._run("ls-tree", "-r", "-z", "--name-only", commit)
        return [os.fsdecode(name) for name in told.split(b"\0") if name]

    def text(self, commit: str, name: str) -> bytes | None:
        """A small file of a commit, links within it followed; None when it has no such file.

        Raises:
            StepError: it is too large to be a settings file.
        """
        if "\n" in name:
            return None
        asked = f"{commit}:./{name}\n".encode("utf-8", "surrogateescape")
        told = self._run("cat-file", "--batch-check", "--follow-symlinks", given=asked)
        kind = told.split()
        if len(kind) != 3 or kind[1] != b"blob":  # "missing", "dangling", "loop", a folder
            return None
        if int(kind[2]) > _SMALL:
            raise StepError(f"{name} is too large for a settings file")
        return self._run("cat-file", "blob", kind[0].decode())

    def extract(self, commit: str, name: str, to: Path) -> bool:
        """Writes a file of a commit as it is stored; False when it has no such file."""
        with to.open("wb") as file:
            done = self._try("cat-file", "blob", f"{commit}:./{name}", stdout=file)
        if done.returncode == 0:
            self._smudge(commit, to)
        return done.returncode == 0

    def _smudge(self, commit: str, file: Path) -> None:
        """Replaces a pointer of Git LFS by what it points to, where Git LFS is installed."""
        if file.stat().st_size > 1024 or not file.read_bytes().startswith(_POINTER):
            return
        if shutil.which("git-lfs") is None or self.folder is None:
            return
        # It reads .lfsconfig, which says where objects are fetched, from the work tree: not from
        # the checkout, but from a folder with the base's.
        tree = WORK / "lfs"
        tree.mkdir(exist_ok=True)
        (tree / ".lfsconfig").write_bytes(self.text(commit, ".lfsconfig") or b"")
        environment = {**self._environment, "GIT_DIR": self.folder, "GIT_WORK_TREE": str(tree)}
        whole = file.with_suffix(".whole")
        with file.open("rb") as pointer, whole.open("wb") as content:
            done = subprocess.run(
                ["git", *self._options, "lfs", "smudge"],
                cwd=tree,
                env=environment,
                stdin=pointer,
                stdout=content,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        if done.returncode == 0:
            whole.replace(file)

    def _commit(self, name: str) -> str | None:
        done = self._try("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._try(*arguments, given=given)
        if done.returncode:
            told = done.stderr.decode("utf-8", "backslashreplace").strip()
            raise StepError(f"git {arguments[0]} failed: {told}")
        return done.stdout

    def _try(
        self, *arguments: str, given: bytes = b"", stdout: IO[bytes] | int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", *self._options, *arguments],
            cwd=self._here,
            env=self._environment,
            input=given,
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )
