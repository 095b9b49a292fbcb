from __future__ import annotations

from typing import Any

import pytest

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only, verdict
from tests.support.cuda_libraries import cuda_program, cuda_target

RULE = "PTE431"
SYSTEM = {"machine": "x86_64", "glibc": "2.35", "glibcxx": "3.4.30"}


def test_another_machine() -> None:
    mach = b"\xcf\xfa\xed\xfe" + bytes.fromhex("0c0000010000000006000000") + bytes(60)
    program = cuda_program(mach, "model_sm_80.so")
    target = cuda_target(machine="arm64")
    finding = only(program, RULE, target=target)
    assert finding.message == (
        "The library 1_so_blob of delegate 1 (CudaBackend) is for x86_64, and the target is "
        "aarch64."
    )
    assert finding.severity is Severity.ERROR
    assert finding.evidence == {"target": "aarch64", "library": "x86_64"}
    assert finding.subject == "delegates[1] system"
    assert verdict(program, RULE, target=target) == "load_method: error AccessFailed"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"glibc": "2.13"}, "asks for GLIBC_2.14, and the target has GLIBC_2.13"),
        ({"glibc": "2.14"}, ""),
        ({"glibcxx": "3.4.20"}, "asks for GLIBCXX_3.4.21, and the target has GLIBCXX_3.4.20"),
        ({"glibcxx": "3.4.21"}, ""),
        ({"glibc": "2.41"}, ""),
    ],
)
def test_versions(changed: dict[str, str], what: str) -> None:
    target = cuda_target(**{**SYSTEM, **changed})
    said = [f.message for f in found(cuda_program("model_sm_80.so"), RULE, target=target)]
    prefix = "The library 0_so_blob of delegate 0 (CudaBackend) "
    assert said == ([f"{prefix}{what}."] if what else [])


@pytest.mark.parametrize(("glibc", "count"), [("2.40", 0), ("2.41", 1)])
def test_an_executable_stack(glibc: str, count: int) -> None:
    program = cuda_program("model_sm_90a_executable_stack.so")
    said = found(program, RULE, target=cuda_target(glibc=glibc))
    assert len(said) == count
    assert all("executable stack, which glibc 2.41 grants no library" in f.message for f in said)


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    target = cuda_target(backends=(), machine="aarch64")
    assert only(cuda_program("model_sm_80.so"), RULE, target=target).severity is Severity.WARNING


@pytest.mark.parametrize("options", [{}, {"target": cuda_target()}])
def test_nothing_is_told_of_the_system(options: dict[str, Any]) -> None:
    assert found(cuda_program("model_sm_80.so"), RULE, **options) == ()
