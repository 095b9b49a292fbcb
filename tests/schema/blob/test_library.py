"""Shared libraries as linkers wrote them, whole and cut."""

from __future__ import annotations

import random
import struct

import pytest
from pte_lint.schema.blob.library import ENTRY_POINTS, LibraryFacts
from pte_lint.schema.delegates import read_library
from pte_lint.schema.program import Span

from tests.schema.blob.files import library

NAMES = (
    "model_sm_80.so", "model_sm_80_ptx.so", "model_nv_fatbin.so", "model_without_run.so",
    "model_sm_90a_executable_stack.so",
)  # fmt: skip


def read(content: bytes) -> LibraryFacts:
    return read_library(b"?" * 3 + content, Span(3, len(content)))


def code(facts: LibraryFacts) -> list[tuple[str, str]]:
    return [(c.module, c.arch) for c in facts.code]


def test_what_a_loader_reads() -> None:
    facts = read(library("model_sm_80.so"))
    assert (facts.format, facts.machine, facts.type) == ("ELF", "x86_64", "shared library")
    assert (facts.missing, facts.problem, facts.unread) == ((), "", "")
    image = facts.image
    assert image is not None
    assert image.needed == ("libstdc++.so.6", "libgcc_s.so.1", "libc.so.6")
    assert image.versions == (
        ("libgcc_s.so.1", "GCC_3.0"),
        ("libstdc++.so.6", "GLIBCXX_3.4"),
        ("libstdc++.so.6", "GLIBCXX_3.4.21"),
        ("libstdc++.so.6", "CXXABI_1.3"),
        ("libc.so.6", "GLIBC_2.14"),
        ("libc.so.6", "GLIBC_2.2.5"),
    )
    assert image.paths == ("/home/builder/torch/lib",)
    assert not image.executable_stack
    assert "__cxa_throw" in image.imports
    assert set(ENTRY_POINTS) <= {symbol.name for symbol in image.symbols or ()}


def test_code_between_symbols_and_in_the_section_of_nvcc() -> None:
    kernel = "triton_poi_fused_add_0"
    assert code(read(library("model_sm_80.so"))) == [(kernel, "sm_80")]
    assert code(read(library("model_sm_80_ptx.so"))) == [(kernel, "sm_80"), (kernel, "compute_80")]
    assert code(read(library("model_nv_fatbin.so"))) == [
        (".nv_fatbin", arch) for arch in ("sm_80", "sm_90a", "compute_90", "sm_75", "compute_75")
    ]


def test_what_is_missing_and_what_is_odd() -> None:
    facts = read(library("model_without_run.so"))
    assert facts.missing == ("AOTInductorModelContainerRun",)
    stack = read(library("model_sm_90a_executable_stack.so")).image
    assert stack is not None
    assert stack.executable_stack


def test_libraries_of_other_systems() -> None:
    mach = b"\xcf\xfa\xed\xfe" + bytes.fromhex("0c0000010000000006000000") + bytes(60)
    assert read(mach) == LibraryFacts("Mach-O", "aarch64", "shared library")
    assert read(b"\xca\xfe\xba\xbe" + bytes(60)) == LibraryFacts("Mach-O")
    pe = b"MZ" + bytes(58) + b"\x40\0\0\0" + b"PE\0\0\x64\x86" + bytes(16) + b"\x22\x20" + bytes(9)
    assert read(pe) == LibraryFacts("PE", "x86_64", "shared library")
    assert read(b"words") == read(b"") == LibraryFacts("")
    assert read(b"MZ" + bytes(20)) == LibraryFacts("")


def test_big_endian_images_are_not_read_further() -> None:
    content = b"\x7fELF\x02\x02\x01" + bytes(9) + b"\x00\x03\x00\x15" + bytes(60)
    facts = read(content)
    assert (facts.machine, facts.type, facts.image) == ("powerpc64", "shared library", None)


@pytest.mark.parametrize("name", NAMES)
def test_damage_never_raises(name: str) -> None:
    whole, choice = library(name), random.Random(name)
    for end in range(0, len(whole), 97):
        read(whole[:end])
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(choice.choice((1, 1, 8))):
            at = choice.choice((choice.randrange(64), choice.randrange(len(content))))
            content[at : at + 4] = choice.choice(
                (b"\xff\xff\xff\xff", b"\0\0\0\0", choice.randbytes(4), b"\x7f\xff\xff\xff")
            )
        read(bytes(content))


def test_code_that_is_named_over_and_over_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pte_lint.schema.blob.library._FREE_BYTES", 0)
    monkeypatch.setattr("pte_lint.schema.blob.library._FACTOR", 0)
    facts = read(library("model_sm_80.so"))
    assert facts.code == ()
    assert facts.unread == "more code for GPUs is named than the library has room for"


def _dynamic(content: bytes) -> tuple[int, int]:
    """Where the program header of the dynamic section is, and where the section is."""
    (table,) = struct.unpack_from("<Q", content, 32)
    (count,) = struct.unpack_from("<H", content, 56)
    for at in range(table, table + 56 * count, 56):
        kind, _, where = struct.unpack_from("<IIQ", content, at)
        if kind == 2:
            return at, where
    raise AssertionError("a shared library has one")


def test_a_dynamic_section_of_the_most_entries_is_read_and_no_longer_one() -> None:
    content = bytearray(library("model_sm_80.so")) + bytes(1 << 17)
    header, _ = _dynamic(content)
    whole = read(bytes(content)).image
    assert whole is not None
    struct.pack_into("<Q", content, header + 32, 16 * 4096)
    assert read(bytes(content)).image == whole
    struct.pack_into("<Q", content, header + 32, 16 * 4096 + 1)
    facts = read(bytes(content))
    assert (facts.image, facts.problem) == (None, "")
    assert facts.unread == "the dynamic section is larger than is read"


def test_dynamic_strings_of_the_most_bytes_are_read_and_no_more() -> None:
    content = bytearray(library("model_sm_80.so")) + bytes(33 << 20)
    _, where = _dynamic(content)
    whole = read(bytes(content)).image
    size = next(
        at
        for at in range(where, where + 16 * 64, 16)
        if struct.unpack_from("<Q", content, at)[0] == 10
    )
    struct.pack_into("<Q", content, size + 8, 32 << 20)
    assert read(bytes(content)).image == whole
    struct.pack_into("<Q", content, size + 8, (32 << 20) + 1)
    facts = read(bytes(content))
    assert (facts.image, facts.problem) == (None, "")
    assert facts.unread == "the table of dynamic strings is larger than is read"
