"""What one build of the runtime contains: kernels, backends, limits. Captured, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pte_lint.schema.frozen import dataclass, field
from pte_lint.text.byte_size import byte_count

HOST = "cpu"
"""The device of a budget that names none."""
_BITS = 64

DEVICE_KEYS: Final = {
    "gpu": r"sm_\d{2,3}",
    "machine": r"\w+",
    "glibc": r"\d+\.\d+",
    "glibcxx": r"\d+\.\d+(\.\d+)?",
    "accelerator": r"ethos-u\d+-\d+",
    "tensorrt": r"\d+\.\d+(\.\d+){0,2}",
}
"""What a profile may say about the machine, and in which form."""
_EXAMPLES: Final = {
    "gpu": "sm_90", "machine": "aarch64", "glibc": "2.35", "glibcxx": "3.4.30",
    "accelerator": "ethos-u55-128", "tensorrt": "10.13.3",
}  # fmt: skip
KEYS: Final = (
    "name", "runtime", "command", "backends", "kernels", "memory", "pointer_bits", "vulkan",
    *DEVICE_KEYS,
)  # fmt: skip
"""The keys of a profile file that are read here; plugins may have others."""

VULKAN_LIMITS: Final = ("maxImageDimension2D", "maxImageDimension3D", "maxStorageBufferRange")
"""Limits of a Vulkan device that are asked about, by their names in VkPhysicalDeviceLimits."""

_REQUIRED = ("name", "runtime", "backends", "kernels")
_NO_PROFILE = "not a target profile: it needs name, runtime, backends and kernels"
_SHOWN = 5
_LONGEST = 60
_ALIKE = 0.8
"""From here on a key passes for one that is misspelt, not for a plugin's."""


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
    gpu: str = ""
    """Its NVIDIA GPU, such as `sm_90`; "" where it is not told, as below."""
    machine: str = ""
    """Its processor, such as `x86_64` or `aarch64`."""
    glibc: str = ""
    """The version of its C library, such as `2.35`."""
    glibcxx: str = ""
    """The newest symbol version of its libstdc++, such as `3.4.30`."""
    accelerator: str = ""
    """Its Ethos-U, as Vela names it: `ethos-u55-128`."""
    tensorrt: str = ""
    """The version of its TensorRT, as far as it is to be compared: `10.13` or `10.13.3`."""
    vulkan: Mapping[str, int] = field(default_factory=dict)
    """Limits of its Vulkan device, by the names in `VULKAN_LIMITS`."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """The most bytes of memory that one method may need, by device; see `docs/targets.md`."""
    pointer_bits: int = 64
    """Bits of a pointer: what the runtime's structures take is known for 64."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        """Builds a profile from the JSON object of a profile file.

        Raises:
            ValueError: when a required field is missing or of the wrong kind.
        """
        if not isinstance(data, Mapping):
            raise ValueError(_NO_PROFILE)
        if unknown := [key for key in data if key not in KEYS and _near(key)]:
            raise ValueError(_misspelt(unknown))
        try:
            kernels = {str(k): tuple(str(x) for x in v) for k, v in data["kernels"].items()}
            told = {key: str(data[key]) for key in DEVICE_KEYS if key in data}
            for key, form in DEVICE_KEYS.items():
                if told.get(key) and not re.fullmatch(form, told[key]):
                    raise ValueError(f"{key} is {told[key]!r}, not such as {_EXAMPLES[key]!r}")
            return cls(
                name=str(data["name"]),
                runtime=str(data["runtime"]),
                kernels=kernels,
                backends=tuple(str(b) for b in data["backends"]),
                command=str(data.get("command", "")),
                others={key: value for key, value in data.items() if key not in KEYS},
                memory=_memory(data.get("memory", {})),
                pointer_bits=_bits(data.get("pointer_bits", _BITS)),
                vulkan=_limits(data.get("vulkan", {})),
                **told,
            )
        except (KeyError, TypeError, AttributeError) as exc:
            missing = [key for key in _REQUIRED if key not in data]
            lacks = f", and has no {' and no '.join(missing)}" if missing else ""
            raise ValueError(_NO_PROFILE + lacks) from exc

    def to_json(self) -> str:
        """The text of a profile file: sorted, one kernel a line, the same for the same content."""
        head: dict[str, object] = {
            "name": self.name,
            "runtime": self.runtime,
            "command": self.command,
        }
        head |= {key: text for key in DEVICE_KEYS if (text := getattr(self, key))}
        if self.memory:
            head["memory"] = dict(sorted(self.memory.items()))
        if self.vulkan:
            head["vulkan"] = dict(sorted(self.vulkan.items()))
        if self.pointer_bits != _BITS:
            head["pointer_bits"] = self.pointer_bits
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        lines.append(f' "backends": {json.dumps(sorted(self.backends))},')
        kernels = [
            f"  {json.dumps(name)}: {json.dumps(sorted(keys))}"
            for name, keys in sorted(self.kernels.items())
        ]
        body = ",\n".join(kernels)
        return "\n".join(["{", *lines, ' "kernels": {', body, " }", "}", ""])


def _memory(given: object) -> Mapping[str, int]:
    """A budget by device; one alone is that of the host.

    Raises:
        ValueError: it is none.
    """
    table = given if isinstance(given, dict) else {HOST: given}
    found = {str(device): _nbytes(value) for device, value in table.items()}
    if any(nbytes < 0 for nbytes in found.values()):
        raise ValueError("a target's memory is not negative")
    return found


def _nbytes(value: object) -> int:
    if isinstance(value, str):
        return byte_count(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("a target's memory is a number of bytes, such as 524288 or 512 KiB")


def _limits(given: object) -> Mapping[str, int]:
    """Limits of a Vulkan device.

    Raises:
        ValueError: there is another one among them, or one is no size.
    """
    known = ", ".join(VULKAN_LIMITS)
    if not isinstance(given, dict) or any(key not in VULKAN_LIMITS for key in given):
        raise ValueError(f"vulkan holds limits of the device: {known}")
    if any(type(limit) is not int or limit <= 0 for limit in given.values()):
        raise ValueError("a limit of the Vulkan device is a number above zero")
    return {str(key): limit for key, limit in given.items()}


def _bits(value: object) -> int:
    if value not in (32, _BITS):
        raise ValueError("pointer_bits is 32 or 64")
    return int(str(value))


def _near(key: str) -> str:
    """The key that was probably meant; "" for what is not like any, which is a plugin's."""
    import difflib

    return next(iter(difflib.get_close_matches(key[:_LONGEST], KEYS, n=1, cutoff=_ALIKE)), "")


def _misspelt(unknown: Sequence[str]) -> str:
    """Each key that no profile has, with the one that was probably meant."""
    told = [f"{key[:_LONGEST]!r} (did you mean {_near(key)}?)" for key in unknown[:_SHOWN]]
    more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    return f"keys that no profile has: {', '.join(told)}{more}"


@lru_cache(maxsize=1)
def default_profile() -> Profile:
    """The profile of the newest known wheel, shipped with the package."""
    source = Path(__file__).parents[1] / "profiles" / "executorch-1.5.1.json"
    if not source.is_file():
        return Profile()
    return Profile.from_json(json.loads(source.read_text("utf-8")))
