"""What one build of the runtime contains: kernels, backends, limits. Captured, never guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pte_lint.schema.frozen import dataclass, field

KEYS: Final = ("name", "runtime", "command", "backends", "kernels")
"""The keys of a profile file that are read here; plugins may have others."""


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
    others: Mapping[str, Any] = field(default_factory=dict)
    """Everything else in the file, for plugins."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        """Builds a profile from the JSON object of a profile file.

        Raises:
            ValueError: when a required field is missing or of the wrong kind.
        """
        try:
            kernels = {str(k): tuple(str(x) for x in v) for k, v in data["kernels"].items()}
            return cls(
                name=str(data["name"]),
                runtime=str(data["runtime"]),
                kernels=kernels,
                backends=tuple(str(b) for b in data["backends"]),
                command=str(data.get("command", "")),
                others={key: value for key, value in data.items() if key not in KEYS},
            )
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError(
                "not a target profile: it needs name, runtime, backends and kernels"
            ) from exc

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


@lru_cache(maxsize=1)
def default_profile() -> Profile:
    """The profile of the newest known wheel, shipped with the package."""
    source = Path(__file__).parents[1] / "profiles" / "executorch-1.5.1.json"
    if not source.is_file():
        return Profile()
    return Profile.from_json(json.loads(source.read_text("utf-8")))
