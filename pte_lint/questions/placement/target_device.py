"""Which device a delegate runs on, as far as the file says.

The only hint is the compile spec `target_device`. The exporter reads it (exir/passes/
propagate_device_pass.py: `_parse_device_spec_value`) to tag tensors and insert copies; the runtime
never does. One backend checks its arguments itself whatever the spec says: the CUDA backend
(backends/cuda/runtime/cuda_backend.cpp: `execute`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.ir.calling import CUDA_BACKEND
from pte_lint.ir.device import HOST, Device, device
from pte_lint.schema.enums import DeviceType
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import BackendDelegate, CompileSpec
from pte_lint.text.c_strings import c_string

TARGET_DEVICE_KEY: Final = "target_device"
XNNPACK_BACKEND: Final = "XnnpackBackend"

_TYPES: Final = {t.name.lower(): t for t in DeviceType}


@dataclass(frozen=True, slots=True)
class DelegateTarget:
    """The device that a delegate takes its arguments on.

    `device` is None when the spec names none that can be read: nothing can then be said about
    the delegate's arguments.
    """

    index: int
    """The delegate's index in the method's table."""
    backend: str
    device: Device | None
    any_index: bool = False
    """Only the type of the device is known: any index will do."""
    checks: bool = False
    """The backend checks tag and pointer of every argument at execute."""
    spec: int | None = None
    """Position of the compile spec that says so; None: by default, or by the backend's id."""
    problem: str = ""
    """What is odd about the spec, as the end of "target_device ..."; empty when it is fine."""

    @property
    def is_device(self) -> bool:
        """True when the delegate is known to take device memory."""
        return self.device is not None and not self.device.is_host

    @property
    def is_host(self) -> bool:
        """True when the delegate takes host memory: no spec, or one that says `cpu`."""
        return self.device is not None and self.device.is_host

    def accepts(self, where: Device) -> bool:
        """True when memory (or a tag) on `where` is what the delegate takes."""
        if self.device is None:
            return True
        if self.device.is_host or self.any_index:
            return self.device.type == where.type
        return self.device == where

    def __str__(self) -> str:
        """Renders for findings: `cuda:0`, `cuda`, `the host`, `an unknown device`."""
        if self.device is None:
            return "an unknown device"
        if self.device.is_host:
            return "the host"
        return str(self.device).partition(":")[0] if self.any_index else str(self.device)


def delegate_target(index: int, delegate: BackendDelegate) -> DelegateTarget:
    """Reads the target device of one delegate off its compile specs and its id."""
    backend = c_string(delegate.id or "")
    specs = delegate.compile_specs or ()
    position = next((n for n, s in enumerate(specs) if _key(s) == TARGET_DEVICE_KEY), None)
    where: Device | None = HOST
    any_index, problem = False, ""
    if position is not None:
        where, problem = parse_target_device(specs[position].value)
        any_index = where is not None and where.index < 0
        problem = problem or _contradiction(specs, position)
    checks = backend == CUDA_BACKEND
    if checks and (where is None or where.type != DeviceType.CUDA):
        if where is not None and position is not None:
            problem = f"is {where} although the backend takes CUDA memory only"
        where, any_index = device(DeviceType.CUDA, 0), True
    return DelegateTarget(index, backend, where, any_index, checks, position, problem)


def parse_target_device(value: bytes | None) -> tuple[Device | None, str]:
    """Reads a spec's value as the exporter does: UTF-8, blanks and case ignored, index optional.

    Returns:
        The device, or None when the exporter would refuse the value, and what is odd about it
        (empty when nothing is). A value that ends in NUL bytes is refused by the exporter, but a
        backend that reads it as a C string sees the device before them, so that one is returned.
    """
    if value is None:
        return None, "has no value"
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return None, "is not text"
    name = text.strip(" \t\r\n\0")
    kind, colon, number = name.lower().partition(":")
    if not kind and not colon:
        return None, "is empty"
    known = _TYPES.get(kind)
    if known is None:
        return None, f"is {text!r}, which names no known device"
    try:
        index = int(number) if colon else 0
    except ValueError:
        return None, f"is {text!r}, whose index is not a number"
    problem = ""
    if index < 0:
        problem = f"is {text!r}, whose index is negative"
    elif name != text.strip():
        problem = f"is {text!r}, which ends in a NUL byte"
    return device(known, index), problem


def _key(spec: CompileSpec) -> str:
    return c_string(spec.key or "")


def misspelt_key(delegate: BackendDelegate) -> str | None:
    """A compile spec's key that differs from `target_device` only in case, blanks or dashes."""
    for spec in delegate.compile_specs or ():
        key = _key(spec)
        same = key.strip().lower().replace("-", "_").replace("_", "")
        if key != TARGET_DEVICE_KEY and same == TARGET_DEVICE_KEY.replace("_", ""):
            return key
    return None


def _contradiction(specs: Sequence[CompileSpec], position: int) -> str:
    first = parse_target_device(specs[position].value)[0]
    for spec in specs[position + 1 :]:
        if _key(spec) == TARGET_DEVICE_KEY and parse_target_device(spec.value)[0] != first:
            return "is there twice with different values; the exporter takes the first"
    return ""
