"""Captures a target profile from the installed runtime."""

from __future__ import annotations

from collections.abc import Collection

from pte_lint.claims.profile import Profile
from pte_lint.harness.listing import list_runtime


def capture_profile(
    name: str | None = None, without: Collection[str] = (), command: str = ""
) -> Profile:
    """Asks the installed runtime what it has.

    Args:
        name: what to call the profile; the runtime and its version by default.
        without: operator namespaces to leave out, because the application does not link the
            library that has them.
        command: recorded in the profile.

    Raises:
        HarnessUnavailable: the runtime or the compiler is missing.
    """
    listing = list_runtime()
    kernels: dict[str, list[str]] = {}
    for kernel in listing.kernels:
        if kernel.name.partition("::")[0] not in without:
            kernels.setdefault(kernel.name, []).append(kernel.key or "")
    return Profile(
        name=name or f"executorch {listing.version}",
        runtime=listing.version,
        kernels={key: tuple(keys) for key, keys in kernels.items()},
        backends=tuple(b.name for b in listing.backends if b.available),
        command=command,
    )
