"""Compares what was selected with the base's versions."""

from __future__ import annotations

import filecmp
import json
import shutil
from pathlib import Path
from typing import Final

from steps.git import Git
from steps.job import WORK, StepError, nothing_selected, output, pte_lint, say, selected, value
from steps.settings import InForce, inside

MARKDOWN: Final = WORK / "diff.md"
INCOMPARABLE: Final = WORK / "incomparable.json"

_OLD, _ONE = WORK / "old", WORK / "one.md"


def run() -> None:
    """The step."""
    for before in (MARKDOWN, INCOMPARABLE):
        before.unlink(missing_ok=True)
    base, folder = value("BASE") or value("QUEUE_BASE"), value("BASE_FOLDER")
    if nothing_selected() or not (base or folder):
        output("code", 0)
        return
    old = _OldOnes(base, folder)
    conditions = [f"--fail-on={text}"] if (text := value("DIFF_FAIL_ON")) else []
    options = ["--format=markdown", *conditions, *InForce.load().options]
    code = 0
    incomparable: list[str] = []
    for name in selected():
        if not old.fetch(name):
            say(f"new: {name}")
            continue
        if filecmp.cmp(_OLD, name, shallow=False):
            say(f"the same: {name}")
            continue
        one = pte_lint(["diff", *options, "--", str(_OLD), name], out=_ONE)
        if one <= 1:
            with MARKDOWN.open("ab") as file:
                file.write(_ONE.read_bytes() + b"\n")
            say(f"changed: {name}")
            code = one or code
        else:
            say(f"cannot be compared: {name}")
            incomparable.append(name)
            # What was asked for cannot be answered.
            code = code or (2 if conditions else 0)
    INCOMPARABLE.write_text(json.dumps(incomparable), "utf-8")
    output("code", code)


class _OldOnes:
    """The base's versions: in a folder, or in a commit."""

    def __init__(self, base: str, folder: str) -> None:
        self._folder = folder
        if folder:
            return
        self._git = Git()
        if self._git.folder is None:
            if value("DIFF_FAIL_ON"):
                raise StepError(
                    "there is nothing to compare with: no git repository, no base-folder"
                )
            self._commit = ""
        else:
            self._commit = self._git.commit(base)

    def fetch(self, name: str) -> bool:
        """Puts an artifact's old version into `_OLD`; False when there is none."""
        path = None if "://" in name else inside(name)
        if path is None:
            return False
        if self._folder:
            old = Path(self._folder, path)
            if old.is_file():
                shutil.copyfile(old, _OLD)
            return old.is_file()
        return bool(self._commit) and self._git.extract(self._commit, path, _OLD)
