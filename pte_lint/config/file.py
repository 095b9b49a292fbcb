"""Finds and reads the configuration file, and says in one line what is wrong with it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pte_lint.files.regular import read_file
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.limits import CONFIGURATION_BYTES
from pte_lint.text import toml

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pte_lint.config.model import Config
    from pte_lint.rulebook.contract_model import Contract

_M = TypeVar("_M", bound="BaseModel")

OWN_NAME: Final = "pte-lint.toml"
SHARED_NAME: Final = "pyproject.toml"

_MOST_PROBLEMS: Final = 20
"""Problems that are told of one file."""

_MOST_PARTS: Final = 32
_LONG_KEY: Final = re.compile(
    # What was looked ahead at is not tried again: possessive repeats, which Python 3.10 has not.
    rb"""(?<![\w-])(?:(?=([\w-]+|"[^"\n]*"|'[^'\n]*'))\1(?=([ \t]*))\2\.(?=([ \t]*))\3){%d}"""
    % _MOST_PARTS
)
"""Dotted keys of more parts: the standard library takes time by the square of their number."""


class ConfigError(ValueError):
    """The configuration cannot be used; each of `lines` names the file and the key."""

    def __init__(self, *lines: str) -> None:
        """Takes one line for each thing that is wrong."""
        super().__init__("\n".join(lines))
        self.lines = lines


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration and where it was read."""

    path: Path
    config: Config

    @property
    def root(self) -> Path:
        """The folder that the paths in it are relative to."""
        return self.path.parent


def find(start: Path | None = None, top: Path | None = None) -> Path | None:
    """The nearest configuration at or above a folder.

    A `pte-lint.toml` counts, and a `pyproject.toml` that has a `[tool.pte-lint]` table; others
    are passed by. There is no merging: the nearest one is the whole configuration.

    Args:
        start: the folder; None: the working folder.
        top: the last folder to look in; None: the root.

    Raises:
        ConfigError: a candidate cannot be read or is not TOML, or there is no working folder.
    """
    try:
        here = Path(os.path.realpath(start or Path.cwd()))
    except OSError as exc:
        reason = exc.strerror or exc
        raise ConfigError(f"the working folder cannot be found: {reason}") from exc
    last = Path(os.path.realpath(top)) if top is not None else None
    for folder in (here, *here.parents):
        for candidate in (folder / OWN_NAME, folder / SHARED_NAME):
            if _exists(candidate) and _table(candidate) is not None:
                return candidate
        if folder == last:
            break
    return None


def _exists(path: Path) -> bool:
    """Whether a name is there at all: what cannot be read must not pass for no configuration."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as exc:
        raise ConfigError(f"{path}: {exc.strerror or exc}") from exc
    return True


def load(path: Path) -> ConfigFile:
    """Reads a configuration file: `pyproject.toml` by its table, any other name as a whole.

    Raises:
        ConfigError: it cannot be read, is not TOML, has no table for pte-lint, or has keys or
            values that are not known.
    """
    table = _table(path)
    if table is None:
        raise ConfigError(f"{path}: there is no [tool.pte-lint] table")
    from pte_lint.config.model import Config

    return ConfigFile(path, _validated(path, table, Config))


def _validated(path: Path, table: Mapping[str, Any], model: type[_M]) -> _M:
    from pydantic import ValidationError

    try:
        return model.model_validate(_tuples(table))
    except ValidationError as exc:
        from pte_lint.config.errors import describe

        lines = describe(exc, table, model)
        told = [f"{path}: {line}" for line in islice(lines, _MOST_PROBLEMS)]
        left = exc.error_count() - len(told)
        problems = [*told, f"{path}: and {left} more"] if left else told
        raise ConfigError(*problems) from exc


def load_contract(path: Path) -> Contract:
    """Reads a file that `pte-lint contract` writes, or one like it.

    Raises:
        ConfigError: as `load`.
    """
    from pte_lint.rulebook.contract_model import Contract

    return _validated(path, _parsed(path, _raw(path)), Contract)


def _raw(path: Path) -> bytes:
    try:
        return read_file(path, CONFIGURATION_BYTES)
    except OSError as exc:
        raise ConfigError(f"{path}: {exc.strerror or exc}") from exc


def _parsed(path: Path, raw: bytes) -> Mapping[str, Any]:
    if _LONG_KEY.search(raw):
        raise ConfigError(f"{path}: a key of more than {_MOST_PARTS} parts is not read")
    try:
        return toml.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as exc:  # ValueError: not UTF-8, TOML, or a number
        raise ConfigError(f"{path}: not valid TOML: {exc}") from exc


def _table(path: Path) -> Mapping[str, Any] | None:
    raw = _raw(path)
    shared = path.name == SHARED_NAME
    if shared and b"pte-lint" not in raw:
        return None
    content = _parsed(path, raw)
    if not shared:
        return content
    tool = content.get("tool")
    table = tool.get("pte-lint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.pte-lint] must be a table")
    return table


def _tuples(value: Any) -> Any:
    """Makes TOML arrays tuples, which the strict models ask for."""
    if isinstance(value, Mapping):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_walk(value))
    return value


def _walk(values: Sequence[Any]) -> Iterator[Any]:
    return (_tuples(v) for v in values)
