from __future__ import annotations

import random

import pytest
from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobConstant,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
)
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.schema.mutations import mutate
from tests.support.openvino import MODEL, openvino_blob

CPU = Requirement("device", "CPU")
MACHINE = (Requirement("OpenVINO", "2026.4.1"), Requirement("instruction set", "Intel AVX2"))
UNFIT = "the header's parts do not fit into {} bytes, one behind the other"


def describe(content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob("OpenvinoBackend", b"??" + content, Span(2, len(content)), specs)


def test_all_that_is_read() -> None:
    content = openvino_blob()
    assert describe(content, device=b"CPU\0") == BlobFacts(
        "OpenVINO CPU model",
        Span(2, len(content)),
        inputs=(BlobArgument(0, "float32", (-1, 3), name="t"),),
        outputs=(BlobArgument(1, "int64", (2, 3), name="sum"),),
        operators=(("Subgraph", 1),),
        constants=(BlobConstant("w", "float16", (2, 3), 12),),
        requires=(CPU, *MACHINE),
        parts=(BlobPart("constants", 12), BlobPart("model", len(MODEL))),
        opaque="the plug-in checks the model's operators",
    )


def test_releases_before_2026_tell_no_machine() -> None:
    assert describe(openvino_blob(needs=None)).requires == (CPU,)
    assert describe(openvino_blob(needs=None)).inputs == describe(openvino_blob()).inputs


@pytest.mark.parametrize(
    ("header", "at", "message"),
    [
        ({"field0": 49}, 55, "the header does not begin with its size, 48"),
        ({"field1": 12}, 55, UNFIT),
        ({"field2": 61}, 55, UNFIT),
        ({"field3": (1 << 64) - 1}, 55, UNFIT),
        ({"field3": 1 << 40, "field4": (1 << 40) + 59}, 55, UNFIT),
    ],
)
def test_headers_that_are_refused(header: dict[str, int], at: int, message: str) -> None:
    content = openvino_blob(**header)
    facts = describe(content)
    text = message.format(len(content) - at)
    assert facts.problems == (BlobProblem(2 + at, text, "Internal", "1.3"),)
    assert (facts.inputs, facts.outputs) == (None, None)


def test_the_size_of_the_model_is_not_looked_at() -> None:
    assert describe(openvino_blob(field5=0)) == describe(openvino_blob())


@pytest.mark.parametrize(
    "content",
    [b"some model", openvino_blob(version=2), openvino_blob(needs="x" * 5000), b"RR_UPCVO" * 8],
)
def test_what_may_be_of_another_release(content: bytes) -> None:
    facts = describe(content)
    assert (facts.format, facts.problems, facts.requires) == ("OpenVINO model", (), (CPU,))
    assert facts.opaque == "compiled for the backend's own device"


def test_other_devices_have_their_own() -> None:
    facts = describe(openvino_blob(), device=b"NPU")
    assert (facts.format, facts.inputs) == ("OpenVINO model", None)
    assert facts.requires == (Requirement("device", "NPU"), *MACHINE)
    assert describe(b"x", device=b"\x1b[31m").requires == (Requirement("device", "?"),)


def test_no_bytes() -> None:
    assert describe(b"").problems == (BlobProblem(2, "has no bytes", "Internal", "1.3"),)


@pytest.mark.parametrize(
    "model",
    [
        b"<net><layers></net>",
        b"no model",
        b'<!DOCTYPE net [<!ENTITY a "b">]><net>&a;</net>',
        MODEL.encode()[:-9],
    ],
)
def test_models_that_are_not_read(model: bytes) -> None:
    facts = describe(openvino_blob(model))
    (problem,) = facts.problems
    assert (problem.message, problem.error) == ("the model is no XML that can be read", None)
    assert facts.requires == (CPU, *MACHINE)


def test_a_model_of_many_pieces() -> None:
    layers = b"".join(b'<layer id="0" name="n" type="Add" />' for _ in range(9000))
    facts = describe(openvino_blob(b"<net><layers>" + layers + b"</layers></net>"))
    assert facts.operators == (("Add", 9000),)


def test_a_model_that_is_too_long() -> None:
    facts = describe(openvino_blob(bytes((1 << 25) + 1)))
    assert (facts.inputs, facts.opaque) == (None, "a model of 33554433 bytes")


def test_damage_never_raises() -> None:
    choice = random.Random(5)
    told = {describe(mutate(openvino_blob(), choice)).format for _ in range(300)}
    assert {"OpenVINO CPU model", "OpenVINO model"} <= told
