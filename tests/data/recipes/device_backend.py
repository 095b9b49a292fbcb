"""A backend and a partitioner of our own, for what executorch's test partitioners do not do.

Theirs reads sizes as numbers, which pins dynamic ones, fuses neighbours, and leaves branches alone.
"""

from __future__ import annotations

from typing import Any, final

import torch
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.dialects._ops import ops
from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY


@final
class DeviceAddBackend(BackendDetails):
    """Compiles adds to their names."""

    @staticmethod
    def preprocess(edge_program: Any, compile_specs: list[CompileSpec]) -> PreprocessResult:
        calls = [n.target for n in edge_program.graph.nodes if n.op == "call_function"]
        return PreprocessResult(processed_bytes=",".join(call.name() for call in calls).encode())


@final
class OneDelegateEach(Partitioner):
    """Puts each add into a delegate of its own, on the devices given, by turns.

    Args:
        devices: Device names; None names no target device.
    """

    def __init__(self, *devices: str | None) -> None:
        super().__init__()
        self.specs = [DelegationSpec(DeviceAddBackend.__name__, _specs(each)) for each in devices]

    def partition(self, exported_program: Any) -> PartitionResult:
        tags = {}
        for module in exported_program.graph_module.modules():
            if not isinstance(module, torch.fx.GraphModule):
                continue
            for node in module.graph.nodes:
                if node.target is ops.edge.aten.add.Tensor:
                    tag = f"add{len(tags)}"
                    node.meta["delegation_tag"] = tag
                    tags[tag] = self.specs[len(tags) % len(self.specs)]
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


def _specs(device: str | None) -> list[CompileSpec]:
    if device is None:
        return []
    return [CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, device.encode())]
