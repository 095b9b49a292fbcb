"""Delegates that are compiled ahead of time for devices that are not here.

Beside torch and executorch they need `ethos-u-vela` 5.2.0, `tosa-tools` 2026.8.0, `coremltools`
9.0, for VGF `ai-ml-sdk-model-converter` 0.11.0, and for OpenVINO `openvino` 2025.4.1 with `nncf`
3.1.0 for the net, 2026.4.1 with 3.4.0 for the pair. Of the backends the Python package has
OpenVINO's alone, and that needs the library of `openvino`. MLX needs the modules that its own
`backends/mlx/serialization/generate.py` makes of the schema beside it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch
from executorch.exir.backend.partitioner import Partitioner
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from .clean_models import one, seeded
from .lowering import lower, pte
from .registry import Exported, Inputs, recipe


class SmallNet(torch.nn.Module):
    """A convolution, an activation and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(2, 4, 3, padding=1)
        self.linear = torch.nn.Linear(64, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(torch.relu(self.convolution(x)).flatten(1))


class SumAndProduct(torch.nn.Module):
    """Two inputs, two outputs."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x + y, x * y


def small_net() -> tuple[torch.nn.Module, Inputs]:
    torch.manual_seed(0)
    return seeded(SmallNet).eval(), (torch.rand(1, 2, 4, 4),)


def sum_and_product() -> tuple[torch.nn.Module, Inputs]:
    torch.manual_seed(0)
    return SumAndProduct(), (torch.rand(2, 3), torch.rand(2, 3))


def _made(module: torch.nn.Module, inputs: Inputs, partitioner: Partitioner) -> Exported:
    return pte(lower(one(module, *inputs), partitioner=partitioner))


def _quantized(module: torch.nn.Module, inputs: Inputs, quantizer: Any) -> torch.nn.Module:
    arm = import_module("executorch.backends.arm.quantizer")
    quantizer.set_global(arm.get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def _ethosu(module: torch.nn.Module, inputs: Inputs, accelerator: str) -> Exported:
    arm = import_module("executorch.backends.arm.quantizer")
    ethosu = import_module("executorch.backends.arm.ethosu")
    spec = ethosu.EthosUCompileSpec(accelerator)
    quantized = _quantized(module, inputs, arm.EthosUQuantizer(spec))
    return _made(quantized, inputs, ethosu.EthosUPartitioner(spec))


def _tosa(module: torch.nn.Module, inputs: Inputs, text: str) -> Exported:
    arm = import_module("executorch.backends.arm.quantizer")
    specs = import_module("executorch.backends.arm.tosa.compile_spec")
    partitioner = import_module("executorch.backends.arm.tosa.partitioner")
    spec = specs.TosaCompileSpec(text)
    if "+FP" not in text:
        module = _quantized(module, inputs, arm.TOSAQuantizer(spec))
    return _made(module, inputs, partitioner.TOSAPartitioner(spec))


@recipe("delegates", how="quantised, EthosUPartitioner for ethos-u55-128", severity="warning")
def ethosu_u55_net() -> Exported:
    return _ethosu(*small_net(), "ethos-u55-128")


@recipe("delegates", how="quantised, EthosUPartitioner for ethos-u85-256", severity="warning")
def ethosu_u85_net() -> Exported:
    return _ethosu(*small_net(), "ethos-u85-256")


@recipe("delegates", how="two of each, quantised, EthosUPartitioner", severity="warning")
def ethosu_u55_pair() -> Exported:
    return _ethosu(*sum_and_product(), "ethos-u55-128")


@recipe("delegates", how="TOSAPartitioner, TOSA-1.0+FP", severity="warning")
def tosa_float_net() -> Exported:
    return _tosa(*small_net(), "TOSA-1.0+FP")


@recipe("delegates", how="quantised, TOSAPartitioner, TOSA-1.0+INT", severity="warning")
def tosa_integer_pair() -> Exported:
    return _tosa(*sum_and_product(), "TOSA-1.0+INT")


@recipe("delegates", how="VgfPartitioner, TOSA-1.0+FP")
def vgf_net() -> Exported:
    vgf = import_module("executorch.backends.arm.vgf")
    return _made(*small_net(), vgf.VgfPartitioner(vgf.VgfCompileSpec("TOSA-1.0+FP")))


@recipe("delegates", how="VulkanPartitioner")
def vulkan_net() -> Exported:
    vulkan = import_module("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    return _made(*small_net(), vulkan.VulkanPartitioner())


@recipe("delegates", how="VulkanPartitioner, force_fp16")
def vulkan_half_pair() -> Exported:
    vulkan = import_module("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    return _made(*sum_and_product(), vulkan.VulkanPartitioner({"force_fp16": True}))


@recipe("delegates", how="CoreMLPartitioner; each export has identifiers of its own")
def coreml_net() -> Exported:
    coreml = import_module("executorch.backends.apple.coreml.partition")
    return _made(*small_net(), coreml.CoreMLPartitioner())


@recipe("delegates", how="NativePartitioner")
def native_pair() -> Exported:
    native = import_module("executorch.backends.native.partitioner")
    return _made(*sum_and_product(), native.NativePartitioner())


def _openvino(module: torch.nn.Module, inputs: Inputs) -> Exported:
    openvino = import_module("executorch.backends.openvino.partitioner")
    specs = import_module("executorch.exir.backend.backend_details")
    device = specs.CompileSpec("device", b"CPU")
    return _made(module, inputs, openvino.OpenvinoPartitioner([device]))


@recipe("delegates", how="OpenvinoPartitioner for CPUs, OpenVINO 2025.4.1")
def openvino_net() -> Exported:
    return _openvino(*small_net())


@recipe("delegates", how="OpenvinoPartitioner for CPUs, OpenVINO 2026.4.1")
def openvino_pair() -> Exported:
    return _openvino(*sum_and_product())


@recipe("delegates", how="MLXPartitioner, with modules made by its serialization/generate.py")
def mlx_pair() -> Exported:
    mlx = import_module("executorch.backends.mlx")
    return _made(*sum_and_product(), mlx.MLXPartitioner())
