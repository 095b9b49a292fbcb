"""Captures a target profile from the installed runtime."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from pte_lint.claims.profile import Profile
from pte_lint.harness.listing import RegisteredKernel, list_runtime


def capture_profile(
    name: str | None = None,
    without: Collection[str] = (),
    command: str = "",
    libraries: Sequence[Path] = (),
) -> Profile:
    """Asks the installed runtime what it has.

    Args:
        name: what to call the profile; the runtime and its version by default.
        without: operator namespaces to leave out, because the application does not link the
            library that has them.
        command: recorded in the profile.
        libraries: shared libraries with kernels and backends that the application links too.

    Raises:
        HarnessUnavailable: the runtime, the compiler or a library is missing.
    """
    listing = list_runtime(libraries)
    kernels = [k for k in listing.kernels if k.name.partition("::")[0] not in without]
    return Profile(
        name=name or f"executorch {listing.version}",
        runtime=listing.version,
        kernels=_by_name(kernels),
        backends=tuple(b.name for b in listing.backends if b.available),
        command=command,
    )


def with_libraries(profile: Profile, libraries: Sequence[Path]) -> Profile:
    """A profile and what libraries register, loaded into the installed runtime.

    Raises:
        HarnessUnavailable: the runtime, the compiler or a library is missing.
    """
    kernels, backends = _registered(tuple(libraries))
    more = {name: (*profile.kernels.get(name, ()), *keys) for name, keys in kernels.items()}
    return replace(
        profile,
        kernels={**profile.kernels, **more},
        backends=tuple(dict.fromkeys((*profile.backends, *backends))),
    )


@lru_cache(maxsize=4)
def _registered(libraries: tuple[Path, ...]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Kernels and usable backends that are not there without the libraries."""
    before, after = list_runtime(), list_runtime(libraries)
    known = {each.name for each in before.backends}
    kernels = set(after.kernels) - set(before.kernels)
    backends = [b.name for b in after.backends if b.available and b.name not in known]
    ordered = sorted(kernels, key=lambda each: (each.name, each.key or ""))
    return _by_name(ordered), tuple(backends)


def _by_name(kernels: Iterable[RegisteredKernel]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for kernel in kernels:
        found.setdefault(kernel.name, []).append(kernel.key or "")
    return {name: tuple(keys) for name, keys in found.items()}
