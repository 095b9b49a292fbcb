"""Selects the artifacts to check: the paths given, or what the change concerns.

A change concerns the artifacts that it brings, the programs beside a data file that it brings or
takes away, all programs when a data file is named in the settings, and everything when settings
change. What cannot be handed on is refused, with a reason, and fails the job.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Final

from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import gather
from steps import settings
from steps.git import LINK, SUBMODULE, Change, Git
from steps.job import (
    LIST,
    PROGRAMS,
    SUFFIXES,
    WORK,
    StepError,
    lines,
    output,
    say,
    value,
)
from steps.settings import InForce

_REFUSED: Final = WORK / "refused.json"


def run() -> None:
    """The step."""
    for old in (LIST, _REFUSED):
        old.unlink(missing_ok=True)
    git = Git()
    in_force = settings.establish(git)
    in_force.save()
    paths = lines("PATHS")
    base = value("BASE") or value("QUEUE_BASE")
    if paths:
        names = _given(paths)
        if not names:
            raise StepError("there is nothing to check in what `paths` names")
    elif not base:
        raise StepError("nothing to select: give paths, or run on a pull request")
    elif git.folder is None:
        raise StepError("nothing to select: the working folder is no git repository; give paths")
    else:
        names = list(_concerned(git, git.commit(base), in_force))
    good: list[str] = []
    refused: list[tuple[str, str]] = []
    for name in dict.fromkeys(names):
        reason = None if "://" in name and paths else _refusal(name)
        if reason is None:
            good.append(name)
        else:
            refused.append((name, reason))
            say(f"refused: {name}: {reason}")
    LIST.write_bytes(b"".join(os.fsencode(name) + b"\0" for name in good))
    _REFUSED.write_text(json.dumps(refused), "utf-8")
    for name in in_force.changed:
        say(f"changed, and not in force: {name}")
    say(f"artifacts to check: {len(good) + len(refused)}")
    output("count", len(good) + len(refused))


def refused() -> list[tuple[str, str]]:
    """What was not handed on, each with the reason."""
    return [(name, reason) for name, reason in json.loads(_REFUSED.read_text("utf-8"))]


def _given(paths: Sequence[str]) -> list[str]:
    """Folders and globs are expanded as on the command line; addresses stay what they are."""
    names: list[str] = []
    for path in paths:
        if "://" in path:
            names.append(path)
            continue
        if path == "-":
            raise StepError("the standard input is no artifact here")
        try:
            found = gather([path]).all_read()
        except Trouble as trouble:
            raise StepError("\n".join(trouble.lines)) from trouble
        for remark in found.remarks:
            say(remark)
        names += (each.name for each in found.inputs)
    return names


def _concerned(git: Git, base: str, in_force: InForce) -> Iterator[str]:
    head = git.commit("HEAD")
    if value("PR_HEAD") and head == base and git.commit(value("PR_BASE")) != value("PR_HEAD"):
        raise StepError("the working folder holds the base, not the pull request; check it out")
    changes = git.changes(base, head)
    every = [name for name in git.files(head) if name.lower().endswith(SUFFIXES)]
    if in_force.changed:
        yield from every
    yield from _brought(changes)
    data = [each.name for each in changes if each.name.lower().endswith(".ptd")]
    beside = {PurePath(name).parent for name in data}
    named = not set(in_force.data).isdisjoint(data)
    for name in every:
        if name.lower().endswith(PROGRAMS) and (named or PurePath(name).parent in beside):
            yield name


def _brought(changes: Iterable[Change]) -> Iterator[str]:
    """The artifacts that a change brings: files, and what new folders from elsewhere hold."""
    for change in changes:
        if change.gone:
            continue
        if change.mode == SUBMODULE or (change.mode == LINK and Path(change.name).is_dir()):
            held = list(_below(change.name))
            if not held:
                say(f"holds nothing to check here: {change.name}")
            yield from held
        elif change.name.lower().endswith(SUFFIXES):
            yield change.name


def _below(folder: str) -> Iterator[str]:
    for here, _, files in os.walk(folder):
        for name in files:
            if name.lower().endswith(SUFFIXES):
                yield os.path.join(here, name)  # noqa: PTH118 - keeps the spelling


def _refusal(name: str) -> str | None:
    """Why a file must not be handed to a tool that opens it; None when it may be."""
    inside = settings.inside(name) is not None
    real = Path(os.path.realpath(name))
    here = Path.cwd()
    try:
        mode = real.stat().st_mode
    except (OSError, ValueError):
        return "it is not in the working folder"
    if inside and not real.is_relative_to(here):
        return "a link that leads out of the working folder"
    if inside and ".git" in real.relative_to(here).parts:
        return "a link that leads into the repository's own files"
    if not stat.S_ISREG(mode):
        return "it is not a regular file"
    return None
