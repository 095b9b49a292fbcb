"""Device names of the tests: ``"cpu"``, ``"cuda:1"``, or the raw pair a file can hold."""

from __future__ import annotations

from pte_lint.schema.enums import DeviceType

Device = str | tuple[int, int]
HOST = (int(DeviceType.CPU), 0)


def device_pair(device: Device) -> tuple[int, int]:
    """Device type and index; a pair is returned as it is, so absurd tags can be written.

    Raises:
        KeyError: The name is neither cpu nor cuda.
    """
    if isinstance(device, tuple):
        return device
    kind, _, index = device.partition(":")
    return int(DeviceType[kind.upper()]), int(index or 0)
