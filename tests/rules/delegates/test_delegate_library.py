from __future__ import annotations

import struct

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.schema.blob.files import library
from tests.support.judging import judge, messages, only


def elf(machine: int, kind: int = 3) -> bytes:
    whole = library("model_sm_80.so")
    return whole[:16] + struct.pack("<HH", kind, machine) + whole[20:]


def program(*libraries: bytes) -> bytes:
    b = MethodBuilder()
    x = b.input((2, 2))
    for n in range(len(libraries)):
        blob = f"{n}_so_blob\n{n}_weights_blob".encode()
        (x,) = b.delegate("CudaBackend", [x], outputs=[(2, 2)], blob=blob)
    b.output(x)
    data = {f"{n}_so_blob": library for n, library in enumerate(libraries)}
    return build_program(b, named_data=data).bytes()


def test_no_library() -> None:
    finding = only(judge(program(b"words and more words, but no code"), "PTE418"))
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "The library 0_so_blob of delegate 0 (CudaBackend) is no shared library: it starts with "
        "77 6f 72 64."
    )


def test_an_object_file() -> None:
    assert "is an ELF object" in only(judge(program(elf(62, 1)), "PTE418")).message


def test_a_library_that_is_cut() -> None:
    cut = library("model_sm_80.so")[:9000]
    assert (
        "is damaged: the dynamic section lies outside the library"
        in only(judge(program(cut), "PTE418")).message
    )


def test_two_machines() -> None:
    assert messages(judge(program(elf(62), elf(183)), "PTE418")) == [
        "The library 1_so_blob of delegate 1 (CudaBackend) is for aarch64, while 0_so_blob is for "
        "x86_64."
    ]


def test_libraries_of_one_machine() -> None:
    assert judge(program(elf(183), elf(183)), "PTE418").findings == ()
