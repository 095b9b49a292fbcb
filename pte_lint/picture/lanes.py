"""The lanes of a method: the host, and each device that its tensors or delegates name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pte_lint.ir.device import HOST, Device
from pte_lint.questions.method import Arena, Method
from pte_lint.schema.frozen import dataclass

MOST_LANES = 5
"""Lanes that are drawn; devices beyond them share the last one."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One place where things happen; lane 0 is the host."""

    index: int
    colour: int
    """A device has one colour in all methods of a program; 0 is the host's."""
    name: str
    arenas: tuple[Arena, ...]

    @property
    def planned_bytes(self) -> int:
        """Bytes of the lane's arenas."""
        return sum(max(arena.size, 0) for arena in self.arenas)


class Lanes:
    """The lanes of one method, the host first, then the devices in order."""

    def __init__(self, method: Method, devices: Sequence[Device], every: Sequence[Device]) -> None:
        """Gives every device a lane.

        Args:
            method: the method.
            devices: its devices, from `devices_of`.
            every: the devices of all methods, which have the colours in this order.
        """
        colours = {d: min(n, MOST_LANES - 1) for n, d in enumerate(every)}
        self._index = {d: min(n, MOST_LANES - 1) for n, d in enumerate(devices)}
        self.all: tuple[Lane, ...] = tuple(
            Lane(n, colours[devices[n]], self._name(n, devices), self._arenas(n, method))
            for n in range(min(len(devices), MOST_LANES))
        )

    def of(self, where: Device) -> int:
        """The lane of a device."""
        return self._index[_whole(where)]

    def _name(self, lane: int, devices: Sequence[Device]) -> str:
        if lane == 0:
            return "host"
        names = [str(d) for d in devices if self._index[d] == lane]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more devices"

    def _arenas(self, lane: int, method: Method) -> tuple[Arena, ...]:
        return tuple(a for a in method.arenas.values() if self.of(a.device) == lane)


def devices_of(method: Method) -> list[Device]:
    """Every device that a method names, in order, the host first."""
    found = {HOST}
    for arena in method.arenas.values():
        found.add(_whole(arena.device))
    hot = method.placement.hot
    for v in method.tensors:
        if hot[v]:
            found.add(_whole(method.tag(v)))
    for target in method.placement.targets:
        if target.device is not None:
            found.add(_whole(target.device))
    return in_order(found)


def in_order(devices: Iterable[Device]) -> list[Device]:
    """Devices, each once, the host first; an odd type code may be below the host's."""
    return sorted(set(devices), key=lambda d: (not d.is_host, d))


def lanes_of(methods: Sequence[Method]) -> tuple[Lanes, ...]:
    """The lanes of each method of a program."""
    mine = [devices_of(method) for method in methods]
    every = in_order(d for devices in mine for d in devices)
    return tuple(
        Lanes(method, devices, every) for method, devices in zip(methods, mine, strict=True)
    )


def _whole(where: Device) -> Device:
    """The host is one place, whatever index its tag has."""
    return HOST if where.is_host else where
