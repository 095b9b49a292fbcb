from __future__ import annotations

import random
from typing import Any

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobPart, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.schema.mutations import mutate
from tests.support.tensorrt import engine, metadata, tensorrt_blob


def describe(content: bytes) -> BlobFacts:
    return describe_blob("TensorRTBackend", b"??" + content, Span(2, len(content)))


def problems(content: bytes) -> list[tuple[str, str | None]]:
    return [(each.message, each.error) for each in describe(content).problems]


def test_a_whole_blob() -> None:
    blob = tensorrt_blob()
    facts = describe(blob)
    assert (facts.format, facts.problems) == ("TensorRT blob TR01", ())
    assert facts.inputs == (BlobArgument(0, name="x"),)
    assert facts.outputs == (BlobArgument(1, name="output0"),)
    assert facts.requires == (
        Requirement("TensorRT", "10.13.3.9"),
        Requirement("platform", "linux_x86_64"),
        Requirement("CUDA device", "0"),
    )
    size = int.from_bytes(blob[8:12], "little")
    assert facts.parts == (BlobPart("metadata", size), BlobPart("engine", 64))


def test_types_and_sizes_where_they_are_told() -> None:
    entries = [
        {"name": "x", "dtype": "float16", "shape": [2, 3], "is_input": True},
        {"name": "n", "dtype": "int32", "shape": [-1], "is_input": True},
        {"name": "y", "dtype": "float32", "shape": [], "is_input": False},
    ]
    facts = describe(tensorrt_blob(told=metadata(io_bindings=entries, hardware_compatible=True)))
    assert facts.inputs == (
        BlobArgument(0, "float16", (2, 3), name="x"),
        BlobArgument(1, "int32", (-1,), name="n"),
    )
    assert facts.outputs == (BlobArgument(2, "float32", name="y"),)
    assert facts.requires[-1] == Requirement("GPU", "any that hardware compatibility covers")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tensorrt_blob(magic=b"TR03"), "bytes that begin with b'TR03', not TR01 or TR02"),
        (tensorrt_blob()[:31], "31 bytes that begin with b'TR01'"),
        (tensorrt_blob(text_at=31), "the metadata begins at byte 31, inside the header"),
        (tensorrt_blob(engine_at=40), "the engine begins at byte 40, which is no multiple of 16"),
        (tensorrt_blob(text_size=1 << 20), "the metadata ends at byte 1048608 of"),
        (tensorrt_blob(size=1 << 20), "the engine ends at byte"),
        (tensorrt_blob(engine_at=32), "behind the engine's first byte"),
        (tensorrt_blob(b""), "the engine has no bytes"),
        (tensorrt_blob(told=b"{}"), "the metadata has no io_bindings"),
    ],
)
def test_what_init_refuses(content: bytes, message: str) -> None:
    ((found, error),) = problems(content)
    assert message in found
    assert error == "InvalidProgram"


def test_the_limits_of_the_head() -> None:
    # One byte less than is refused each.
    blob = tensorrt_blob()
    assert problems(tensorrt_blob(text_at=32)) == []
    assert problems(blob) == []
    assert "of" in problems(blob[:-1])[0][0]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"output": "output0", "input": "x", "kind": "user"}, ""),
        ({"output": "output0", "input": "x"}, ""),
        ({"output": "output0", "input": "y", "kind": "user"}, "which are no bindings"),
        ({"output": "x", "input": "x", "kind": "user"}, "which are no bindings"),
        ({"output": "output0", "input": "x", "kind": "other"}, "has the unknown kind 'other'"),
    ],
)
def test_aliases(entry: dict[str, Any], message: str) -> None:
    blob = tensorrt_blob(told=metadata(aliased_io=[entry]), magic=b"TR02")
    found = problems(blob)
    assert describe(blob).format == "TensorRT blob TR02"
    if not message:
        assert found == []
    else:
        ((told, error),) = found
        assert message in told
        assert error == "InvalidProgram"


def test_metadata_that_python_does_not_read_is_not_judged() -> None:
    # The loader's own reader takes words for values that are no JSON.
    found = problems(tensorrt_blob(told=b'{"io_bindings":[],"x":nothing}'))
    assert found == [("the metadata is no JSON that lists bindings", None)]
    huge = b'{"io_bindings":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert [error for _, error in problems(tensorrt_blob(told=huge))] == [None]


def test_words_and_numbers_that_no_exporter_writes() -> None:
    entry = {"name": "x", "dtype": "float\x1b[31m", "shape": [1 << 63], "is_input": True}
    told = metadata(io_bindings=[entry], target_platform="a b", device_id=1 << 70)
    facts = describe(tensorrt_blob(told=told))
    assert facts.inputs == (BlobArgument(0, name="x"),)
    assert facts.requires == (Requirement("TensorRT", "10.13.3.9"),)


@pytest.mark.parametrize("head", [engine(tag=b"other"), b"ftrt" + b"\1" * 60, b"ftrt"])
def test_engines_of_another_form_have_no_version(head: bytes) -> None:
    facts = describe(tensorrt_blob(head))
    assert facts.problems == ()
    assert "TensorRT" not in [need.what for need in facts.requires]


def test_damage_never_raises() -> None:
    choice = random.Random(7)
    blob = tensorrt_blob(told=metadata(aliased_io=[{"output": "output0", "input": "x"}]))
    for _ in range(500):
        describe(mutate(blob, choice))
