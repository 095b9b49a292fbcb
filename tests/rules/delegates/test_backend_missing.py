from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.target import Target
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict
from tests.support.program_builder import build_program


def lowered(backend: str) -> bytes:
    return build_program(delegated(backend)).bytes()


@pytest.mark.parametrize(
    ("backend", "severity", "says"),
    [
        ("CudaBackend", Severity.WARNING, "the runner must link the CUDA backend"),
        ("XNNPackBackend", Severity.WARNING, "Did the exporter mean XnnpackBackend?"),
        ("MineBackend7", Severity.WARNING, "no backend of that name is known"),
        ("", Severity.WARNING, "The delegate's id is empty"),
        ("BackendWithCompilerDemo", Severity.INFO, "a demonstration backend"),
    ],
)
def test_what_the_default_target_lacks(backend: str, severity: Severity, says: str) -> None:
    report = judge(lowered(backend), "PTE411")
    assert only(report).severity is severity
    assert says in only(report).message
    assert verdict(report).outcome is Outcome.OK
    assert len(report.unchecked) == 1


def test_for_a_given_profile_it_is_an_error() -> None:
    report = judge(lowered("CudaBackend"), "PTE411", target=Target(explicit_profile=True))
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, "NotFound")
    assert report.unchecked == ()


def test_a_backend_that_is_there() -> None:
    assert judge(lowered("XnnpackBackend"), "PTE411").findings == ()
