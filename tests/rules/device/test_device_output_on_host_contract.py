from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.questions.placement.export_settings import paired_settings
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint import small
from tests.support.device_programs import SIZES, add_method, findings, only, report, verdict


def test_an_output_in_the_callers_device_memory_is_a_need() -> None:
    said = report(add_method(skip_d2h=True, plan_outputs=False))
    assert findings(said, "PTE303") == []
    assert "memory on cuda:0 for output 0" in [need.what for need in said.needs]
    assert verdict(said) == "execute ok"


def test_a_planned_output_is_told() -> None:
    said = report(add_method(skip_d2h=True))
    found = only(said, "PTE303")
    assert found.severity is Severity.INFO
    assert found.subject == "output 0"
    assert found.message == ("Output 0 is handed over on cuda:0: reading it from the host crashes.")
    assert "memory on cuda:0 for output 0" not in [need.what for need in said.needs]
    assert verdict(said) == "execute ok"


def test_outputs_on_the_host_are_not_mentioned() -> None:
    assert findings(report(add_method()), "PTE303") == []


def test_a_device_tensor_moved_over_a_host_output_is_a_warning() -> None:
    """The file tags the output as on the host: nothing tells the caller."""
    b = MethodBuilder()
    (z,) = b.delegate("Any", [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    out = b.tensor(SIZES)
    b.move(z, out)
    b.output(out)
    said = report(b)
    found = only(said, "PTE303")
    assert found.severity is Severity.WARNING
    assert found.evidence["tag"] == "cpu"
    assert found.evidence["tag_at_end"] == "cuda:0"
    assert verdict(said) == "execute ok"


def test_the_snippet_brings_only_this_method_back_to_the_host() -> None:
    said = report(
        add_method("a", skip_d2h=True),
        add_method("b", skip_d2h=True, plan_outputs=False),
    )
    found = next(f for f in said.findings if f.rule == "PTE303" and f.method == "a")
    assert "'a': PropagateDeviceConfig()," in found.remediation
    assert "'b': PropagateDeviceConfig(skip_d2h_for_method_outputs=True)," in found.remediation


def test_what_a_method_asks_for_is_worked_out_once() -> None:
    """Each of many outputs asks for it, and it goes through all outputs."""
    method = small.method([small.tensor((1, 0))], outputs=[0])
    assert paired_settings(method) is paired_settings(method)
