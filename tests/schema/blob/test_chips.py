from __future__ import annotations

import random
import struct

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobPart, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.fbs import layout
from pte_lint.schema.program import Span

from tests.schema.layout_writer import write_document
from tests.schema.mutations import mutate


def describe(backend: str, content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob(backend, b"??" + content, Span(2, len(content)), specs)


def qnn_options(chip: int = 57, arch: int = 75, backend: int = 2) -> bytes:
    content = {
        "soc_info": {"soc_model": chip, "htp_info": {"htp_arch": arch, "vtcm_size_in_mb": 8}},
        "backend_options": {"backend_type": backend},
    }
    return write_document(layout("qnn"), content)


def qnn_blob(size: int = 16) -> bytes:
    return struct.pack("<IQQ", 0x5678ABCD, 1, size) + bytes(236) + bytes(16)


def neutron_blob(version: int = 1) -> bytes:
    head = bytes((1, 1, 1, 0, 0, 0, 0, version))
    words = [0] * 16
    words[0], words[6], words[7], words[9] = 0x64434D6E, 64, 32, 4096
    words[11 + 2 * version : 13 + 2 * version] = [1, 1]
    return head + bytes(8) + struct.pack("<16I", *words)


def test_qnn() -> None:
    facts = describe("QnnBackend", qnn_blob(), qnn_compile_spec=qnn_options())
    assert (facts.format, facts.problems) == ("QNN context binary", ())
    assert facts.requires == (
        Requirement("SoC", "SM8650"),
        Requirement("Hexagon architecture", "V75"),
        Requirement("QNN backend", "HTP"),
    )
    assert facts.parts == (BlobPart("context binary", 16),)
    (problem,) = describe("QnnBackend", qnn_blob(17)).problems
    assert problem.message == "a context binary of 17 bytes does not fit into 16"


def test_qnn_options_that_nobody_knows() -> None:
    facts = describe("QnnBackend", b"x", qnn_compile_spec=qnn_options(1234, 0, 9))
    assert facts.requires == (
        Requirement("SoC", "model 1234"),
        Requirement("QNN backend", "type 9"),
    )
    assert describe("QnnBackend", b"x", qnn_compile_spec=b"short").requires == ()
    assert describe("QnnBackend", b"x", qnn_compile_spec=b"\xff" * 64).requires == ()


@pytest.mark.parametrize("version", [0, 1])
def test_neutron(version: int) -> None:
    facts = describe("NeutronBackend", neutron_blob(version), target=b"imxrt700")
    assert (facts.format, facts.problems) == ("Neutron microcode", ())
    assert facts.scratch == 4096
    assert facts.requires == (
        Requirement("payload version", str(version)),
        Requirement("target", "imxrt700"),
    )
    assert facts.parts == (BlobPart("microcode", 64), BlobPart("weights", 32))


def test_neutron_of_a_later_version() -> None:
    content = bytearray(neutron_blob())
    content[7] = 2
    (problem,) = describe("NeutronBackend", bytes(content)).problems
    assert (problem.message, problem.error) == ("payload version 2 is unknown", "InvalidProgram")


def test_neuropilot() -> None:
    content = struct.pack("<BIII", 1, 2, 1, 4) + b"abcd"
    facts = describe("NeuropilotBackend", content, **{"platform-config": b"mt6991"})
    assert facts.inputs == (BlobArgument(0), BlobArgument(1))
    assert facts.outputs == (BlobArgument(2),)
    assert facts.requires == (
        Requirement("payload version", "1"),
        Requirement("SoC", "mt6991"),
    )


def test_blobs_without_a_head_that_is_known() -> None:
    assert describe("EnnBackend", b"x").format == "ENN model"
    assert [each.error for each in describe("EnnBackend", b"").problems] == ["Internal"]


def test_damage_never_raises() -> None:
    choice = random.Random(17)
    for _ in range(300):
        options = mutate(qnn_options(), choice)
        describe("QnnBackend", mutate(qnn_blob(), choice), qnn_compile_spec=options)
        describe("NeutronBackend", mutate(neutron_blob(), choice))
