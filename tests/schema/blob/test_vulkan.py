from __future__ import annotations

import random
from typing import Any

import pytest
from pte_lint.schema.blob.facts import BlobConstant, BlobFacts, GpuTensor
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.schema.mutations import mutate
from tests.support.vulkan import tensor, vulkan_blob

GOOD = tensor((2, 3))


def describe(content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob("VulkanBackend", b"??" + content, Span(2, len(content)), specs)


def messages(content: bytes) -> list[str]:
    return [each.message for each in describe(content).problems]


def test_where_tensors_are() -> None:
    values = (
        tensor((2, 3)),
        tensor((1, 5, 2, 3), storage_type=255, memory_layout=255),
        tensor((8,), storage_type=0),
        tensor((2, 2, 2, 2, 2)),
        tensor((3,), constant_id=0),
    )
    facts = describe(vulkan_blob(values, bytes(12), constants=[{"offset": 0, "length": 12}]))
    assert facts.problems == ()
    assert facts.gpu_tensors == (
        GpuTensor(0, "float32", (2, 3), "texture 3D", "width packed", (1, 2, 1)),
        GpuTensor(1, "float32", (1, 5, 2, 3), "texture 3D", "channels packed", (3, 2, 2)),
        GpuTensor(2, "float32", (8,), "buffer", "width packed", None),
        GpuTensor(3, "float32", (2, 2, 2, 2, 2), "texture 3D", "width packed", None),
    )
    assert facts.constants == (BlobConstant("", "float32", (3,), 12),)


def test_overrides_count_where_a_tensor_says_nothing() -> None:
    values = (tensor((2, 3), storage_type=255, memory_layout=255), GOOD)
    specs = {
        "storage_type_override": (0).to_bytes(4, "little"),
        "memory_layout_override": (1).to_bytes(4, "little"),
    }
    first, second = describe(vulkan_blob(values), **specs).gpu_tensors
    assert (first.storage, first.layout) == ("buffer", "height packed")
    assert (second.storage, second.layout) == ("texture 3D", "width packed")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"datatype": 8}, "value 1 has the unknown type 8"),
        ({"datatype": 127}, "value 1 has the unknown type 127"),
        ({"storage_type": 3}, "value 1 has the unknown storage 3"),
        ({"memory_layout": 10}, "value 1 has the unknown layout 10"),
        ({"dims": None}, "value 1 has no sizes"),
        ({"constant_id": 1}, "value 1 is constant 1 of 1"),
        ({"dims": [4], "constant_id": 0}, "value 1 is a constant that ends at byte 16 of 12"),
        (
            {"datatype": 7, "staging_datatype": 7},
            "output 0 is int64 on the GPU and int64 on the host, which no shader copies",
        ),
    ],
)
def test_tensors_that_building_the_graph_refuses(changes: dict[str, Any], message: str) -> None:
    bad = tensor((2, 3), **changes)
    bad["value"] = {key: each for key, each in bad["value"].items() if each is not None}
    blob = vulkan_blob((GOOD, bad), bytes(12), constants=[{"offset": 0, "length": 12}])
    assert messages(blob) == [message]


@pytest.mark.parametrize(
    "changes",
    [
        {"datatype": 7, "staging_datatype": 5},
        {"storage_type": 2},
        {"memory_layout": 9},
        {"dims": [3], "constant_id": 0},
        {"datatype": 4, "staging_datatype": 5},
        {"datatype": 0, "staging_datatype": 127},
        {"datatype": 7, "memory_layout": 8},
    ],
)
def test_their_nearest_neighbours(changes: dict[str, Any]) -> None:
    constants = [{"offset": 0, "length": 12}]
    blob = vulkan_blob((GOOD, tensor((2, 3), **changes)), bytes(12), constants=constants)
    refused = changes.get("staging_datatype") == 5 and changes["datatype"] == 7
    assert bool(messages(blob)) is refused


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"input_ids": [0, 2]}, "input 1 is value 2 of 2"),
        ({"output_ids": [1, 9]}, "output 1 is value 9 of 2"),
        ({"chain": [{"name": "a", "args": [0]}, {"name": "b", "args": [1, 2]}]}, "operator 1 (b)"),
        ({"chain": [{"name": "a", "args": [0]}, {"name": "b", "args": [-1]}]}, "operator 1 (b)"),
        ({"chain": [{"name": "a", "args": [0]}, {"name": "b"}]}, "operator 1 has no args"),
        ({"chain": [{"name": "a", "args": [0]}, {"args": [0]}]}, "operator 1 has no name"),
    ],
)
def test_names_of_values_that_are_not_there(fields: dict[str, Any], message: str) -> None:
    (found,) = messages(vulkan_blob(**fields))
    assert found.startswith(message)


def test_damage_never_raises() -> None:
    choice = random.Random(5)
    blob = vulkan_blob((GOOD, GOOD, tensor((3,), constant_id=0)), bytes(12), constants=[{}])
    for _ in range(500):
        describe(mutate(blob, choice))
