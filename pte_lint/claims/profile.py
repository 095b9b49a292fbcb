"""What one build of the runtime contains: kernels, backends, limits. Captured, never guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pte_lint.schema.frozen import dataclass, field

_REQUIRED = ("name", "runtime", "backends", "kernels")
_NO_PROFILE = "not a target profile: it needs name, runtime, backends and kernels"
_SHOWN = 5
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Profile:
    """Kernels by full operator name and registered backends.

    A kernel's tuple holds its kernel keys (`v1/6;0,1|...`); an empty key is a fallback that takes
    any dtype and dim order.
    """

    name: str = "unknown"
    runtime: str = ""
    kernels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    backends: tuple[str, ...] = ()
    command: str = ""
    """The command that made it."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        """Builds a profile from the JSON object of a profile file.

        Raises:
            ValueError: when a required field is missing or of the wrong kind.
        """
        if not isinstance(data, Mapping):
            raise ValueError(_NO_PROFILE)
        unknown = [key for key in data if key not in cls.__match_args__]
        if unknown:
            raise ValueError(_misspelt(unknown, cls.__match_args__))
        try:
            kernels = {str(k): tuple(str(x) for x in v) for k, v in data["kernels"].items()}
            return cls(
                name=str(data["name"]),
                runtime=str(data["runtime"]),
                kernels=kernels,
                backends=tuple(str(b) for b in data["backends"]),
                command=str(data.get("command", "")),
            )
        except (KeyError, TypeError, AttributeError) as exc:
            missing = [key for key in _REQUIRED if key not in data]
            lacks = f", and has no {' and no '.join(missing)}" if missing else ""
            raise ValueError(_NO_PROFILE + lacks) from exc

    def to_json(self) -> str:
        """The text of a profile file: sorted, one kernel a line, the same for the same content."""
        head = {"name": self.name, "runtime": self.runtime, "command": self.command}
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        lines.append(f' "backends": {json.dumps(sorted(self.backends))},')
        kernels = [
            f"  {json.dumps(name)}: {json.dumps(sorted(keys))}"
            for name, keys in sorted(self.kernels.items())
        ]
        body = ",\n".join(kernels)
        return "\n".join(["{", *lines, ' "kernels": {', body, " }", "}", ""])


def _misspelt(unknown: Sequence[str], known: Sequence[str]) -> str:
    """Each key that no profile has, with the one that was probably meant."""
    import difflib

    told = []
    for key in unknown[:_SHOWN]:
        near = difflib.get_close_matches(key[:_LONGEST], known, n=1)
        told.append(f"{key[:_LONGEST]!r}" + (f" (did you mean {near[0]}?)" if near else ""))
    more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    return f"keys that no profile has: {', '.join(told)}{more}"


@lru_cache(maxsize=1)
def default_profile() -> Profile:
    """The profile of the newest known wheel, shipped with the package."""
    source = Path(__file__).parents[1] / "profiles" / "executorch-1.5.1.json"
    if not source.is_file():
        return Profile()
    return Profile.from_json(json.loads(source.read_text("utf-8")))
