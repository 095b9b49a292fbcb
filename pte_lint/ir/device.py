"""Devices as a program names them, and the homes that memory can be in."""

from __future__ import annotations

from functools import lru_cache

from pte_lint.schema.enums import DeviceType
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Device:
    """A device type code as stored and an index. The index of the host means nothing."""

    type: int = DeviceType.CPU
    index: int = 0

    @property
    def is_host(self) -> bool:
        """True for the CPU, whatever the index."""
        return self.type == DeviceType.CPU

    def __str__(self) -> str:
        """Renders as `cpu`, `cuda:0` or `device-type-5:0`."""
        if self.is_host:
            return "cpu"
        name = "cuda" if self.type == DeviceType.CUDA else f"device-type-{self.type}"
        return f"{name}:{self.index}"


@lru_cache(maxsize=1024)
def device(type_code: int, index: int) -> Device:
    """Returns the one object for a device, so that large programs share it."""
    return Device(type_code, index)


HOST = device(DeviceType.CPU, 0)


class HomeKind(StrEnum):
    """Where a tensor's pointer comes from."""

    ARENA = "arena"
    CONSTANT = "constant"
    EXTERNAL = "external"
    CALLER = "caller"
    NONE = "none"
    FREED = "freed"


@dataclass(frozen=True, slots=True)
class Home:
    """The memory a tensor's pointer is really in.

    `device` is where that memory lies: the arena's device, the host for constants and external
    constants, and for the caller's memory the device that the tensor's tag asks of the caller.
    """

    kind: HomeKind
    device: Device = HOST
    memory_id: int | None = None

    @property
    def is_null(self) -> bool:
        """True when there is no memory: never given any, or freed."""
        return self.kind in (HomeKind.NONE, HomeKind.FREED)

    def __str__(self) -> str:
        """Renders for findings: `arena 2 on cuda:0`, `constant data on the host`, ..."""
        match self.kind:
            case HomeKind.ARENA:
                return f"arena {self.memory_id} on {_place(self.device)}"
            case HomeKind.CONSTANT:
                return "the program's constant data on the host"
            case HomeKind.EXTERNAL:
                return "external constant data on the host"
            case HomeKind.CALLER:
                return f"the caller's memory on {_place(self.device)}"
            case HomeKind.FREED:
                return "no memory (freed)"
            case _:
                return "no memory"


def _place(where: Device) -> str:
    return "the host" if where.is_host else str(where)
