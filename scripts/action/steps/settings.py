"""Whose settings are in force: those of the base branch, in a copy beside the checkout.

Settings are the configuration (ignore entries with it), the baseline and the target's profile. A
change that brings its own would judge itself. What it brings is reported, and judged separately.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pte_lint.config.file import OWN_NAME, SHARED_NAME
from steps.git import Git
from steps.job import WORK, StepError, lines, value

MIRROR: Final = WORK / "settings"
"""The base's settings files, where they lie in the working folder."""

_FILE: Final = WORK / "settings.json"
_PARSED: Final = 1 << 20
"""Bytes of a configuration that is still parsed here."""

_Reader = Callable[[str], bytes | None]
"""Gives one side's content of a path; None: it has no such file."""


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
    new: _Reader = _nothing if head is None else partial(git.text, head)
    if not base:
        return InForce(None, data=tuple(dict.fromkeys(_data(new))))
    shutil.rmtree(MIRROR, ignore_errors=True)
    MIRROR.mkdir()
    if head is None:
        # Nothing says what the base's are: then there are none.
        brought = [name for name in _wanted(new) if os.path.lexists(name)]
        return InForce("", tuple(brought), tuple(_data(new)))
    commit = git.commit(base)
    old: _Reader = partial(git.text, commit)
    changed: list[str] = []
    for name in dict.fromkeys(_wanted(old)):
        content = old(name)
        if content is not None:
            copy = MIRROR / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        if not _same(name, content, new(name)):
            changed.append(name)
    return InForce(commit, tuple(changed), tuple(dict.fromkeys([*_data(old), *_data(new)])))


def inside(name: str) -> str | None:
    """A path relative to the working folder, links as named; None when it lies outside of it."""
    here = Path.cwd()
    named = Path(os.path.abspath(name))  # noqa: PTH100 - keeps links
    for path in (named, Path(os.path.realpath(named.parent)) / named.name):
        if path.is_relative_to(here):
            return str(path.relative_to(here))
    return None


def _nothing(_: str) -> None:
    return None


def _wanted(read: _Reader) -> Iterator[str]:
    """The settings files that one side may have: each that an option or a configuration names."""
    names = _configurations()
    yield from names
    for option in ("--baseline", "--target"):
        yield from _insides(_given(option))
    for name in names:
        table = _table(name, read(name)) or {}
        for key in ("baseline", "target"):
            if isinstance(table.get(key), str):
                yield from _insides([os.path.join(os.path.dirname(name), table[key]), table[key]])  # noqa: PTH118, PTH120


def _data(read: _Reader) -> Iterator[str]:
    """The data files that programs are loaded with, as options and one side's settings say."""
    yield from _insides(_given("--data"))
    for name in _configurations():
        named = (_table(name, read(name)) or {}).get("data")
        for each in named if isinstance(named, list) else ():
            if isinstance(each, str):
                yield from _insides([os.path.join(os.path.dirname(name), each)])  # noqa: PTH118, PTH120


def _configurations() -> list[str]:
    """Where the configuration may be."""
    given = list(_insides(_given("--config")))
    return given or [OWN_NAME, SHARED_NAME]


def _given(option: str) -> Iterator[str]:
    """The values of an option among the arguments that the workflow gives."""
    words = lines("ARGS")
    for word, after in zip(words, [*words, ""][1:], strict=True):
        if word == option:
            yield after
        elif word.startswith(f"{option}="):
            yield word.partition("=")[2]


def _insides(names: Iterable[str]) -> Iterator[str]:
    yield from (path for name in names if "\0" not in name and (path := inside(name)) is not None)


def _table(name: str, content: bytes | None) -> Mapping[str, Any] | None:
    """The settings in a configuration file; None when it is not one that can be read."""
    if content is None or len(content) > _PARSED:
        return None
    try:
        table: Any = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if Path(name).name == SHARED_NAME:
        tool = table.get("tool")
        table = tool.get("pte-lint", {}) if isinstance(tool, dict) else {}
    return table if isinstance(table, dict) else None


def _same(name: str, old: bytes | None, new: bytes | None) -> bool:
    """Whether both sides say the same; of a pyproject.toml only our table counts."""
    if old == new:
        return True
    if Path(name).name != SHARED_NAME:
        return False
    before, after = ({} if each is None else _table(name, each) for each in (old, new))
    return before is not None and before == after
