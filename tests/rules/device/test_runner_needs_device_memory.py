from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import SIZES, add_method, findings, only, report, verdict


def needs(*methods: MethodBuilder) -> str:
    found = only(report(*methods), "PTE320")
    assert found.severity is Severity.INFO
    assert found.forecast is None
    return "; ".join(found.evidence["needs"])


def test_a_default_device_program() -> None:
    """K2, K3, K4, K44: what fails without an allocator, or with a loader of host arenas."""
    told = needs(add_method())
    assert "puts arenas on cuda:0 (Module since 1.4)" in told
    assert "a device allocator" in told
    assert "the et_copy kernels (since 1.4)" in told
    assert "caller already has" not in told


def test_a_program_whose_caller_gives_device_memory() -> None:
    told = needs(add_method(skip_h2d=True, skip_d2h=True, plan_inputs=False, plan_outputs=False))
    assert "what the caller already has on the device: forward input 0, 1 on cuda:0" in told
    assert "device memory that the caller binds to outputs: forward output 0 on cuda:0" in told
    assert "et_copy" not in told
    assert "allocator" not in told


def test_several_backends_share_a_stream() -> None:
    told = needs(add_method("a", backend="One"), add_method("b", backend="Two"))
    assert "the backends One, Two" in told
    assert "one stream" in told


def test_it_is_said_once_a_program_and_changes_no_verdict() -> None:
    said = report(add_method("a"), add_method("b"))
    assert only(said, "PTE320").evidence["methods"] == ["a", "b"]
    assert verdict(said, "a") == "execute ok"


def test_host_programs_need_nothing() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::sigmoid.out", b.input(SIZES), out=SIZES))
    assert findings(report(b), "PTE320") == []
