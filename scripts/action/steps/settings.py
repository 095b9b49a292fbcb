"""Whose settings are in force: those of the base branch, in a copy beside the checkout.

Settings are the configuration (ignore entries with it), the baseline and the target's profile. A
change that brings its own would judge itself. What it brings is reported, and judged separately.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pte_lint.config.file import OWN_NAME, SHARED_NAME, ConfigError, load
from steps.git import Git
from steps.job import WORK, StepError, lines, value

if TYPE_CHECKING:
    from pte_lint.config.model import Config

MIRROR: Final = WORK / "settings"
"""The base's settings files, where they lie in the working folder."""

_FILE: Final = WORK / "settings.json"


@dataclass(frozen=True)
class InForce:
    """Whose settings are in force."""

    commit: str | None
    """The base's; None: those of the checkout are."""
    changed: tuple[str, ...] = ()
    """Settings files that are different in the checkout, and not in force."""
    data: tuple[str, ...] = ()
    """Data files that settings of either side name, relative to the working folder."""

    @property
    def options(self) -> list[str]:
        """What makes `pte-lint` use them."""
        return [] if self.commit is None else [f"--settings-from={MIRROR}"]

    def save(self) -> None:
        """Keeps it for the steps to come."""
        _FILE.write_text(json.dumps(asdict(self)), "utf-8")

    @classmethod
    def load(cls) -> InForce:
        """What an earlier step kept.

        Raises:
            StepError: none did.
        """
        try:
            known = json.loads(_FILE.read_text("utf-8"))
        except FileNotFoundError as exc:
            raise StepError("which settings are in force was not determined") from exc
        return cls(known["commit"], tuple(known["changed"]), tuple(known["data"]))


def trusted_base() -> str:
    """The commit whose settings are in force, as it was given; empty: the checkout's are.

    The base of a pull request or of a merge queue, or the one that the workflow gives on another
    event; unless it says `head`. What is pushed is by somebody who may push, and has no base here.

    Raises:
        StepError: CONFIG_FROM is something else.
    """
    chosen = value("CONFIG_FROM") or "base"
    if chosen not in ("base", "head"):
        raise StepError(f"config-from is base or head, not {chosen}")
    if chosen == "head":
        return ""
    given = "" if value("EVENT") == "push" else value("BASE")
    return value("PR_BASE") or value("QUEUE_BASE") or given


def establish(git: Git) -> InForce:
    """Copies the base's settings files and finds those that the checkout has changed.

    Raises:
        StepError: the base cannot be read.
    """
    base = trusted_base()
    head = git.commit("HEAD") if git.folder is not None else None
    new = _Side(git, head, WORK / "proposed-settings")
    if not base:
        return InForce(None, data=tuple(dict.fromkeys(new.data())))
    old = _Side(git, git.commit(base) if head is not None else None, MIRROR)
    if head is None:
        # Nothing says what the base's are: then there are none.
        changed = [name for name in old.files() if os.path.lexists(name)]
    else:
        changed = [name for name in old.files() if not _same(name, old, new)]
    data = dict.fromkeys([*old.data(), *new.data()])
    return InForce(old.commit or "", tuple(changed), tuple(data))


class _Side:
    """The settings files of one commit, copied to a folder as they are asked for."""

    def __init__(self, git: Git, commit: str | None, folder: Path) -> None:
        """Empties the folder; a side without a commit has no files."""
        self.commit = commit
        self._git = git
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    def content(self, name: str) -> bytes | None:
        """The content of a file; None when it is not there."""
        text = self._git.text(self.commit, name) if self.commit is not None else None
        if text is not None:
            copy = self._folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)
        return text

    def configuration(self, name: str) -> Config | None:
        """A configuration file; None when it is not there, has no settings, or cannot be used."""
        if self.content(name) is None:
            return None
        try:
            return load(self._folder / name).config
        except ConfigError:
            return None

    def files(self) -> list[str]:
        """The settings files that there may be: all that options and configurations name."""
        names = _configurations()
        for option in ("--baseline", "--target"):
            names += _insides(_given(option))
        for name in _configurations():
            config = self.configuration(name)
            if config is not None:
                named = filter(None, (config.baseline, config.target))
                names += _insides(_beside(name, each) for each in named)
        for name in names:
            self.content(name)
        return list(dict.fromkeys(names))

    def data(self) -> Iterator[str]:
        """The data files that programs are loaded with, as options and configurations say."""
        for given in _given("--data"):
            yield from _insides((given, given.partition("=")[2] or given))
        for name in _configurations():
            config = self.configuration(name)
            if config is not None:
                yield from _insides(_beside(name, each) for each in _files(config))


def inside(name: str) -> str | None:
    """A path relative to the working folder, links as named; None when it lies outside of it."""
    here = Path.cwd()
    named = Path(os.path.abspath(name))  # noqa: PTH100 - keeps links
    for path in (named, Path(os.path.realpath(named.parent)) / named.name):
        if path.is_relative_to(here):
            return str(path.relative_to(here))
    return None


def _configurations() -> list[str]:
    """Where the configuration may be."""
    return list(_insides(_given("--config"))) or [OWN_NAME, SHARED_NAME]


def _files(config: Config) -> Iterator[str]:
    """The data files of a configuration, those for some programs only too."""
    return (each if isinstance(each, str) else each.file for each in config.data)


def _given(option: str) -> Iterator[str]:
    """The values of an option among the arguments that the workflow gives."""
    words = lines("ARGS")
    for word, after in zip(words, [*words, ""][1:], strict=True):
        if word == option:
            yield after
        elif word.startswith(f"{option}="):
            yield word.partition("=")[2]


def _beside(configuration: str, name: str) -> str:
    """A path that a configuration names, relative to the working folder."""
    return str(Path(configuration).parent / name)


def _insides(names: Iterable[str]) -> Iterator[str]:
    return (path for name in names if "\0" not in name and (path := inside(name)) is not None)


def _same(name: str, old: _Side, new: _Side) -> bool:
    """Whether both sides say the same; of a pyproject.toml only our table counts."""
    if Path(name).name == SHARED_NAME:
        return old.configuration(name) == new.configuration(name)
    return old.content(name) == new.content(name)
