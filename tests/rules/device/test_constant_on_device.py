from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import (
    BACKEND,
    CUDA,
    SIZES,
    findings,
    only,
    place,
    report,
    rules,
    verdict,
    verdicts,
)

DATA = Path(__file__).parents[2] / "data" / "device"
ONES = [1.0] * 64


def weighted(backend: str = BACKEND) -> MethodBuilder:
    """A device input and a tagged constant at a delegate."""
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    w = b.constant(ONES, SIZES, device="cuda:0")
    (z,) = b.delegate(backend, [x, w], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    return b


@pytest.mark.parametrize(
    ("backend", "outcome"),
    [(BACKEND, "execute undefined"), (CUDA, "execute error InvalidArgument")],
)
def test_a_delegate_gets_the_host_bytes(backend: str, outcome: str) -> None:
    """K23."""
    said = report(weighted(backend))
    found = only(said, "PTE314")
    assert found.severity is Severity.ERROR
    assert place(found) == (0, 1, 1)
    assert "tag_constant_data" in found.remediation
    assert findings(said, "PTE304") == []
    assert verdict(said) == outcome


def test_an_external_constant_counts() -> None:
    b = MethodBuilder()
    w = b.external("w", SIZES, device="cuda:0")
    (z,) = b.delegate(BACKEND, [w, b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert only(report(b), "PTE314").evidence["home"] == "external constant data on the host"


def test_a_copy_refuses_the_tag() -> None:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.constant(ONES, SIZES, device="cuda:0"))))
    said = report(b)
    assert place(only(said, "PTE314")) == (0, 0, 0)
    assert verdict(said) == "execute error InvalidArgument"


def test_for_host_kernels_the_tag_is_a_warning() -> None:
    """K22."""
    b = MethodBuilder()
    w = b.constant(ONES, SIZES, device="cuda:0")
    b.output(b.call("aten::sigmoid.out", w, out=SIZES))
    assert only(report(b), "PTE314").severity is Severity.WARNING
    assert set(verdicts(b).values()) == {"execute ok"}


def test_untagged_constants_at_host_kernels_are_fine() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::sigmoid.out", b.constant(ONES, SIZES), out=SIZES))
    assert rules(report(b)) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("weight_skip_h2d_paired", "weight_owned"),
        ("weight_legacy_tag_only", "add_legacy_tag_only_paired"),
        ("scalar_skip_h2d_paired", "add_skip_h2d_paired"),
    ],
)
def test_the_remediation_makes_the_finding_go(wrong: str, right: str) -> None:
    before = pte_lint.check(DATA / f"{wrong}.pte", isolated=True).artifacts[0]
    after = pte_lint.check(DATA / f"{right}.pte", isolated=True).artifacts[0]
    assert findings(before, "PTE314")
    assert findings(after, "PTE314") == []
