"""What a delegate's shared library is for, needs, exports, and which code for GPUs it brings.

Which functions the backends look up: backends/cuda/runtime/cuda_backend.cpp and
backends/apple/metal/runtime/metal_backend.cpp (load_function_pointers_into_handle). How code for
GPUs is embedded: torch/_inductor/cpp_builder.py (batch_convert_cubins_to_obj), and the section that
nvcc makes. Heads of Mach-O and PE: <mach-o/loader.h>, the PE/COFF specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pte_lint.schema.blob.cuda_code import MOST_IMAGES, DeviceCode, device_code
from pte_lint.schema.blob.elf import ElfFacts, ElfImage, is_readable, read_elf, read_image, sections
from pte_lint.schema.blob.window import OutsideError, TooLargeError, Window
from pte_lint.schema.frozen import dataclass

ENTRY_POINTS = (
    "AOTInductorModelContainerCreateWithDevice",
    "AOTInductorModelContainerDelete",
    "AOTInductorModelContainerGetNumInputs",
    "AOTInductorModelContainerGetNumOutputs",
    "AOTInductorModelContainerRun",
)
"""Functions without which the AOTI backends give a library up."""

_MACH_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64", 7: "x86", 12: "arm"}
_PE_MACHINES = {0x8664: "x86_64", 0xAA64: "aarch64", 0x14C: "x86", 0x1C0: "arm"}
_DYLIBS = {6: "shared library", 8: "shared library", 2: "executable", 1: "object"}
_FAT_SECTION = ".nv_fatbin"

_FREE_BYTES = 1 << 20
_FACTOR = 4


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """What `read_library` found.

    Attributes:
        format: `ELF`, `Mach-O`, `PE`, or "" for something else.
        machine: Architecture name as in `ElfFacts`; "" where it is for several or not told.
        type: As in `ElfFacts`; "" where it is not told.
        elf: The head of an ELF image.
        image: What a loader reads of it; None for other formats and where it cannot be read.
        missing: Functions of `ENTRY_POINTS` that it does not export; () where exports are not read.
        code: Code for GPUs, in the order of the file's tables.
        problem: What is damaged, as a sentence without a full stop; "" for nothing.
        unread: Why reading was given up; "" when it was not.
    """

    format: str
    machine: str = ""
    type: str = ""
    elf: ElfFacts | None = None
    image: ElfImage | None = None
    missing: tuple[str, ...] = ()
    code: tuple[DeviceCode, ...] = ()
    problem: str = ""
    unread: str = ""


def describe_library(library: Window) -> LibraryFacts:
    """Describes the bytes that a backend hands to the system's loader."""
    head = library.look(0, 64)
    elf = read_elf(head)
    if elf is None:
        return _foreign(library, head)
    if not is_readable(elf):
        return LibraryFacts("ELF", elf.machine, elf.type, elf)
    image, problem, unread = None, "", ""
    code: list[DeviceCode] = []
    try:
        image = read_image(library)
        left = _FREE_BYTES + _FACTOR * len(library)
        for module, place in _embedded(library, image):
            left -= len(place)
            if left < 0 or len(code) >= MOST_IMAGES:
                unread = "more code for GPUs is named than the library has room for"
                break
            code.extend(islice(device_code(place, module), MOST_IMAGES - len(code)))
    except TooLargeError as error:
        unread = str(error)
    except OutsideError as error:
        problem = str(error).replace("the blob", "the library")
    missing: tuple[str, ...] = ()
    if image is not None and image.symbols is not None:
        names = {symbol.name for symbol in image.symbols}
        missing = tuple(name for name in ENTRY_POINTS if name not in names)
    return LibraryFacts(
        "ELF", elf.machine, elf.type, elf, image, missing, tuple(code), problem, unread
    )


def _embedded(library: Window, image: ElfImage) -> Iterator[tuple[str, Window]]:
    """Yields a name and the place of each stretch of code for GPUs."""
    places = {symbol.name: symbol.at for symbol in image.symbols or ()}
    for name, start in places.items():
        if not (name.startswith("__") and name.endswith("_start")) or start is None:
            continue
        end = places.get(f"{name[:-6]}_end")
        if end is not None and start < end <= len(library):
            yield name[2:-6], library.within(start, end - start)
    for name, _, at, size, _ in sections(library):
        if name == _FAT_SECTION:
            yield name, library.within(at, size)


def _foreign(library: Window, head: bytes) -> LibraryFacts:
    if head[:4] == b"\xcf\xfa\xed\xfe" and len(head) >= 16:
        machine, kind = (int.from_bytes(head[at : at + 4], "little") for at in (4, 12))
        return LibraryFacts(
            "Mach-O",
            _MACH_MACHINES.get(machine, f"machine {machine:#x}"),
            _DYLIBS.get(kind, f"type {kind}"),
        )
    if head[:4] == b"\xca\xfe\xba\xbe":
        return LibraryFacts("Mach-O")
    if head[:2] == b"MZ" and len(head) == 64:
        at = int.from_bytes(head[60:64], "little")
        pe = library.look(at, 24)
        if pe[:4] == b"PE\0\0" and len(pe) == 24:
            machine, flags = (int.from_bytes(pe[place : place + 2], "little") for place in (4, 22))
            name = _PE_MACHINES.get(machine, f"machine {machine:#x}")
            return LibraryFacts("PE", name, "shared library" if flags & 0x2000 else "executable")
    return LibraryFacts("")
