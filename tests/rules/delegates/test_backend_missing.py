from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.need import NeedKind
from pte_lint.claims.target import Target
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict


def lowered(backend: str) -> bytes:
    return build_program(delegated(backend)).bytes()


@pytest.mark.parametrize(
    ("backend", "says"),
    [
        ("XNNPackBackend", "Did the exporter mean XnnpackBackend?"),
        ("CUDABackend", "Did the exporter mean CudaBackend?"),
        ("", "The delegate's id is empty"),
        ("TOSABackend", "for a compiler: no release of ExecuTorch has a runtime for it."),
        ("CoreAIBackend", "is an exporter alone: no release"),
    ],
)
def test_names_that_no_backend_can_have(backend: str, says: str) -> None:
    report = judge(lowered(backend), "PTE411")
    assert only(report).severity is Severity.WARNING
    assert says in only(report).message
    assert verdict(report).outcome is Outcome.OK
    assert len(report.unchecked) == 1


@pytest.mark.parametrize(
    ("magic", "maker"),
    [
        (b"\0\0\0\0XH00", "XnnpackBackend"),
        (b"\0\0\0\0VH00", "VulkanBackend"),
        (b"\0\0\0XH00", ""),
        (b"XH", ""),
    ],
)
def test_an_id_beside_the_payload_of_another(magic: bytes, maker: str) -> None:
    found = judge(build_program(delegated("MineBackend7", blob=magic)).bytes(), "PTE411").findings
    assert [f.message for f in found] == (
        [
            f"MineBackend7 is not in {Target().profile.name}, no backend of that name is known, "
            f"and the payload begins as {maker}'s do: the id was changed."
        ]
        if maker
        else []
    )


@pytest.mark.parametrize(
    ("backend", "how"),
    [
        ("CudaBackend", "Link the CUDA backend into the runner"),
        ("MineBackend7", ""),
        ("DeviceDemoBackend", ""),
        ("BackendWithCompilerDemo", ""),
    ],
)
def test_what_a_runner_may_have_is_a_need(backend: str, how: str) -> None:
    report = judge(lowered(backend), "PTE411")
    assert report.findings == ()
    assert verdict(report).outcome is Outcome.OK
    assert len(report.unchecked) == 1
    (need,) = report.needs
    assert (need.kind, need.what) == (NeedKind.BACKEND, f"the backend {backend}")
    assert need.how.startswith(how)
    assert bool(need.how) is bool(how)


def test_for_a_given_profile_it_is_an_error() -> None:
    report = judge(lowered("CudaBackend"), "PTE411", target=Target(explicit_profile=True))
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, "NotFound")
    assert report.unchecked == ()
    assert report.needs == ()
    unknown = only(judge(lowered("Mine"), "PTE411", target=Target(explicit_profile=True)))
    assert "no backend of that name is known" in unknown.message


def test_a_backend_that_is_there() -> None:
    assert judge(lowered("XnnpackBackend"), "PTE411").findings == ()
