"""What a configuration may name: files below its own folder, and no others.

A pull request can bring a configuration, so it is data of a stranger. What it names is read only
below its folder and outside of `.git`, links resolved. Reports are written there only into folders
that are none of a tool's own (`.git`, `.github`, `.venv`, ...), through no link, in place of
nothing but a regular file, and under a name that no program takes for code or for settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Final

from pte_lint.files.remote.address import is_address
from pte_lint.schema.frozen import dataclass

_SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "text": (".txt", ".log"),
    "concise": (".txt", ".log"),
    "json": (".json",),
    "sarif": (".sarif", ".json"),
    "junit": (".xml",),
    "github": (".txt", ".log"),
    "gitlab": (".json",),
    "markdown": (".md",),
}
"""How the name of a report may end that a configuration names, by format."""

BASELINE_SUFFIXES: Final = (".json",)

_READ_NOT: Final = ".git"


class NotAllowed(ValueError):  # noqa: N818 - what it is, in words
    """A configuration names what it may not; the text says why, and how to go on."""


@dataclass(frozen=True, slots=True)
class Below:
    """A file that a configuration names: below a folder, and to be written only there."""

    root: Path
    """The folder of the configuration."""
    parts: tuple[str, ...]
    """Folders below it, and the file's name."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.root.joinpath(*self.parts)


def readable(root: Path, name: str, key: str) -> Path:
    """The path of a file that a configuration names for reading.

    Args:
        root: the folder that it must lie below.
        name: what the configuration says.
        key: the key that says it, for the message.

    Raises:
        NotAllowed: it lies elsewhere, or in `.git`.
    """
    path = root.joinpath(*_parts(root, name, key))
    real, top = os.path.realpath(path), os.path.realpath(root)
    if not PurePath(real).is_relative_to(top):
        raise NotAllowed(f"{key}: {name!r} leads out of {root}{_instead(key)}")
    inside = PurePath(real).relative_to(top).parts
    if any(part.lower() == _READ_NOT for part in inside):
        raise NotAllowed(f"{key}: {name!r} is a file of git{_instead(key)}")
    return path


def writable(root: Path, name: str, key: str, endings: tuple[str, ...]) -> Below:
    """A file that a configuration names for writing; nothing is looked at yet.

    Args:
        root: the folder that it must lie below.
        name: what the configuration says.
        key: the key that says it, for the message.
        endings: how it may end.

    Raises:
        NotAllowed: it lies elsewhere or in a hidden folder, or its name could be one of code.
    """
    parts = _parts(root, name, key)
    if any(part.startswith(".") or ":" in part for part in parts):
        raise NotAllowed(f"{key}: {name!r} is hidden, or in a hidden folder{_instead(key)}")
    if not parts[-1].lower().endswith(endings):
        wanted = " or ".join(endings)
        raise NotAllowed(f"{key}: {name!r} does not end in {wanted}{_instead(key)}")
    return Below(root, parts)


def suffixes(form: str) -> tuple[str, ...]:
    """How a report in a format may end; of an unknown format there will be none."""
    if form in _SUFFIXES:
        return _SUFFIXES[form]
    if form == "parquet":
        raise NotAllowed("output.parquet: a configuration may not write folders; --output may")
    from pte_lint.rulebook.formats_of_others import FormatError, load_formats

    try:
        others = load_formats()
    except FormatError as exc:
        raise NotAllowed(f"output.{form}: {exc}") from exc
    return others[form].suffixes if form in others else ("",)


def check_glob(root: Path, pattern: str, key: str) -> None:
    """Raises NotAllowed for a glob that could match files elsewhere."""
    _parts(root, pattern, key)


def _parts(root: Path, name: str, key: str) -> tuple[str, ...]:
    if is_address(name):
        raise NotAllowed(f"{key}: {name!r} is an address; a file is wanted")
    if not name or "\0" in name or "\n" in name:
        raise NotAllowed(f"{key}: {name!r} is no name of a file")
    path = root / name
    if not path.is_relative_to(root) or ".." in path.relative_to(root).parts:
        raise NotAllowed(f"{key}: {name!r} is not below {root}{_instead(key)}")
    parts = path.relative_to(root).parts
    if not parts:
        raise NotAllowed(f"{key}: {name!r} is no name of a file")
    return parts


def _instead(key: str) -> str:
    """How to do the same by hand; pipelines stand in configurations only."""
    option = key.partition(".")[0].partition("[")[0]
    return "" if option == "pipeline" else f": a configuration may not; --{option} may"
