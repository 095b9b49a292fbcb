from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest
from pte_lint.schema.blob.facts import BlobArgument, WantedData
from pte_lint.schema.delegates import BlobFacts, describe_blob
from pte_lint.schema.fbs import layout
from pte_lint.schema.program import Span

from tests.schema.layout_writer import write_document

NO_ID = 0xFFFFFFFF


def value(number: int, **fields: Any) -> dict[str, Any]:
    tensor = {"datatype": 1, "num_dims": 2, "dims": [2, 3], "external_id": NO_ID, "id_out": number}
    return {"xvalue_union_type": 1, "xvalue_union": {**tensor, **fields}}


def quantized(
    number: int, kind: int, params: dict[str, Any] | None, sizes: Sequence[int] = (2, 3)
) -> dict[str, Any]:
    tensor = value(number, datatype=6, dims=list(sizes))["xvalue_union"]
    content = {"tensor_value": tensor, "quant_params_type": kind}
    if params is not None:
        content["quant_params"] = params
    return {"xvalue_union_type": 2, "xvalue_union": content}


def graph(**fields: Any) -> dict[str, Any]:
    add = {"input1_id": 0, "input2_id": 1, "output_id": 2}
    return {
        "version": "0",
        "xnodes": [{"xnode_union_type": 1, "xnode_union": add}],
        "xvalues": [
            value(0, external_id=1, flags=1),
            value(1, external_id=0, flags=1),
            value(2, external_id=2, flags=2),
        ],
        "num_externs": 3,
        **fields,
    }


def blob(
    content: dict[str, Any], constants: bytes = b"", identifier: bytes = b"XN01", **header: int
) -> bytes:
    """A blob with a header; keywords overwrite header fields."""
    document = write_document(layout("xnnpack"), content, identifier)
    document += bytes(-len(document) % 16)
    fields = {
        "graph_at": 32, "graph_size": len(document), "constants_at": 32 + len(document),
        "constants_size": len(constants), **header,
    }  # fmt: skip
    head = struct.pack("<4s4sHIIIQ", b"", b"XH00", 30, *fields.values())
    return head + bytes(2) + document + constants


def describe(content: bytes, start: int = 0) -> BlobFacts:
    return describe_blob("XnnpackBackend", bytes(start) + content, Span(start, len(content)))


def errors(content: bytes) -> list[str | None]:
    return [problem.error for problem in describe(content).problems]


def test_a_good_graph() -> None:
    facts = describe(blob(graph()))
    assert facts.format == "XNNPACK graph XN01"
    assert facts.problems == ()
    # In argument order, which is that of the external ids.
    assert facts.inputs == (
        BlobArgument(0, "float32", (2, 3)),
        BlobArgument(1, "float32", (2, 3)),
    )
    assert facts.outputs == (BlobArgument(2, "float32", (2, 3)),)
    assert (facts.n_inputs, facts.n_outputs) == (2, 1)
    assert facts.operators == (("XNNAdd", 1),)
    assert facts.opaque


def test_a_graph_without_header() -> None:
    document = write_document(layout("xnnpack"), graph(), b"XN00")
    facts = describe(document)
    assert (facts.format, facts.problems, facts.n_inputs) == ("XNNPACK graph XN00", (), 2)


def test_named_constants_are_wanted_with_the_bytes_that_are_read() -> None:
    content = graph(
        xnodes=[],
        xvalues=[
            value(0, constant_buffer_idx=1),
            value(1, constant_buffer_idx=1, dims=[5], datatype=2),
            quantized(2, 1, {"scale_buffer_idx": 2, "num_scales": 9}, [3]),
        ],
        constant_data=[
            {},
            {"named_key": "w", "offset": (1 << 64) - 1, "size": 24},
            {"named_key": "s", "offset": (1 << 64) - 1, "size": 12},
        ],
    )
    facts = describe(blob(content))
    assert facts.problems == ()
    assert [(want.key, want.size) for want in facts.wants] == [("w", 24), ("w", 10), ("s", 12)]
    assert [(want.role, want.scales, want.scale_bits, want.early) for want in facts.wants] == [
        ("weights", 0, 0, False), ("weights", 0, 0, False), ("scales", 3, 32, True),
    ]  # fmt: skip
    assert facts.named_keys == ("w", "s")
    assert all(isinstance(want, WantedData) and want.required for want in facts.wants)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"graph_size": 7}, "too small"),
        ({"graph_at": 100_000}, "graph ends"),
        ({"graph_size": 0xFFFFFFFF}, "graph ends"),
        ({"constants_size": 1}, "constants end"),
        ({"constants_size": (1 << 64) - 1}, "constants end"),
        ({"constants_at": 40}, "begin before"),
    ],
)
def test_header_fields(header: dict[str, int], words: str) -> None:
    (problem,) = describe(blob(graph(), b"", b"XN01", **header)).problems
    assert (problem.error, problem.since) == ("InvalidArgument", "1.3")
    assert words in problem.message


def test_too_short_for_a_header() -> None:
    assert errors(b"x" * 29) == ["InvalidArgument"]
    assert errors(b"") == ["InvalidArgument"]


def test_a_blob_of_something_else() -> None:
    facts = describe(b"\x7fELF" + bytes(100))
    assert facts.format == ""
    assert [problem.error for problem in facts.problems] == ["DelegateInvalidCompatibility"]
    assert errors(blob(graph(), identifier=b"XN09")) == ["DelegateInvalidCompatibility"]


def test_a_damaged_graph_is_named_with_its_place() -> None:
    content = bytearray(blob(graph()))
    struct.pack_into("<I", content, 32, 0x00FFFFFF)
    facts = describe(bytes(content), start=500)
    (problem,) = facts.problems
    assert problem.error == "DelegateInvalidCompatibility"
    assert problem.at == 532
    assert facts.inputs is None


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"num_externs": 5000}, "InvalidProgram", "5000 external values"),
        ({"xvalues": [value(0, flags=8)]}, "InvalidProgram", "unknown flags 0x8"),
        ({"xvalues": [{"xvalue_union_type": 1}]}, "InvalidProgram", "no tensor"),
        ({"xvalues": [{"xvalue_union_type": 7}]}, "NotImplemented", "unknown type 7"),
        ({"xvalues": [value(0, constant_buffer_idx=1)]}, "InvalidProgram", "constant 1"),
        ({"xvalues": [quantized(0, 0, None)]}, "NotImplemented", "quantisation of unknown type"),
        ({"xvalues": [value(0, dims=[1] * 7)]}, "Internal", "7 dimensions"),
        ({"xvalues": [value(0, external_id=3)]}, "Internal", "external id 3 of 3"),
        ({"xnodes": [{"xnode_union_type": 0}]}, "NotImplemented", "unknown type 0"),
        (
            {"xnodes": [{"xnode_union_type": 36, "xnode_union": {}}]},
            "NotImplemented",
            "XNNScaledDotProductAttention",
        ),
    ],
)
def test_what_the_compiler_refuses(fields: dict[str, Any], error: str, words: str) -> None:
    (problem,) = describe(blob(graph(**fields))).problems
    assert problem.error == error
    assert words in problem.message


@pytest.mark.parametrize(
    "fields",
    [
        {"xvalues": [{"xvalue_union_type": 2}]},
        {"xvalues": [quantized(0, 2, None)]},
        {"xnodes": [{"xnode_union_type": 1}]},
    ],
)
def test_what_the_compiler_follows_although_it_is_null(fields: dict[str, Any]) -> None:
    (problem,) = describe(blob(graph(**fields))).problems
    assert (problem.crashes, problem.error) == (True, None)


def test_constants_in_the_blob() -> None:
    content = graph(
        xnodes=[],
        xvalues=[value(0, constant_buffer_idx=1)],
        constant_data=[{}, {"offset": 8, "size": 24}],
    )
    assert errors(blob(content, bytes(32))) == []
    assert errors(blob(content, bytes(31))) == ["InvalidProgram"]
    content["constant_data"][1]["size"] = 8
    # The entry fits, and the value takes more than the entry: read through, whatever is there.
    assert errors(blob(content, bytes(31))) == [None]
    assert errors(blob(content, bytes(32))) == []


def test_constants_inside_the_graph_of_a_blob_without_header() -> None:
    content = graph(
        xnodes=[],
        xvalues=[value(0, constant_buffer_idx=1)],
        constant_buffer=[{}, {"storage": bytes(24)}],
    )
    assert errors(write_document(layout("xnnpack"), content, b"XN00")) == []
    content["constant_buffer"] = [{}, {}]
    assert errors(write_document(layout("xnnpack"), content, b"XN00")) == ["InvalidProgram"]


def test_problems_come_in_the_order_of_the_backend() -> None:
    content = graph(
        xvalues=[
            quantized(0, 9, None),
            value(1, constant_buffer_idx=1),
            value(2, flags=8, constant_buffer_idx=5),
        ],
        xnodes=[{"xnode_union_type": 0}],
        constant_data=[{}, {"named_key": "w"}],
    )
    facts = describe(blob(content))
    steps = [problem.step for problem in facts.problems]
    assert steps == sorted(steps)
    assert len(set(steps)) == 4
    (want,) = facts.wants
    assert steps[0] < want.step < steps[1]
