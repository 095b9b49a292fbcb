"""What an ELF image is for, and what the system's loader needs to load it as a shared library.

Facts: the ELF specification (System V ABI, chapters 4 and 5), its GNU extensions (symbol versions
and the hash table of the Linux Standard Base). Everything but named sections is found as a loader
finds it, through the program headers. Nothing is loaded or run.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from pte_lint.schema.blob.window import OutsideError, TooLargeError, Window
from pte_lint.schema.frozen import dataclass

_MACHINES = {
    3: "x86", 8: "mips", 20: "powerpc", 21: "powerpc64", 22: "s390", 40: "arm", 62: "x86_64",
    164: "hexagon", 183: "aarch64", 190: "cuda", 224: "amdgpu", 243: "riscv", 258: "loongarch",
}  # fmt: skip
_TYPES = {1: "object", 2: "executable", 3: "shared library", 4: "core dump"}

_PT_LOAD, _PT_DYNAMIC, _PT_GNU_STACK = 1, 2, 0x6474E551
_DT_NEEDED, _DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_STRSZ, _DT_RPATH = 1, 4, 5, 6, 10, 15
_DT_RUNPATH, _DT_GNU_HASH, _DT_VERNEED = 29, 0x6FFFFEF5, 0x6FFFFFFE
_EXECUTABLE = 1

MOST_SYMBOLS = 1 << 18
_MOST_STRINGS = 32 << 20
_MOST_DYNAMIC = 4096
_MOST_HEADERS = 1 << 14
_LONGEST = 4096
_FREE_STRINGS = 1 << 20


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """The head of an ELF image.

    Attributes:
        machine: Architecture name such as `x86_64` or `aarch64`, or `machine 999`.
        bits: 32 or 64.
        byte_order: `little` or `big`.
        type: `shared library`, `executable`, `object`, `core dump`, or `type 9`.
    """

    machine: str
    bits: int
    byte_order: str
    type: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A dynamic symbol that the image defines: name, and where its content is in the image.

    `at` is None where no loadable segment of the file has it.
    """

    name: str
    at: int | None


@dataclass(frozen=True, slots=True)
class ElfImage:
    """What a loader looks at in a 64-bit little-endian shared library.

    Attributes:
        needed: Names of the libraries it is loaded with, in order.
        versions: Library and version that it asks for, such as (`libc.so.6`, `GLIBC_2.34`).
        symbols: Dynamic symbols that it defines; None where their number cannot be told.
        imports: Dynamic symbols that it wants from others.
        paths: Folders it is to look for libraries in, on the machine that made it.
        executable_stack: Whether it asks for a stack that can hold code.
    """

    needed: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    symbols: tuple[Symbol, ...] | None = None
    imports: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    executable_stack: bool = False


def read_elf(head: bytes) -> ElfFacts | None:
    """Reads the head of an ELF image; None when it is none, or cut short.

    Args:
        head: At least the first 20 bytes.
    """
    if len(head) < 20 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    little = head[5] == 1
    order = "little" if little else "big"
    kind = int.from_bytes(head[16:18], "little" if little else "big")
    machine = int.from_bytes(head[18:20], "little" if little else "big")
    return ElfFacts(
        _MACHINES.get(machine, f"machine {machine}"),
        32 * head[4],
        order,
        _TYPES.get(kind, f"type {kind}"),
    )


def is_readable(elf: ElfFacts | None) -> bool:
    """Whether more than the head is read: 64-bit little-endian images only."""
    return elf is not None and (elf.bits, elf.byte_order) == (64, "little")


def sections(image: Window) -> Iterator[tuple[str, int, int, int, int]]:
    """Yields name, type, file offset, size and info of each section.

    Raises:
        OutsideError: The table leaves the image.
        TooLargeError: It is larger than any compiler makes it.
    """
    (table,) = image.unpack("<Q", 40, "the section table")
    each, count, names = image.unpack("<HHH", 58, "the section table")
    if count == 0:
        return
    if each != 64 or names >= count:
        raise OutsideError(image.start + 58, "the section table")
    if count > _MOST_HEADERS:
        raise TooLargeError(image.start + 60, "the section table")
    headers = image.take(table, 64 * count, "the section table")
    _, _, _, _, at, size, *_ = struct.unpack_from("<IIQQQQIIQQ", headers, 64 * names)
    text = _Strings(image.take(at, min(size, 64 * _MOST_HEADERS), "names of sections"), image.start)
    for number in range(count):
        name, kind, _, _, at, size, _, info, _, _ = struct.unpack_from(
            "<IIQQQQIIQQ", headers, 64 * number
        )
        yield text.at(name), kind, at, size, info


def read_image(image: Window) -> ElfImage:
    """Reads what the loader reads of a 64-bit little-endian shared library.

    Raises:
        OutsideError: Something lies outside the image.
        TooLargeError: Something is larger than any linker makes it.
    """
    loads, dynamic, executable_stack = [], None, False
    (table,) = image.unpack("<Q", 32, "the table of program headers")
    each, count = image.unpack("<HH", 54, "the table of program headers")
    if each != 56:
        raise OutsideError(image.start + 54, "the table of program headers")
    if count > _MOST_HEADERS:
        raise TooLargeError(image.start + 56, "the table of program headers")
    headers = image.take(table, 56 * count, "the table of program headers")
    for kind, flags, at, address, _, size, _, _ in struct.iter_unpack("<IIQQQQQQ", headers):
        if kind == _PT_LOAD:
            loads.append((address, at, size))
        elif kind == _PT_DYNAMIC:
            dynamic = at, size
        elif kind == _PT_GNU_STACK:
            executable_stack = bool(flags & _EXECUTABLE)
    if dynamic is None:
        return ElfImage(executable_stack=executable_stack)
    return _Dynamic(image, loads).read(*dynamic, executable_stack)


class _Strings:
    """A string table. Linkers let strings share their ends, and no more."""

    def __init__(self, text: bytes, start: int = 0) -> None:
        self._text = text
        self._start = start
        self._left = _FREE_STRINGS + 4 * len(text)

    def at(self, place: int) -> str:
        """The string at a place; cut where no name is longer."""
        end = self._text.find(b"\0", place, place + _LONGEST)
        text = self._text[place : end if end >= 0 else place + _LONGEST]
        self._left -= len(text)
        if self._left < 0:
            raise TooLargeError(self._start, "a string table that is used over and over")
        return text.decode("utf-8", "surrogateescape")


class _Dynamic:
    """The dynamic section of one image."""

    def __init__(self, image: Window, loads: list[tuple[int, int, int]]) -> None:
        self._image = image
        self._loads = loads
        self._text = _Strings(b"", image.start)

    def read(self, at: int, size: int, executable_stack: bool) -> ElfImage:
        if size > 16 * _MOST_DYNAMIC:
            raise TooLargeError(self._image.start + at, "the dynamic section")
        size = size // 16 * 16
        entries: dict[int, int] = {}
        needed, paths = [], []
        for tag, value in struct.iter_unpack(
            "<QQ", self._image.take(at, size, "the dynamic section")
        ):
            if tag == 0:
                break
            if tag == _DT_NEEDED:
                needed.append(value)
            elif tag in (_DT_RPATH, _DT_RUNPATH):
                paths.append(value)
            entries.setdefault(tag, value)
        if entries.get(_DT_STRSZ, 0) > _MOST_STRINGS:
            raise TooLargeError(self._image.start, "the table of dynamic strings")
        if _DT_STRTAB in entries:
            where = self._place(entries[_DT_STRTAB])
            text = self._image.take(
                where, entries.get(_DT_STRSZ, 0), "the table of dynamic strings"
            )
            self._text = _Strings(text, self._image.start)
        symbols, imports = self._symbols(entries)
        return ElfImage(
            tuple(self._text.at(name) for name in needed),
            tuple(dict.fromkeys(self._versions(entries.get(_DT_VERNEED)))),
            symbols,
            imports,
            tuple(self._text.at(name) for name in paths),
            executable_stack,
        )

    def _offset(self, address: int) -> int | None:
        for start, at, size in self._loads:
            if start <= address < start + size:
                return at + address - start
        return None

    def _place(self, address: int) -> int:
        at = self._offset(address)
        if at is None:
            raise OutsideError(self._image.start, "a table of the dynamic section")
        return at

    def _symbols(
        self, entries: dict[int, int]
    ) -> tuple[tuple[Symbol, ...] | None, tuple[str, ...]]:
        count = self._count(entries)
        if count is None or _DT_SYMTAB not in entries:
            return None, ()
        if count > MOST_SYMBOLS:
            raise TooLargeError(self._image.start, "the table of dynamic symbols")
        table = self._image.take(
            self._place(entries[_DT_SYMTAB]), 24 * count, "the table of dynamic symbols"
        )
        defined, wanted = [], []
        for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", table):
            text = self._text.at(name)
            if section == 0:
                if text:
                    wanted.append(text)
            else:
                defined.append(Symbol(text, self._offset(value)))
        return tuple(defined), tuple(wanted)

    def _count(self, entries: dict[int, int]) -> int | None:
        """How many dynamic symbols there are; hash tables alone tell."""
        if _DT_HASH in entries:
            return self._image.unpack("<II", self._place(entries[_DT_HASH]), "the hash table")[1]
        if _DT_GNU_HASH not in entries:
            return None
        at = self._place(entries[_DT_GNU_HASH])
        buckets, first, words, _ = self._image.unpack("<IIII", at, "the hash table")
        if max(buckets, words) > MOST_SYMBOLS:
            raise TooLargeError(self._image.start + at, "the hash table")
        at += 16 + 8 * words
        last = max(self._image.unpack(f"<{buckets}I", at, "the hash table"), default=0)
        if last < first:
            return first
        at += 4 * buckets + 4 * (last - first)
        # The chain of the last bucket ends with the last symbol.
        for step in range(MOST_SYMBOLS):
            if self._image.unpack("<I", at + 4 * step, "the hash table")[0] & 1:
                return last + step + 1
        return None

    def _versions(self, address: int | None) -> Iterator[tuple[str, str]]:
        if address is None:
            return
        at, left = self._place(address), MOST_SYMBOLS
        while left:
            _, count, file, first, following = self._image.unpack("<HHIII", at, "a version")
            library, entry = self._text.at(file), at + first
            for _ in range(count):
                left -= 1
                _, _, _, name, step = self._image.unpack("<IHHII", entry, "a version")
                yield library, self._text.at(name)
                entry += step
                if not step or not left:
                    break
            if not following:
                return
            at, left = at + following, left - bool(left)
