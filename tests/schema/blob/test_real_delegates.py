"""Blobs that partitioners wrote, beside the program around them and what their compilers say."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import DelegateCall, Tensor

from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from tests.support.dumps import DATA
from tests.support.judging import judge

FOLDER = DATA / "delegates"
FILES = sorted(FOLDER.glob("*.pte"))
UNTOLD = ("mlx_pair",)
"""Of these no inputs and outputs are read."""
VELA = json.loads((FOLDER / "vela.json").read_text(encoding="utf-8"))


def facts_and_arguments(file: Path) -> tuple[BlobFacts, list[Tensor]]:
    """What is read of the only delegate, and the tensors that it is called with."""
    content = file.read_bytes()
    loaded = read_program(content)
    assert loaded.program is not None
    (plan,) = loaded.program.execution_plan or ()
    (delegate,) = plan.delegates or ()
    assert delegate.processed is not None
    segments = loaded.program.segments or ()
    span = loaded.container.segment_range(segments[delegate.processed.index])
    assert span is not None
    specs = {spec.key or "": spec.value or b"" for spec in delegate.compile_specs or ()}
    facts = describe_blob(delegate.id or "", content, span, specs)
    (call,) = (
        instruction.instr_args
        for chain in plan.chains or ()
        for instruction in chain.instructions or ()
        if isinstance(instruction.instr_args, DelegateCall)
    )
    values = [(plan.values or ())[number].val for number in call.args or ()]
    assert all(isinstance(value, Tensor) for value in values)
    return facts, [value for value in values if isinstance(value, Tensor)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_blobs_take_and_give_what_their_calls_hand_over(file: Path) -> None:
    facts, tensors = facts_and_arguments(file)
    assert facts.problems == ()
    assert facts.format
    if file.stem in UNTOLD:
        assert (facts.inputs, facts.outputs) == (None, None)
        return
    described = (*(facts.inputs or ()), *(facts.outputs or ()))
    assert len(described) == len(tensors)
    for argument, tensor in zip(described, tensors, strict=True):
        assert_fits(argument, tensor)


def assert_fits(argument: BlobArgument, tensor: Tensor) -> None:
    dtype = dtype_name(tensor.scalar_type)
    if argument.dtype is not None:
        assert argument.dtype == dtype
    if argument.nbytes is not None:
        assert argument.nbytes == {"int8": 1, "float32": 4}[dtype]
    if argument.sizes is not None:
        assert prod(argument.sizes) == prod(tensor.sizes or ())


@pytest.mark.parametrize("name", sorted(VELA))
def test_streams_hold_what_vela_says(name: str) -> None:
    facts, _ = facts_and_arguments(FOLDER / f"{name}.pte")
    said = VELA[name]
    assert {part.name: part.nbytes for part in facts.parts} == {
        "commands": said["commands"],
        "weights": said["weights"],
    }
    assert facts.scratch == said["scratch"]
    found = (facts.inputs or ()), (facts.outputs or ())
    for arguments, entries in zip(found, (said["input"], said["output"]), strict=True):
        assert [plain(each) for each in arguments] == [
            (tuple(each["shape"]), each["element"], f"offset {each['offset']}") for each in entries
        ]
        # Places are those of the scratch memory, which is region 1 of the command stream.
        assert {each["region"] for each in entries} == {1}


def plain(argument: BlobArgument) -> tuple[Any, ...]:
    return argument.sizes, argument.nbytes, argument.layout


def test_what_each_was_made_for() -> None:
    made = {file.stem: facts_and_arguments(file)[0].requires for file in FILES}
    assert made["ethosu_u55_net"] == (Requirement("accelerator", "ethos-u55-128"),)
    assert made["ethosu_u85_net"] == (Requirement("accelerator", "ethos-u85-256"),)
    assert made["tosa_float_net"] == (
        Requirement("TOSA version", "1.0.0"),
        Requirement("TOSA profile", "FP"),
    )
    assert made["tosa_integer_pair"][1] == Requirement("TOSA profile", "INT")
    assert made["vgf_net"] == (Requirement("VGF version", "0.5.0"),)
    assert made["coreml_net"] == (Requirement("Core ML specification", "6, iOS 15 or later"),)
    assert made["native_pair"] == (Requirement("schema version", "1"),)
    assert made["openvino_net"] == (Requirement("device", "CPU"),)
    assert made["openvino_pair"] == (
        Requirement("device", "CPU"),
        Requirement("OpenVINO", "2026.4.1"),
        Requirement("instruction set", "Intel AVX2"),
    )


def test_operators_and_constants() -> None:
    inner = {file.stem: facts_and_arguments(file)[0] for file in FILES}
    assert dict(inner["tosa_float_net"].operators)["CONV2D"] == 2
    assert dict(inner["tosa_integer_pair"].operators)["RESCALE"] == 6
    assert inner["vgf_net"].operators == (("graph in SPIR-V", 1),)
    assert sum(each.nbytes or 0 for each in inner["vgf_net"].constants) == 4 * (72 + 192)
    assert inner["native_pair"].operators == (
        ("torch.ops.aten.add.Tensor", 1),
        ("torch.ops.aten.mul.Tensor", 1),
    )
    # Weights and biases of a convolution and a linear layer, in 4 bytes each.
    weights = inner["vulkan_net"].constants
    assert sum(each.nbytes or 0 for each in weights) == 4 * (72 + 4 + 192 + 3)
    assert {(each.storage, each.dtype) for each in inner["vulkan_half_pair"].gpu_tensors} == {
        ("texture 3D", "float16")
    }
    assert sum(each.nbytes or 0 for each in inner["openvino_net"].constants) >= 4 * (72 + 192)
    files = [part.name for part in inner["coreml_net"].parts]
    assert "model.mlpackage/Data/com.apple.CoreML/model.mlmodel" in files
    assert [each.name for each in inner["coreml_net"].inputs or ()] == ["x"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_target_that_has_the_backend_finds_nothing_inside(file: Path) -> None:
    profile = Profile(
        "mine",
        "1.5.1",
        {},
        ("EthosUBackend", "VgfBackend", "VulkanBackend", "CoreMLBackend", "NativeBackend"),
        accelerator="ethos-u85-256" if "u85" in file.stem else "ethos-u55-128",
        vulkan={"maxImageDimension3D": 16},
    )
    report = judge(file.read_bytes(), target=Target(profile=profile, explicit_profile=True))
    inside = ("PTE415", "PTE416", "PTE417", "PTE434", "PTE435", "PTE437")
    assert [finding for finding in report.findings if finding.rule in inside] == []
