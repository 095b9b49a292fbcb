from __future__ import annotations

import random
import struct
from typing import Any

import pytest
from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobConstant,
    BlobFacts,
    Requirement,
)
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.schema.mutations import mutate
from tests.support.vgf import resource, vgf_blob


def describe(content: bytes) -> BlobFacts:
    return describe_blob("VgfBackend", b"??" + content, Span(2, len(content)))


def problems(content: bytes) -> list[tuple[str, str | None]]:
    return [(each.message, each.error) for each in describe(content).problems]


def test_a_whole_container() -> None:
    facts = describe(vgf_blob())
    assert (facts.format, facts.problems) == ("VGF container", ())
    assert facts.inputs == (BlobArgument(0, "float32", (2, 3), name="x"),)
    assert facts.outputs == (BlobArgument(1, "float32", (2, 3), name="y"),)
    assert facts.operators == (("graph in SPIR-V", 1),)
    assert facts.constants == (BlobConstant("", "int8", (4,), 4),)
    assert facts.requires == (
        Requirement("VGF version", "0.4.3"),
        Requirement("Vulkan headers", "313"),
    )
    assert [part.name for part in facts.parts] == ["modules", "sequence", "resources", "constants"]
    assert facts.parts[3].nbytes == 48


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (vgf_blob(magic=b"VGF2"), "bytes that begin with b'VGF2' are no VGF header"),
        (vgf_blob()[:127], "127 bytes that begin with b'VGF1' are no VGF header"),
        (vgf_blob()[:-8], "section constants ends at byte"),
        (vgf_blob(segments=[]), "the sequence has no segment"),
        (
            vgf_blob(constants=b"CONST00\0" + struct.pack("<QIiQQ", 2, 2, -1, 4, 0)),
            "2 constants do not fit into 40 bytes",
        ),
        (
            vgf_blob(constants=b"CONST00\0" + struct.pack("<QIiQQ", 1, 2, -1, 4, 1) + bytes(4)),
            "constant 0 ends at byte 5 of 4",
        ),
    ],
)
def test_what_init_refuses(content: bytes, message: str) -> None:
    ((found, error),) = problems(content)
    assert message in found
    assert error == "Internal"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"segments": [{}, {"module_index": 1}]}, "segment 1 names module 1 of 1"),
        ({"inputs": [{"mrt_index": 0}, {"mrt_index": 3}]}, "a binding names resource 3 of 3"),
        ({"segments": [{"outputs": [{"mrt_index": 9}]}]}, "a binding names resource 9 of 3"),
    ],
)
def test_what_is_looked_up_and_not_there(fields: dict[str, Any], message: str) -> None:
    assert problems(vgf_blob(**fields)) == [(message, None)]


def test_the_old_magic_and_later_versions() -> None:
    assert describe(vgf_blob(magic=b"\xc3\xd2\xe1\xf0")).inputs is not None
    assert describe(vgf_blob(version=(0, 4, 99))).inputs is not None
    assert describe(vgf_blob(version=(0, 5, 0))).inputs is not None
    for version in ((0, 6, 0), (1, 0, 0)):
        facts = describe(vgf_blob(version=version))
        assert (facts.problems, facts.inputs) == ((), None)
        assert facts.opaque.startswith(f"version {version[0]}.{version[1]} of the container")


def test_scalars_and_formats_without_a_word() -> None:
    entries = [resource([], 0, 37), resource([1], 1)]
    (taken,) = describe(vgf_blob(resources=entries, constants=b"")).inputs or ()
    assert taken == BlobArgument(0, "VkFormat 37", (), name="x")


def test_constants_of_the_old_form_are_not_read() -> None:
    assert describe(vgf_blob(constants=bytes(64))).constants == ()


def test_damage_never_raises() -> None:
    choice = random.Random(3)
    for _ in range(500):
        describe(mutate(vgf_blob(), choice))
