from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.program import ExtraTensorInfo, NonConstBufferDevice

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    BACKEND,
    SIZES,
    add_method,
    findings,
    only,
    place,
    report,
    rules,
    verdict,
    verdicts,
)

DATA = Path(__file__).parents[2] / "data" / "device"


def two_devices(*, bounce: bool) -> MethodBuilder:
    """A delegate on cuda:0 feeds one on cuda:1, through the host or directly."""
    b = MethodBuilder()
    (z,) = b.delegate(BACKEND, [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    fed = b.h2d(b.d2h(z), device="cuda:1") if bounce else z
    (w,) = b.delegate(BACKEND, [fed], [SIZES], device="cuda:1")
    b.output(b.d2h(w))
    return b


def test_a_tensor_on_the_wrong_device() -> None:
    said = report(two_devices(bounce=False))
    found = only(said, "PTE311")
    assert found.severity is Severity.ERROR
    assert place(found) == (2, 0, 2)
    assert "it runs on cuda:1" in found.message
    assert verdict(said) == "execute undefined"
    assert verdicts(two_devices(bounce=False))["1.4"] == "execute undefined"


def test_through_the_host_it_is_fine() -> None:
    assert rules(report(two_devices(bounce=True))) == []


def test_the_exporter_goes_through_the_host() -> None:
    said = pte_lint.check(DATA / "two_devices.pte", isolated=True).artifacts[0]
    assert findings(said, "PTE311") == []


def test_an_input_on_another_device_than_its_delegate() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:1", planned=False)
    b.output(*b.delegate(BACKEND, [x], [SIZES], device="cuda:0"))
    said = report(b)
    assert only(said, "PTE311").subject == "input 0"
    assert verdict(said) == "execute undefined"


def tagged(index: int) -> MethodBuilder:
    """The default program with the first h2d copy's target tagged cuda:index."""
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES), device=(1, index), home="cuda:0")
    (z,) = b.delegate(BACKEND, [x], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    return b


@pytest.mark.parametrize("index", [1, 3, -1])
def test_a_tag_that_is_off_alone_is_a_warning(index: int) -> None:
    """K15: nobody compares tag and arena."""
    said = report(tagged(index))
    assert {f.severity for f in findings(said, "PTE311")} == {Severity.WARNING}
    assert {f.runtime for f in findings(said, "PTE311")} == {None}
    assert verdict(said) == "execute ok"


def test_an_index_below_minus_one_fails_at_the_copy() -> None:
    said = report(tagged(-2))
    found = findings(said, "PTE311")
    assert place(found[0]) == (0, 1, 1)
    assert found[0].severity is Severity.ERROR
    assert verdict(said) == "execute error Internal"


def test_an_arena_that_is_off_alone_is_a_warning() -> None:
    """K15: a device that the machine lacks means the current one; else it is the wrong one."""
    built = build_program(add_method()).replaced(
        "execution_plan[0].non_const_buffer_device", (NonConstBufferDevice(2, 1, 7),)
    )
    said = report(built)
    told = findings(said, "PTE311")
    assert [str(f.runtime) for f in told] == ["execute: undefined"] * 3
    old = report(built, target="1.3")
    assert [f.runtime for f in findings(old, "PTE311")] == [None] * 3
    assert {f.rule for f in said.findings if f.severity is not Severity.INFO} == {"PTE311"}
    assert {f.severity for f in findings(said, "PTE311")} == {Severity.WARNING}
    assert verdict(said) == "execute ok"


def test_an_arena_on_a_device_that_another_delegate_needs() -> None:
    b = add_method()
    b.delegate(BACKEND, [b.input(SIZES, device="cuda:1", planned=False)], [], device="cuda:1")
    built = build_program(b).replaced(
        "execution_plan[0].non_const_buffer_device", (NonConstBufferDevice(2, 1, 1),)
    )
    assert any(f.severity is Severity.ERROR for f in findings(report(built), "PTE311"))


def test_an_index_on_the_host_means_nothing() -> None:
    built = build_program(add_method()).replaced(
        "execution_plan[0].values[0].val.extra_tensor_info", ExtraTensorInfo(device_index=1)
    )
    said = report(built)
    found = only(said, "PTE311")
    assert found.severity is Severity.WARNING
    assert found.evidence["tag_index"] == 1
    assert verdict(said) == "execute ok"


def test_a_target_without_index_takes_index_zero() -> None:
    assert rules(report(add_method(device="cuda:0", specs={"target_device": b"cuda"}))) == []
    said = report(add_method(device="cuda:1", specs={"target_device": b"cuda"}))
    assert findings(said, "PTE311")
