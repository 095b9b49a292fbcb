"""Finds the file system of an address. fsspec is imported here and nowhere else, when needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from pte_lint.files.remote.address import Anonymous, scheme
from pte_lint.files.remote.origin import FetchError

_EXTRAS: Final = {"http": "remote", "https": "remote", "s3": "remote-s3", "hf": "remote-hf"}


_NOBODY: Final[dict[str, dict[str, object]]] = {
    "http": {},  # pte_lint.files.remote.credentials
    "https": {},
    "s3": {"anon": True, "key": None, "secret": None, "token": None},
    "hf": {"token": False},
}
"""How a file system is told to use no credentials, neither configured ones nor of the machine."""


def load(name: str) -> Any:
    """Imports a module that an extra installs; as Any, since types may not be there.

    Raises:
        ImportError: it is not installed.
    """
    return import_module(name)


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address and the path in it, as `fsspec.core.url_to_fs` gives them.

    Raises:
        FetchError: a package is missing, or the scheme is not known.
    """
    kind = scheme(address)
    options = _NOBODY.get(kind) if isinstance(address, Anonymous) else {}
    if options is None:
        raise FetchError(f"{kind}:// cannot be read without credentials")
    address = kind + address[len(kind) :]
    if "::" in address:
        raise FetchError("chained addresses are not read: name the file itself")
    extra = _EXTRAS.get(kind, "remote")
    hint = f'install it with pip install "pte-lint[{extra}]"'
    try:
        core = load("fsspec.core")
    except ImportError:
        raise FetchError(f"reading {kind}:// needs fsspec: {hint}") from None
    try:
        return core.url_to_fs(address, **options)  # type: ignore[no-any-return]
    except ImportError:
        if kind in _EXTRAS:
            raise FetchError(f"reading {kind}:// needs another package: {hint}") from None
        known = load("fsspec.registry").known_implementations.get(kind, {})
        told = known.get("err", "its fsspec package is missing")
        raise FetchError(f"reading {kind}:// needs another package: {told}") from None
    except ValueError:
        raise FetchError(f"fsspec knows no file system {kind}://") from None
    except Exception as exc:
        # Whatever it says may hold what the address holds.
        raise FetchError(f"{kind}:// cannot be set up ({type(exc).__name__})") from None
