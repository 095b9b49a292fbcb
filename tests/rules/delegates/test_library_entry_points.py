from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only, verdict
from tests.schema.blob.files import library
from tests.support.cuda_libraries import cuda_program, cuda_target

RULE = "PTE432"


def test_a_function_is_missing() -> None:
    program = cuda_program("model_sm_80.so", "model_without_run.so")
    finding = only(program, RULE, target=cuda_target())
    assert finding.message == (
        "The library 1_so_blob of delegate 1 (CudaBackend) does not export "
        "AOTInductorModelContainerRun."
    )
    assert finding.severity is Severity.ERROR
    assert finding.evidence == {"missing": ["AOTInductorModelContainerRun"]}
    assert finding.subject == "delegates[1] entry points"
    assert verdict(program, RULE, target=cuda_target()) == "load_method: error Internal"


def test_metal_calls_it_something_else() -> None:
    program = cuda_program("model_without_run.so", backend="MetalBackend")
    target = cuda_target(backends=("MetalBackend",))
    assert verdict(program, RULE, target=target) == "load_method: error AccessFailed"


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    assert only(cuda_program("model_without_run.so"), RULE).severity is Severity.WARNING


def test_all_functions_are_there_or_nobody_can_tell() -> None:
    cut = library("model_without_run.so")[:9000]
    assert found(cuda_program("model_sm_80_ptx.so", cut), RULE, target=cuda_target()) == ()
