from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pte_lint.schema.blob.facts import BlobArgument, BlobConstant, BlobProblem
from pte_lint.schema.blob.registry import built_in
from pte_lint.schema.delegates import BlobFacts, describe_blob
from pte_lint.schema.fbs import layout
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Span

from tests.schema.layout_writer import write_document
from tests.support.dumps import files

IDS = (*built_in(), "SomethingElse")


def describe(backend: str, content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob(backend, b"\xaa" * 7 + content + b"\xbb", Span(7, len(content)), specs)


def errors(facts: BlobFacts) -> list[str | None]:
    return [problem.error for problem in facts.problems]


@given(content=st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_no_blob_raises(content: bytes) -> None:
    heads = (b"", b"\0\0\0\0XH00", b"\0\0\0\0VH00", b"ETCUDAFQN3", b"CMJR{", b"vela_bin_stream\0")
    for backend in IDS:
        for head in heads:
            facts = describe(backend, head + content)
            assert all(7 <= each.at <= 7 + len(head + content) for each in facts.problems)


def test_an_unknown_backend_is_opaque_and_has_no_problem() -> None:
    facts = describe("SomethingElse", b"anything")
    assert (facts.format, facts.problems, facts.inputs) == ("", (), None)
    assert "SomethingElse" in facts.opaque


def exported_blobs() -> list[Any]:
    found = []
    for file in files(".pte"):
        content = file.read_bytes()
        loaded = read_program(content)
        assert loaded.program is not None
        for plan in loaded.program.execution_plan or ():
            for number, delegate in enumerate(plan.delegates or ()):
                processed = delegate.processed
                if delegate.id in IDS and processed is not None and processed.location == 1:
                    segment = (loaded.program.segments or ())[processed.index]
                    span = loaded.container.segment_range(segment)
                    name = f"{file.stem}-{plan.name}-{number}"
                    found.append(pytest.param(delegate.id, content, span, id=name))
    return found


@pytest.mark.parametrize(("backend", "content", "span"), exported_blobs())
def test_exported_blobs_have_no_problem(backend: str, content: bytes, span: Span) -> None:
    facts = describe_blob(backend, content, span)
    assert facts.format
    assert facts.problems == ()
    loaded = read_program(content)
    assert loaded.program is not None
    keys = {entry.key for entry in loaded.program.named_data or ()}
    assert set(facts.named_keys) <= keys


# --- Vulkan ---


def vulkan(**fields: Any) -> bytes:
    content = {
        "version": "0",
        "chain": [{"name": "aten.add.Tensor", "args": [0, 1, 2]}] * 2,
        "values": [
            {"value_type": 5, "value": {"datatype": 5, "dims": [4], "constant_id": -1}},
            {"value_type": 2, "value": {"int_val": 3}},
            {
                "value_type": 5,
                "value": {"datatype": 4, "dims": [4, 2], "constant_id": 0, "staging_datatype": 5},
            },
        ],
        "input_ids": [0, 1],
        "output_ids": [2],
        "constants": [{"named_key": "k", "offset": (1 << 64) - 1, "length": 16}],
        **fields,
    }
    graph = write_document(layout("vulkan"), content)
    head = struct.pack("<4s4sHIIIQ", b"", b"VH00", 30, 32, len(graph), 32 + len(graph), 0)
    return head + bytes(2) + graph


def test_a_vulkan_graph() -> None:
    facts = describe("VulkanBackend", vulkan())
    assert facts.format == "Vulkan graph VK00"
    assert facts.problems == ()
    assert facts.inputs == (BlobArgument(0, "float32", (4,)), BlobArgument(1))
    assert facts.outputs == (BlobArgument(2, "float32", (4, 2)),)
    assert [(want.key, want.size) for want in facts.wants] == [("k", 16)]
    assert facts.operators == (("aten.add.Tensor", 2),)


def test_vulkan_damage() -> None:
    assert errors(describe("VulkanBackend", vulkan()[:20])) == ["InvalidArgument"]
    assert errors(describe("VulkanBackend", b"\0" * 64)) == ["NotFound"]
    content = bytearray(vulkan())
    struct.pack_into("<H", content, 8, 29)
    assert errors(describe("VulkanBackend", bytes(content))) == ["InvalidArgument"]
    content = bytearray(vulkan())
    content[39] = ord("9")
    assert errors(describe("VulkanBackend", bytes(content))) == ["DelegateInvalidCompatibility"]


# --- AOTInductor ---


def test_keys_on_two_lines() -> None:
    facts = describe("CudaBackend", b"ab_so_blob\ncd_weights_blob\0\0\0")
    assert facts.format == "AOTI key lines"
    assert [(want.key, want.role) for want in facts.wants] == [
        ("ab_so_blob", "shared library"),
        ("cd_weights_blob", "weights"),
    ]
    assert facts.problems == ()


def test_keys_by_method_name() -> None:
    facts = describe("MetalBackend", b"", method_name=b"prefill")
    assert facts.named_keys == ("prefill_so_blob", "prefill_weights_blob")
    assert describe("CudaBackend", b"").named_keys == ("so_blob", "weights_blob")


def test_keys_on_one_line() -> None:
    facts = describe("CudaBackend", b"ab_so_blob")
    assert (facts.format, errors(facts)) == ("", ["Internal"])
    assert facts.problems[0].since == "1.4"


def weight_table(*weights: tuple[str, int, tuple[int, ...]]) -> bytes:
    def text(value: str) -> bytes:
        return struct.pack("<I", len(value)) + value.encode()

    out = b"ETCUDAFQN3" + text("ab_so_blob") + struct.pack("<I", len(weights))
    for name, size, shape in weights:
        out += text(name) + text(f"cuda_fqn_weight:cuda:{name}")
        out += struct.pack("<QiiqI", size, 6, 1, 0, len(shape))
        strides = [math.prod(shape[n + 1 :]) for n in range(len(shape))]
        out += struct.pack(f"<{2 * len(shape)}q", *shape, *strides)
    return out


def test_a_weight_table() -> None:
    facts = describe("CudaBackend", weight_table(("w", 64, (4, 4)), ("b", 16, ())))
    assert facts.format == "CUDA weight table 3"
    assert facts.problems == ()
    assert [(want.key, want.role, want.size) for want in facts.wants] == [
        ("ab_so_blob", "shared library", None),
        ("cuda_fqn_weight:cuda:w", "weights", 64),
        ("cuda_fqn_weight:cuda:b", "weights", 16),
    ]
    assert facts.constants == (
        BlobConstant("w", "float32", (4, 4), 64, "cuda_fqn_weight:cuda:w"),
        BlobConstant("b", "float32", (), 16, "cuda_fqn_weight:cuda:b"),
    )


def test_weights_that_leave_their_storage() -> None:
    (problem,) = describe("CudaBackend", weight_table(("w", 64, (4, 4)), ("b", 8, (3,)))).problems
    assert problem.message == "weight 'b' takes 12 bytes of a storage of 8"
    other = weight_table(("w", 64, (4, 4))).replace(
        struct.pack("<iiq", 6, 1, 0), struct.pack("<iiq", 6, 2, 0)
    )
    (problem,) = describe("CudaBackend", other).problems
    assert problem.message == "weight 'w' is for device type 2, neither cpu (0) nor cuda (1)"


def test_a_damaged_weight_table() -> None:
    whole = weight_table(("w", 64, (4, 4)))
    for length in range(10, len(whole)):
        (problem,) = describe("CudaBackend", whole[:length]).problems
        assert "outside the blob" in problem.message
    assert "1 bytes follow" in describe("CudaBackend", whole + b"x").problems[0].message
    endless = whole[:24] + b"\xff\xff\xff\xff" + whole[28:]
    assert describe("CudaBackend", endless).problems == (
        BlobProblem(7 + len(whole), "a weight's name lies outside the blob"),
    )
    assert "version" in describe("CudaBackend", b"ETCUDAFQN4").problems[0].message


def test_a_weight_table_of_the_most_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    table = weight_table(("w", 64, (4, 4)), ("b", 8, (3,)))
    whole = describe("CudaBackend", table)
    monkeypatch.setattr("pte_lint.schema.blob.aoti._MOST_WEIGHTS", 2)
    assert describe("CudaBackend", table) == whole
    assert whole.unread == ""
    monkeypatch.setattr("pte_lint.schema.blob.aoti._MOST_WEIGHTS", 1)
    facts = describe("CudaBackend", table)
    assert (facts.problems, len(facts.constants)) == ((), 1)
    assert facts.unread == "the table of weights is larger than is read"


# --- Others ---


def test_core_ml() -> None:
    reference = (
        b"CMJR" + json.dumps({"version": 1, "key": "coreml_x", "functionName": "f"}).encode()
    )
    assert describe("CoreMLBackend", reference).named_keys == ("coreml_x",)
    for broken in (b"CMJR", b"CMJR{}", b"CMJR[1]", b'CMJR{"key": 5}', b"CMJR" + b"[" * 30_000):
        assert errors(describe("CoreMLBackend", broken)) == ["InvalidProgram"]
    assert describe("CoreMLBackend", b"files...}2:{").format == "Core ML in-memory file system"
    assert describe("CoreMLBackend", b"hello").format == ""


def test_mps_and_mlx() -> None:
    assert describe("MPSBackend", b"\0\0\0\0MP00" + bytes(40)).format == "MPS graph MP00"
    assert describe("MPSBackend", b"\0\0\0\0MP01" + bytes(40)).problems
    mlx = b"\0\0\0\0MLX0" + struct.pack("<QQ", 40, 0) + bytes(16)
    assert describe("MLXBackend", mlx).problems == ()
    assert describe("MLXBackend", mlx[:30]).problems


def test_qnn() -> None:
    binary = struct.pack("<IqQ", 0x5678ABCD, 1, 10).ljust(256, b"\0") + bytes(10)
    assert describe("QnnBackend", binary).problems == ()
    assert describe("QnnBackend", binary[:-1]).problems
    assert describe("QnnBackend", b"something").format == "QNN DLC"


def vela(*blocks: tuple[bytes, bytes, int]) -> bytes:
    out = b""
    for name, data, external in (
        (b"vela_bin_stream", b"", 0), *blocks, (b"vela_end_stream", b"", 0)
    ):  # fmt: skip
        out += struct.pack("<16sIB11x", name, len(data), external) + data
        out += bytes(-len(out) % 16)
    return out


def test_ethos_u() -> None:
    ios = struct.pack("<i", 2) + bytes(72)
    key = b"k" * 64
    facts = describe(
        "EthosUBackend",
        vela(
            (b"cmd_data", b"COP1" + bytes(9), 0),
            (b"weight_data", key, 1),
            (b"scratch_size", struct.pack("<I", 4096), 0),
            (b"inputs", ios, 0),
        ),
    )
    assert facts.scratch == 4096
    assert describe("EthosUBackend", vela((b"scratch_size", b"\1", 0))).scratch is None
    assert facts.problems == ()
    assert (facts.n_inputs, facts.n_outputs) == (2, None)
    assert [(want.key, want.role) for want in facts.wants] == [("k" * 64, "weight_data")]
    assert errors(describe("EthosUBackend", vela()[:32])) == ["InvalidProgram"]
    assert errors(describe("EthosUBackend", b"nonsense")) == ["InvalidProgram"]
    assert describe("EthosUBackend", vela((b"cmd_data", bytes(64), 0))[:70]).problems


def test_neutron() -> None:
    words = struct.pack("<4s10I4I", b"nMCd", *range(10), 1, 1, 0, 0)
    good = bytes([1, 1, 1, 0, 0, 0, 0, 0]).ljust(16, b"\0") + words
    assert errors(describe("NeutronBackend", good)) == []
    other_count = bytes([2, 1, 1]).ljust(16, b"\0") + words
    assert errors(describe("NeutronBackend", other_count)) == ["InvalidProgram"]
    assert errors(describe("NeutronBackend", bytes(64))) == ["InvalidProgram"]


def test_neuropilot() -> None:
    good = struct.pack("<BIII", 1, 2, 1, 8) + bytes(8)
    facts = describe("NeuropilotBackend", good)
    assert (facts.n_inputs, facts.n_outputs, facts.problems) == (2, 1, ())
    assert describe("NeuropilotBackend", good[:-1]).problems
    assert describe("NeuropilotBackend", good[:5]).problems


def test_there_are_exported_blobs() -> None:
    assert len(exported_blobs()) > 5
