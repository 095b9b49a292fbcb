"""Which library brings an operator namespace or a backend, and how to link it.

From the registrations in the ExecuTorch sources (functions.yaml files, EXECUTORCH_LIBRARY and
`register_backend` calls) and the build options in tools/cmake/preset/default.cmake.
"""

from __future__ import annotations

from typing import Final

from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Library:
    """A library that registers kernels or a backend when it is linked.

    `name` is what a person calls it, `target` the CMake target, `option` what builds it.
    """

    name: str
    target: str = ""
    option: str = ""

    def advice(self) -> str:
        """How to get it, as a sentence and a snippet."""
        if not self.option and not self.target:
            return f"Link {self.name} into the runner."
        lines = []
        if self.option:
            lines.append(f"    cmake -D{self.option}=ON ...")
        if self.target:
            lines.append(f"    target_link_libraries(runner PRIVATE {self.target})")
        return f"Link {self.name} into the runner:\n\n" + "\n".join(lines)


_PORTABLE: Final = Library("the portable or optimized kernels", "optimized_native_cpu_ops_lib")

OPERATORS: Final[dict[str, Library]] = {
    "aten": _PORTABLE,
    "dim_order_ops": _PORTABLE,
    "et_copy": _PORTABLE,
    "executorch_prim": Library("the runtime with its prim ops", "executorch"),
    "quantized_decomposed": Library(
        "the quantized kernels", "quantized_ops_lib", "EXECUTORCH_BUILD_KERNELS_QUANTIZED"
    ),
    "llama": Library("the LLM kernels", "custom_ops", "EXECUTORCH_BUILD_KERNELS_LLM"),
    "preprocess": Library("the LLM kernels", "custom_ops", "EXECUTORCH_BUILD_KERNELS_LLM"),
    "cortex_m": Library("the Cortex-M kernels", "cortex_m_ops_lib", "EXECUTORCH_BUILD_CORTEX_M"),
    "cadence": Library("the Cadence kernels", "cadence_ops_lib", "EXECUTORCH_BUILD_CADENCE"),
    "torchao": Library("the TorchAO kernels (pytorch/ao)"),
}
"""By operator namespace."""

BACKENDS: Final[dict[str, Library]] = {
    "XnnpackBackend": Library("the XNNPACK backend", "xnnpack_backend", "EXECUTORCH_BUILD_XNNPACK"),
    "CudaBackend": Library("the CUDA backend", "aoti_cuda_backend", "EXECUTORCH_BUILD_CUDA"),
    "MetalBackend": Library("the Metal backend", "metal_backend", "EXECUTORCH_BUILD_METAL"),
    "MLXBackend": Library("the MLX backend", "mlxdelegate", "EXECUTORCH_BUILD_MLX"),
    "CoreMLBackend": Library("the Core ML backend", "coremldelegate", "EXECUTORCH_BUILD_COREML"),
    "MPSBackend": Library("the MPS backend", "mpsdelegate", "EXECUTORCH_BUILD_MPS"),
    "VulkanBackend": Library("the Vulkan backend", "vulkan_backend", "EXECUTORCH_BUILD_VULKAN"),
    "QnnBackend": Library("the Qualcomm backend", "qnn_executorch_backend", "EXECUTORCH_BUILD_QNN"),
    "OpenvinoBackend": Library(
        "the OpenVINO backend", "openvino_backend", "EXECUTORCH_BUILD_OPENVINO"
    ),
    "EthosUBackend": Library(
        "the Ethos-U backend", "executorch_delegate_ethos_u", "EXECUTORCH_BUILD_ARM_BAREMETAL"
    ),
    "VgfBackend": Library("the VGF backend", "vgf_backend", "EXECUTORCH_BUILD_VGF"),
    "NeuropilotBackend": Library(
        "the MediaTek backend", "neuron_backend", "EXECUTORCH_BUILD_NEURON"
    ),
    "NeutronBackend": Library("the NXP backend", "executorch_delegate_neutron"),
    "EnnBackend": Library("the Samsung backend", "enn_backend", "EXECUTORCH_BUILD_ENN"),
    "TensorRTBackend": Library(
        "the TensorRT backend of Torch-TensorRT", "torchtrt::executorch_backend"
    ),
}
"""By delegate id."""

DEMOS: Final[frozenset[str]] = frozenset(
    {"BackendWithCompilerDemo", "BackendWithDelegateMappingDemo", "ExecutorBackend"}
)
"""Backends of ExecuTorch's own tests and examples: in no release, but no mistake either."""

UNRUN: Final[dict[str, str]] = {
    "TOSABackend": "leaves a TOSA graph, which is for a compiler",
    "CoreAIBackend": "is an exporter alone",
}
"""Backends that no release has a runtime for, by delegate id, and what they are."""
