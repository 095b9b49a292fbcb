"""The runtime that a program is judged for."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS, Verification
from pte_lint.claims.profile import Profile, default_profile
from pte_lint.files.regular import read_file
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.limits import RECORD_FILE_BYTES


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
        """Reads `1.4`, `1.4.1`, `executorch==1.4.1`, or the path of a profile (`*.json`).

        Raises:
            TargetError: for anything else, a version that is not known, or a file that is no
                profile.
        """
        if text.endswith(".json"):
            return cls.from_profile(Path(text), verification)
        match = _SPEC.match(text.strip())
        if not match:
            raise TargetError(
                f"cannot read target {text!r}: give a version such as executorch==1.5.1, "
                "or a profile written by `pte-lint target capture`"
            )
        return cls(runtime=_known(f"{match[1]}.{match[2]}"), verification=verification)

    @classmethod
    def from_profile(cls, path: Path, verification: Verification = Verification.BOTH) -> Target:
        """Reads a profile; its kernels and backends are then all that the target has.

        Raises:
            TargetError: the file cannot be read or is no profile.
        """
        try:
            profile = Profile.from_json(json.loads(read_file(path, RECORD_FILE_BYTES)))
        except OSError as exc:
            raise TargetError(f"cannot read target {path}: {exc.strerror or exc}") from exc
        except (ValueError, RecursionError) as exc:
            raise TargetError(f"cannot read target {path}: {exc}") from exc
        match = _SPEC.match(profile.runtime)
        if not match:
            raise TargetError(f"target {path}: {profile.runtime!r} is no runtime version")
        version = _known(f"{match[1]}.{match[2]}")
        return cls(version, verification, profile, explicit_profile=True)

    def at_least(self, version: str) -> bool:
        """True when the target's runtime is `version` or newer."""
        return RUNTIME_VERSIONS.index(self.runtime) >= RUNTIME_VERSIONS.index(version)


def _known(version: str) -> str:
    if version not in RUNTIME_VERSIONS:
        known = ", ".join(RUNTIME_VERSIONS)
        raise TargetError(f"runtime {version} is not known; known are {known}")
    return version
