"""Exports for a device that need advice: copies left out, planning that does not go with it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, final

import torch
from executorch.exir import ExecutorchBackendConfig
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import Partitioner, PartitionResult
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig
from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY
from pte_lint.rulebook.pipeline import Pipeline
from torch import Tensor, nn

from tests.data.recipes.device_backend import OneDelegateEach
from tests.exports.script import InForward, Script, run


class Add(nn.Module):
    """One delegate."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b


class Mixed(nn.Module):
    """One result that only the caller gets, and one that the host reads as well."""

    def forward(self, a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        first = a + b
        return first, torch.sigmoid(first), c + d


class Device(Script):
    """Adds on cuda:0 by ExecuTorch's own test backend."""

    also: ClassVar[frozenset[str]] = frozenset({"PTE320"})
    skip: ClassVar[dict[str, Any]] = {}
    plan: ClassVar[dict[str, Any]] = {}
    planned_on_device = True
    module: type[nn.Module] = Add

    @cached_property
    def partitioner(self) -> Any:
        return [DeviceAwarePartitioner("cuda:0")]

    @cached_property
    def model(self) -> Any:
        return self.module()

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.rand(8, 8), torch.rand(8, 8)

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(
            enable_non_cpu_memory_planning=self.planned_on_device,
            propagate_device_config=PropagateDeviceConfig(**self.skip),
            memory_planning_pass=MemoryPlanningPass(**self.plan),
        )


class PlannedInput(Device):
    rule = "PTE301"
    skip: ClassVar[dict[str, Any]] = {"skip_h2d_for_method_inputs": True}

    @classmethod
    def fits(cls, code: str) -> bool:
        return "prefill" not in code


class PlannedInputAndOutput(PlannedInput):
    rule = "PTE301"
    also = frozenset({"PTE303", "PTE320"})
    skip: ClassVar[dict[str, Any]] = {
        "skip_h2d_for_method_inputs": True,
        "skip_d2h_for_method_outputs": True,
    }


class PrefillDecode(Device):
    """Two methods."""

    @cached_property
    def model(self) -> Any:
        return {"prefill": self.module(), "decode": self.module()}

    @cached_property
    def exported(self) -> Any:
        return {name: torch.export.export(each, self.inputs) for name, each in self.model.items()}


class PlannedInputOfMethods(PrefillDecode):
    rule = "PTE301"

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        skip = PropagateDeviceConfig(skip_h2d_for_method_inputs=True)
        return ExecutorchBackendConfig(
            propagate_device_config={"prefill": skip, "decode": PropagateDeviceConfig()}
        )


class LegacyTags(Device):
    """Exported as 1.3 did, with tags and nothing else."""

    rule = "PTE301"
    planned_on_device = False

    @classmethod
    def fits(cls, code: str) -> bool:
        return "prefill" not in code


class PlannedOutput(Device):
    rule = "PTE302"
    also = frozenset({"PTE303", "PTE320"})
    skip: ClassVar[dict[str, Any]] = {"skip_d2h_for_method_outputs": True}

    @classmethod
    def fits(cls, code: str) -> bool:
        return "skip_d2h_for_method_outputs=False" not in code


class PlannedOutputAmongCopied(PlannedOutput):
    """Taking the outputs' places away takes the delegate's result's place in 1.5."""

    module = Mixed

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return tuple(torch.rand(8, 8) for _ in range(4))

    @classmethod
    def fits(cls, code: str) -> bool:
        return "alloc_graph_output=False" not in code


class OutputOnDevice(Device):
    rule = "PTE303"
    skip: ClassVar[dict[str, Any]] = {"skip_d2h_for_method_outputs": True}


class NamedDevice(Device):
    """The partitioner's compile spec is what the advice is about."""

    compile_spec = CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0")

    @cached_property
    def partitioner(self) -> Any:
        partitioner = DeviceAwarePartitioner()
        partitioner.delegation_spec.compile_specs[-1] = self.compile_spec
        return [partitioner]


class CpuSpec(NamedDevice):
    rule = "PTE306"
    compile_spec = CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cpu")


class NegativeIndex(NamedDevice):
    rule = "PTE311"
    compile_spec = CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:-1")


class MisspeltKey(NamedDevice):
    rule = "PTE312"
    compile_spec = CompileSpec("Target_Device", b"cuda:0")


class Branch(InForward, Device):
    """A delegate in a branch gets neither tags nor copies."""

    rule = "PTE304"
    arguments = "p, x"
    line = "y = torch.cond(p, true_fn, false_fn, (x,))"

    @cached_property
    def partitioner(self) -> Any:
        return [OneDelegateEach("cuda:0")]

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.tensor(True), torch.rand(8, 8)

    def names(self) -> dict[str, Any]:
        return {"true_fn": lambda x: x + x, "false_fn": torch.sin}


class TagOnly(Device):
    rule = "PTE321"
    also = frozenset({"PTE320"})
    planned_on_device = False


class TagInHostArena(Device):
    rule = "PTE308"
    planned_on_device = False


class TagInHostArenaOfOutputs(TagInHostArena):
    rule = "PTE308"
    plan: ClassVar[dict[str, Any]] = {"alloc_graph_input": False}


class Weight(nn.Module):
    """x plus a parameter that the delegate does not own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.arange(64.0).reshape(8, 8))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight


class InPartition(Device):
    """The advice is to be followed in the partitioner's `partition`."""

    module = Weight
    advice = ""

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(8, 8),)

    def carry_out(self, code: str) -> None:
        self.advice = code

    @cached_property
    def partitioner(self) -> Any:
        script = self

        @final
        class Mine(Partitioner):
            def partition(self, exported_program: Any) -> PartitionResult:
                result = DeviceAwarePartitioner("cuda:0").partition(exported_program)
                if script.advice:
                    run(script.advice, {"exported_program": exported_program})
                return result

        return [Mine()]


class TaggedConstant(InPartition):
    rule = "PTE314"
    skip: ClassVar[dict[str, Any]] = {"skip_h2d_for_method_inputs": True}
    plan: ClassVar[dict[str, Any]] = {"alloc_graph_input": False}


class Running(nn.Module):
    """A sum of all inputs so far, which a delegate works out."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(8, 8))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return self.total + x


class StateOnHost(InPartition):
    rule = "PTE806"
    select = ("PTE806", "PTE3")
    module = Running


class Twice(nn.Module):
    """One input of two delegates."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(x + x) + x


class CopiedTwice(Device):
    rule = "PTE319"
    also = frozenset({"PTE320", "PTE801"})
    module = Twice

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(8, 8),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "pte-lint" in code


class OutputWithoutMemory(Device):
    rule = "PTE316"
    plan: ClassVar[dict[str, Any]] = {"alloc_graph_output": False}


class DictOfFlags(PrefillDecode):
    rule = "PTE323"
    also = frozenset({"PTE303", "PTE320"})

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        unplanned = MemoryPlanningPass(alloc_graph_input=False)
        return ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_h2d_for_method_inputs={"prefill": True, "decode": False}
            ),
            memory_planning_pass={"prefill": unplanned, "decode": MemoryPlanningPass()},
        )


class HandedOver(PrefillDecode):
    """The first method leaves its result on the device, the second takes it on the host."""

    rule = "PTE322"
    also = frozenset({"PTE303", "PTE320"})
    options: ClassVar[dict[str, Any]] = {
        "pipelines": (Pipeline(None, "prefill", 0, None, "decode", 0),)
    }

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        skip = PropagateDeviceConfig(skip_d2h_for_method_outputs=True)
        unplanned = MemoryPlanningPass(alloc_graph_output=False)
        return ExecutorchBackendConfig(
            propagate_device_config={"prefill": skip},
            memory_planning_pass={"prefill": unplanned},
        )


class TwoDevices(PrefillDecode):
    """What one method leaves on its device is of a kind that the other takes on another."""

    rule = "PTE322"
    also = frozenset({"PTE303", "PTE320"})
    compile_spec = CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:1")

    @cached_property
    def partitioner(self) -> Any:
        other = DeviceAwarePartitioner()
        other.delegation_spec.compile_specs[-1] = self.compile_spec
        return {"prefill": [DeviceAwarePartitioner("cuda:0")], "decode": [other]}

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_h2d_for_method_inputs=True, skip_d2h_for_method_outputs=True
            ),
            memory_planning_pass=MemoryPlanningPass(
                alloc_graph_input=False, alloc_graph_output=False
            ),
        )

    @classmethod
    def fits(cls, code: str) -> bool:
        return "CompileSpec" in code
