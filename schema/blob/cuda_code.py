"""Code for NVIDIA GPUs: cubins, PTX, and the fat binaries that hold several of them.

A cubin is an ELF image; which architecture it is for stands in its flags (LLVM's
BinaryFormat/ELF.h: EF_CUDA_SM and EF_CUDA_ACCELERATORS of ABI version 7, and their successors of
version 8). The container of fat binaries is not specified by its vendor: what is read of it (kind,
architecture, size, and the marks of `a` and `f` variants) is what `fatbinary` of CUDA 13.5 writes
and `cuobjdump` reads back, tried for sm_75 to sm_121. On which device code runs is documented: CUDA
C++ Programming Guide, "Binary Compatibility", "PTX Compatibility" and "Family-Specific
Architecture Features"; NVIDIA Blackwell Compatibility Guide.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from pte_lint.schema.blob.elf import read_elf, sections
from pte_lint.schema.blob.window import OutsideError, Window
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

FATBIN = b"\x50\xed\x55\xba"
_PTX, _CUBIN = 1, 2
_ARCHITECTURE_SPECIFIC, _FAMILY_SPECIFIC = 1 << 20, 1 << 21
_COMPATIBILITY_SECTION = 0x70000086
_BYTE_VALUES, _ISA_CLASS = 2, 9
MOST_IMAGES = 1 << 16

_EMBEDDED = frozenset({32, 53, 62, 72, 87, 101, 110})
"""Compute capabilities of Jetson and DRIVE: binary compatibility is documented for no others."""

_FAMILIES = ({100, 103}, {101}, {110}, {120, 121})

_TARGET = re.compile(r"sm_(\d{2,3})([af]?)")


class Serves(StrEnum):
    """Whether code runs on a device."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not documented"


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """A kernel in a cubin: bytes of static shared memory, and threads of a block if it fixes them.

    Shared memory that is asked for when a kernel is started is no part of a cubin.
    """

    name: str
    shared: int = 0
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """Code for one architecture.

    Attributes:
        module: What it is loaded as: images of one module are alternatives to each other.
        kind: `cubin`, `ptx`, or what else it is.
        arch: Such as `sm_90a` for a cubin, `compute_90` for PTX; "" where that cannot be told.
        size: Bytes in the file.
        kernels: What a cubin holds, in its order.
    """

    module: str
    kind: str
    arch: str
    size: int
    kernels: tuple[KernelFacts, ...] = ()


def parse_gpu(text: str) -> int | None:
    """Compute capability of a device that is named `sm_90`, as 90; None for anything else."""
    match = _TARGET.fullmatch(text)
    return int(match[1]) if match and not match[2] else None


def serves(code: DeviceCode, device: int) -> Serves:
    """Whether code runs on a device of the compute capability, by the vendor's documents."""
    kind, _, digits = code.arch.partition("_")
    variant = digits[-1:] if digits[-1:] in ("a", "f") else ""
    if kind not in ("sm", "compute") or not digits.rstrip("af").isdigit():
        return Serves.UNKNOWN
    made = int(digits.rstrip("af"))
    if variant == "a" or made == device:
        return Serves.YES if made == device else Serves.NO
    if kind == "compute":
        if not variant:
            return Serves.YES if made < device else Serves.NO
        family: set[int] = next((f for f in _FAMILIES if made in f), set())
        if made > device or (family and device not in family):
            return Serves.NO
        return Serves.YES if family else Serves.UNKNOWN
    if made // 10 != device // 10 or made > device:
        return Serves.NO
    return Serves.UNKNOWN if {made, device} & _EMBEDDED else Serves.YES


def device_code(image: Window, module: str) -> Iterator[DeviceCode]:
    """Yields what an embedded image holds; nothing when it is no code for a GPU.

    Args:
        image: The bytes of a cubin, PTX, or one or more fat binaries.
        module: What it is loaded as.

    Raises:
        OutsideError: A part leaves the image.
    """
    if image.starts_with(FATBIN):
        yield from _fat_binaries(image, module)
    elif image.starts_with(b"\x7fELF"):
        yield _elf(image, module)
    elif image.starts_with(b"//") or image.starts_with(b".version"):
        found = re.search(rb"\.target\s+sm_(\d{2,3}[af]?)", image.look(0, 4096))
        yield DeviceCode(module, "ptx", f"compute_{found[1].decode()}" if found else "", len(image))
    elif image.starts_with(b"__CLANG_OFFLOAD_BUNDLE__"):
        yield DeviceCode(module, "offload bundle", "", len(image))


def _fat_binaries(image: Window, module: str) -> Iterator[DeviceCode]:
    at = 0
    while image.starts_with(FATBIN, at):
        _, version, header, size = image.unpack("<IHHQ", at, "a fat binary")
        if version != 1 or header < 16:
            yield DeviceCode(module, f"fat binary of version {version}", "", size)
            return
        at, end = at + header, at + header + size
        if end > len(image):
            raise OutsideError(image.start + at, "a fat binary")
        while at < end:
            code, at = _entry(image, at, end, module)
            yield code
        # Several in one section are aligned.
        at = (at + 7) // 8 * 8


def _entry(image: Window, at: int, end: int, module: str) -> tuple[DeviceCode, int]:
    kind, _, header, size = image.unpack("<HHIQ", at, "an entry of a fat binary")
    (number,) = image.unpack("<I", at + 28, "an entry of a fat binary")
    (flags,) = image.unpack("<Q", at + 40, "an entry of a fat binary")
    following = at + header + size
    if header < 64 or following > end:
        raise OutsideError(image.start + at, "an entry of a fat binary")
    arch = f"{number}"
    # Cubins of a family are no others than those of its first member.
    if flags & _ARCHITECTURE_SPECIFIC:
        arch += "a"
    elif flags & _FAMILY_SPECIFIC and kind == _PTX:
        arch += "f"
    if kind == _CUBIN:
        # Compressed ones cannot be looked into.
        if image.starts_with(b"\x7fELF", at + header):
            inner = image.within(at + header, size)
            return DeviceCode(module, "cubin", f"sm_{arch}", size, _kernels(inner)), following
        return DeviceCode(module, "cubin", f"sm_{arch}", size), following
    if kind == _PTX:
        return DeviceCode(module, "ptx", f"compute_{arch}", size), following
    return DeviceCode(module, f"fat binary entry of kind {kind}", "", size), following


def _elf(image: Window, module: str) -> DeviceCode:
    facts = read_elf(image.look(0, 64))
    if facts is None or facts.machine != "cuda":
        return DeviceCode(module, facts.machine if facts else "ELF", "", len(image))
    version, flags = image.take(8, 1)[0], image.unpack("<I", 48, "the flags of a cubin")[0]
    if version < 8:
        number, special = flags & 0xFF, flags >> 11 & 1
    else:
        number, special = flags >> 8 & 0xFF, flags >> 3 & 1 or _is_special(image)
    arch = f"sm_{number}{'a' if special else ''}"
    return DeviceCode(module, "cubin", arch, len(image), _kernels(image))


def _is_special(image: Window) -> bool:
    """What compilers from CUDA 13 on write in place of the flag of an `a` variant."""
    for _, kind, at, size, _ in sections(image):
        if kind != _COMPATIBILITY_SECTION:
            continue
        entries = image.take(at, min(size, 256), "compatibility of a cubin")
        # Values of one byte come first; others are longer.
        for form, name, value, _ in struct.iter_unpack("<BBBB", entries[: len(entries) & ~3]):
            if form == _BYTE_VALUES and name == _ISA_CLASS:
                return bool(value == 1)
            if form not in (_BYTE_VALUES, 3):
                break
    return False


def _kernels(image: Window) -> tuple[KernelFacts, ...]:
    names: list[str] = []
    shared: dict[str, int] = {}
    threads: dict[str, int | None] = {}
    for section, _, at, size, _ in sections(image):
        if section.startswith(".text."):
            names.append(section[6:])
        elif section.startswith(".nv.shared."):
            shared[section[11:]] = size
        elif section.startswith(".nv.info."):
            threads[section[9:]] = _threads(
                image.take(at, min(size, 4096), "a kernel's attributes")
            )
    return tuple(KernelFacts(name, shared.get(name, 0), threads.get(name)) for name in names)


def _threads(attributes: bytes) -> int | None:
    """Threads of a block, from `.reqntid` (attribute 0x10): three sizes."""
    at = 0
    while at + 4 <= len(attributes):
        form, name, size = struct.unpack_from("<BBH", attributes, at)
        at += 4
        if form != 4:
            continue
        if name == 0x10 and size == 12 and at + 12 <= len(attributes):
            x, y, z = struct.unpack_from("<III", attributes, at)
            return int(x * y * z)
        at += size
    return None
