from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.program import NonConstBufferDevice

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    CUDA,
    SIZES,
    add_method,
    findings,
    island,
    only,
    place,
    report,
    rules,
    verdict,
    verdicts,
)

DATA = Path(__file__).parents[2] / "data" / "device"
ENTRIES = "execution_plan[0].non_const_buffer_device"


@pytest.mark.parametrize("entries", [None, (), (NonConstBufferDevice(3, 1, 0),)])
def test_the_device_list_is_gone_or_names_another_arena(
    entries: tuple[NonConstBufferDevice, ...] | None,
) -> None:
    """K9: tags and copies stay, and the copy gets a host pointer."""
    built = build_program(add_method()).replaced(ENTRIES, entries)
    said = report(built)
    found = findings(said, "PTE308")
    assert [f.location.value for f in found] == [2, 3, 4]
    assert all(f.severity is Severity.ERROR for f in found)
    assert place(found[0])[:2] == (0, 1)
    assert "arena 2 on the host" in found[0].message
    assert verdicts(built)["1.4"] == verdicts(built)["1.5"] == "execute error Internal"


def test_with_the_list_it_is_fine() -> None:
    assert rules(report(add_method())) == []


def test_an_output_tagged_for_the_device_makes_the_copy_refuse() -> None:
    """K20."""
    b = MethodBuilder()
    (z,) = b.delegate("Any", [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    out = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.output(b.call("et_copy::_d2h_copy.out", z, out=out))
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute error InvalidArgument"
    assert only(report(b), "PTE308").subject == "output 0"


def test_host_state_tagged_for_the_device_cannot_be_copied() -> None:
    b = MethodBuilder()
    state = b.state(SIZES, initial=[1.0] * 64, device="cuda:0", home="cpu")
    b.output(b.d2h(b.h2d(state)))
    said = report(b)
    assert only(said, "PTE308").location.value == state
    assert verdict(said) == "execute error InvalidArgument"


@pytest.mark.parametrize(
    ("backend", "outcome"),
    [("Any", "execute undefined"), (CUDA, "execute error InvalidArgument")],
)
def test_a_device_delegate_gets_the_host_pointer(backend: str, outcome: str) -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    out = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.output(*b.delegate(backend, [x], [out], device="cuda:0"))
    said = report(b)
    assert only(said, "PTE308").location.value == out
    assert verdict(said) == outcome


def test_a_tag_that_nobody_looks_at_is_a_warning() -> None:
    """K25."""
    b = MethodBuilder()
    mid = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.call("aten::relu.out", b.input(SIZES), out=mid)
    b.output(b.call("aten::sigmoid.out", mid, out=SIZES))
    said = report(b)
    assert only(said, "PTE308").severity is Severity.WARNING
    assert set(verdicts(b).values()) == {"execute ok"}


def test_planned_inputs_of_this_kind_are_told_as_such() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", home="cpu")
    b.output(b.d2h(b.h2d(x)))
    said = report(b)
    assert findings(said, "PTE308") == []
    assert findings(said, "PTE301")


def test_only_one_method_lost_its_list() -> None:
    built = build_program(add_method("prefill"), add_method("decode"))
    said = report(built.replaced(ENTRIES, None))
    assert {f.method for f in findings(said, "PTE308")} == {"prefill"}
    assert verdict(said, "prefill") == "execute error Internal"
    assert verdict(said, "decode") == "execute ok"


def test_an_unknown_device_type_is_not_the_arenas() -> None:
    b = island()
    built = build_program(b).replaced(
        "execution_plan[0].values[2].val.extra_tensor_info.device_type", -1
    )
    said = report(built)
    assert place(only(said, "PTE308"))[2] == 2
    assert verdict(said) == "execute error NotFound"


def test_the_remediation_makes_the_finding_go() -> None:
    wrong = DATA / "add_legacy_tag_only_inputs_unplanned.pte"
    before = pte_lint.check(wrong, isolated=True).artifacts[0]
    assert "enable_non_cpu_memory_planning=True" in findings(before, "PTE308")[0].remediation
    after = pte_lint.check(DATA / "add_inputs_unplanned.pte", isolated=True).artifacts[0]
    assert rules(after) == []
