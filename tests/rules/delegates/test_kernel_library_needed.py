from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.profile import default_profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def quantized() -> bytes:
    b = MethodBuilder()
    b.output(b.call("quantized_decomposed::add.out", b.input((2, 2)), out=(2, 2)))
    return build_program(b).bytes()


def test_a_known_library_is_named() -> None:
    report = judge(quantized(), "PTE404")
    assert only(report).severity is Severity.WARNING
    assert only(report).message.startswith("1 call needs the quantized kernels, which ")
    assert "EXECUTORCH_BUILD_KERNELS_QUANTIZED=ON" in only(report).remediation
    assert "operators of quantized_decomposed:: in forward" in [u.what for u in report.unchecked]
    assert verdict(report).outcome is Outcome.OK


def test_for_a_given_profile_it_is_an_error() -> None:
    report = judge(quantized(), "PTE404", target=Target(explicit_profile=True))
    assert verdict(report).error == "OperatorMissing"


def test_a_profile_with_the_library() -> None:
    profile = default_profile()
    kernels = {**profile.kernels, "quantized_decomposed::add.out": ("",)}
    target = Target(profile=replace(profile, kernels=kernels))
    assert judge(quantized(), "PTE404", target=target).findings == ()


def test_standard_operators() -> None:
    assert judge(plain().bytes(), "PTE404").findings == ()
