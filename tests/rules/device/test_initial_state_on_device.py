from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import SIZES, findings, only, report, rules, verdict, verdicts

ONES = [1.0] * 64


def stateful(**options: object) -> MethodBuilder:
    """State that a copy brings to the device, and an in-place update."""
    b = MethodBuilder()
    x = b.input(SIZES)
    state = b.state(SIZES, initial=ONES, **options)  # type: ignore[arg-type]
    out = b.call("aten::relu.out", x, out=SIZES)
    b.kernel("aten::copy_", state, out, b.bool_value(False), state)
    b.output(out)
    return b


def test_state_with_initial_data_on_the_device() -> None:
    """K30: the file loader reads straight to the address."""
    b = stateful(device="cuda:0")
    found = only(report(b), "PTE315")
    assert found.location.value == 1
    assert found.location.instruction is None
    assert "initial data in the program" in found.message
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "load_method error AccessFailed",
        "1.5": "load_method error AccessFailed",
    }


def test_the_tag_does_not_matter() -> None:
    said = report(stateful(home="cuda:0"))
    assert only(said, "PTE315")
    assert verdict(said) == "load_method error AccessFailed"


def test_an_external_mutable_tensor() -> None:
    """K31."""
    b = MethodBuilder()
    state = b.external("cache", SIZES, device="cuda:0", mutable=True)
    out = b.d2h(state)
    b.output(out)
    said = report(b)
    assert "initial data in a .ptd" in only(said, "PTE315").message
    assert verdict(said) == "load_method error AccessFailed"


def test_on_the_host_it_is_fine() -> None:
    assert rules(report(stateful())) == []


def test_where_the_file_does_not_lead_to_the_data_another_rule_tells() -> None:
    built = build_program(stateful(device="cuda:0")).replaced("mutable_data_segments", None)
    assert findings(report(built), "PTE315") == []


def test_state_without_initial_data_is_not_read() -> None:
    b = MethodBuilder()
    state = b.state(SIZES, device="cuda:0")
    b.delegate("Any", [b.h2d(b.input(SIZES)), state], [state], device="cuda:0")
    b.output(b.d2h(state))
    assert findings(report(b), "PTE315") == []
