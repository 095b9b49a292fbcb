from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only, report, unchecked, verdict
from tests.support.cuda_libraries import cuda_program, cuda_target

RULE = "PTE430"


def test_binaries_of_another_major_version() -> None:
    # The first of two libraries serves the GPU.
    program = cuda_program("model_sm_80_ptx.so", "model_sm_80.so")
    finding = only(program, RULE, target=cuda_target(gpu="sm_90"))
    assert finding.message == (
        "The library 1_so_blob of delegate 1 (CudaBackend) has code for sm_80, none of which runs "
        "on sm_90 (binaries run on the same major version from their minor one on; there is no PTX "
        "to compile): 1 module, triton_poi_fused_add_0."
    )
    assert finding.severity is Severity.ERROR
    assert finding.evidence == {"gpu": "sm_90", "architectures": ["sm_80"], "modules": 1}
    assert finding.subject == "delegates[1] gpu"
    assert finding.location.path == "execution_plan[0].delegates[1]"
    assert "nvidia-smi --query-gpu=compute_cap" in finding.remediation
    assert verdict(program, RULE, target=cuda_target(gpu="sm_90")) == "execute: error Internal"


@pytest.mark.parametrize(
    ("library", "gpu", "is_served"),
    [
        ("model_sm_80.so", "sm_75", False),
        ("model_sm_80.so", "sm_80", True),
        ("model_sm_80.so", "sm_89", True),
        ("model_sm_80.so", "sm_90", False),
        ("model_sm_80_ptx.so", "sm_75", False),
        ("model_sm_80_ptx.so", "sm_90", True),
        ("model_sm_80_ptx.so", "sm_120", True),
        ("model_sm_90a_executable_stack.so", "sm_90", True),
        ("model_sm_90a_executable_stack.so", "sm_100", False),
        ("model_nv_fatbin.so", "sm_75", True),
        ("model_nv_fatbin.so", "sm_100", True),
    ],
)
def test_libraries_and_devices(library: str, gpu: str, is_served: bool) -> None:
    said = report(cuda_program(library), RULE, target=cuda_target(gpu=gpu))
    assert [f.severity for f in said.findings] == ([] if is_served else [Severity.ERROR])
    assert said.unchecked == ()


def test_ptx_for_later_devices_says_so() -> None:
    finding = only(cuda_program("model_sm_80_ptx.so"), RULE, target=cuda_target(gpu="sm_75"))
    assert "has code for compute_80, sm_80" in finding.message
    assert "PTX runs on later GPUs only" in finding.message


def test_an_embedded_device_is_not_documented() -> None:
    finding = only(cuda_program("model_sm_80.so"), RULE, target=cuda_target(gpu="sm_87"))
    assert finding.severity is Severity.WARNING
    assert "none of which is documented to run on sm_87 (embedded GPUs" in finding.message


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    target = cuda_target(backends=("XnnpackBackend",), gpu="sm_90")
    assert only(cuda_program("model_sm_80.so"), RULE, target=target).severity is Severity.WARNING


def test_no_gpu_is_told_and_no_code_is_found() -> None:
    program = cuda_program("model_sm_80.so")
    assert found(program, RULE) == ()
    assert unchecked(program, RULE) == ()
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(60)
    said = report(cuda_program(head), RULE, target=cuda_target(gpu="sm_90"))
    assert said.findings == ()
    assert [each.why for each in said.unchecked] == [
        "it holds no code for GPUs in a form that is known"
    ]


def test_metal_has_other_devices() -> None:
    program = cuda_program("model_sm_80.so", backend="MetalBackend")
    assert found(program, RULE, target=cuda_target(backends=("MetalBackend",), gpu="sm_90")) == ()
