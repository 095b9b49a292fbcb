"""The programs that a change concerns: for hooks that are given the names of changed files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pte_lint.cli.paths import below
from pte_lint.config.data_for import DataFor
from pte_lint.config.settings import RunSettings
from pte_lint.files.remote.address import is_address
from pte_lint.files.sieve import SUFFIXES

_PROGRAMS = (".pte", ".bpte")
_SETTINGS = (".toml", ".json")


def concerned(paths: Iterable[str], settings: RunSettings) -> tuple[str, ...]:
    """What to judge when these files have changed.

    A data file concerns the programs beside it, and all programs below the working folder where the
    settings name it; so do the settings' own files (configuration, profile, baseline) with all
    artifacts there. Other files of settings are none of ours.

    Args:
        paths: files, as a hook names them.
        settings: those of the run.

    Returns:
        Paths in the order in which they were given, without those that are settings.
    """
    return tuple(dict.fromkeys(_concerned(paths, settings)))


def _concerned(paths: Iterable[str], settings: RunSettings) -> Iterator[str]:
    own = {_real(file) for file in _own_files(settings)}
    data = {_real(file) for file in _data_files(settings)}
    for path in paths:
        suffix = Path(path).suffix.lower()
        if suffix in _SETTINGS:
            if _real(path) in own:
                yield from _artifacts(SUFFIXES)
            continue
        # What was removed is judged no more, but what it was for is.
        if suffix != ".ptd" or Path(path).exists():
            yield path
        if suffix != ".ptd":
            continue
        if _real(path) in data:
            yield from _artifacts(_PROGRAMS)
            continue
        beside = Path(path).parent
        if beside.is_dir():
            yield from (str(each) for each in sorted(beside.iterdir()) if _is_program(each))


def _own_files(settings: RunSettings) -> Iterator[str | Path]:
    if settings.file is not None:
        yield settings.file
    if settings.baseline_path is not None:
        yield settings.baseline_path
    if settings.target is not None and settings.target.endswith(".json"):
        yield settings.target


def _data_files(settings: RunSettings) -> Iterator[str | Path]:
    for each in settings.data:
        file = each.file if isinstance(each, DataFor) else each
        if isinstance(file, Path) or not is_address(file):
            yield file


def _artifacts(suffixes: tuple[str, ...]) -> Iterator[str]:
    return (os.path.normpath(name) for name in below(os.curdir) if name.lower().endswith(suffixes))


def _is_program(path: Path) -> bool:
    return path.suffix.lower() in _PROGRAMS and path.is_file()


def _real(path: str | Path) -> str:
    return os.path.realpath(path)
