"""The steps every recipe shares: export, lower, write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.partitioner import Partitioner
from executorch.exir.backend.test.device_util import CpuOnlyPartitioner, DeviceAwarePartitioner
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig

from .registry import Exported, Inputs

Method = tuple[torch.nn.Module, Inputs]


def planning(*, inputs: bool = True, outputs: bool = True, **options: Any) -> MemoryPlanningPass:
    """A memory planning pass that plans the method's inputs and outputs, or leaves them out."""
    return MemoryPlanningPass(alloc_graph_input=inputs, alloc_graph_output=outputs, **options)


def skipping(*, h2d: Any = True, d2h: Any = True) -> PropagateDeviceConfig:
    """The device settings that leave boundary copies out (flags, or one flag per method name)."""
    return PropagateDeviceConfig(skip_h2d_for_method_inputs=h2d, skip_d2h_for_method_outputs=d2h)


def on(device: str | None) -> Partitioner:
    """A partitioner that delegates every add; ``None`` names no target device."""
    return CpuOnlyPartitioner() if device is None else DeviceAwarePartitioner(device)


def lower(
    methods: Mapping[str, Method],
    *,
    partitioner: Any = None,
    dynamic_shapes: Any = None,
    edge: EdgeCompileConfig | None = None,
    constant_methods: Mapping[str, Any] | None = None,
    transform: Sequence[Any] = (),
    **settings: Any,
) -> ExecutorchProgramManager:
    """Exports and lowers some methods.

    Args:
        methods: Method name to module and example inputs.
        partitioner: One partitioner, a list of them, or a dict by method name.
        dynamic_shapes: As ``torch.export.export`` takes it; for every method.
        edge: Edge compile settings.
        constant_methods: Method name to the value it returns.
        transform: Passes on the edge program, before delegation.
        settings: Fields of ``ExecutorchBackendConfig``.
    """
    torch.manual_seed(0)
    exported = {
        name: torch.export.export(module, inputs, dynamic_shapes=dynamic_shapes)
        for name, (module, inputs) in methods.items()
    }
    lists = partitioner
    if isinstance(partitioner, dict):
        lists = {name: [each] for name, each in partitioner.items()}
    elif partitioner is not None and not isinstance(partitioner, list):
        lists = [partitioner]
    edge_program = to_edge_transform_and_lower(
        exported,
        transform_passes=list(transform) or None,
        partitioner=lists,
        compile_config=edge,
        constant_methods=dict(constant_methods or {}),
    )
    return edge_program.to_executorch(ExecutorchBackendConfig(**settings))


def pte(manager: ExecutorchProgramManager) -> Exported:
    """The program alone, for files that the Python package's runtime cannot run."""
    return Exported({".pte": bytes(manager.buffer)})


def pte_with_calls(
    manager: ExecutorchProgramManager, methods: Mapping[str, Method], **files: bytes
) -> Exported:
    """The program, and for each method what PyTorch makes of the example inputs."""
    calls = {}
    for name, (module, inputs) in methods.items():
        with torch.no_grad():
            result = module(*inputs)
        flat, _ = torch.utils._pytree.tree_flatten(result)
        calls[name] = (inputs, tuple(flat))
    return Exported({".pte": bytes(manager.buffer), **files}, calls)
