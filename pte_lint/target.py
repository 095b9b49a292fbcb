"""The runtime that a program is judged for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pte_lint.forecast import NEWEST, RUNTIME_VERSIONS, Verification
from pte_lint.profile import Profile, default_profile


class TargetError(ValueError):
    """The text names no known target; the message says what is known."""


_SPEC = re.compile(r"^(?:executorch\s*==\s*)?(\d+)\.(\d+)(?:\.\d+\S*)?$")


@dataclass(frozen=True, slots=True)
class Target:
    """Runtime version, verification level, and the profile of kernels and backends."""

    runtime: str = NEWEST
    verification: Verification = Verification.BOTH
    profile: Profile = field(default_factory=default_profile)
    explicit_profile: bool = False
    """True when the user named the profile, rather than the shipped default being used."""

    @classmethod
    def parse(cls, text: str, verification: Verification = Verification.BOTH) -> Target:
        """Reads `1.4`, `1.4.1` or `executorch==1.4.1`.

        Raises:
            TargetError: for anything else, or a version that is not known.
        """
        match = _SPEC.match(text.strip())
        if not match:
            raise TargetError(
                f"cannot read target {text!r}: give a version such as executorch==1.5.1, "
                "or a profile written by `pte-lint target capture`"
            )
        version = f"{match[1]}.{match[2]}"
        if version not in RUNTIME_VERSIONS:
            known = ", ".join(RUNTIME_VERSIONS)
            raise TargetError(f"runtime {version} is not known; known are {known}")
        return cls(runtime=version, verification=verification)

    def at_least(self, version: str) -> bool:
        """True when the target's runtime is `version` or newer."""
        return RUNTIME_VERSIONS.index(self.runtime) >= RUNTIME_VERSIONS.index(version)
