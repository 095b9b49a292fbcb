from __future__ import annotations

from pathlib import Path

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import (
    BACKEND,
    SIZES,
    findings,
    island,
    only,
    place,
    report,
    rules,
    verdict,
)

DATA = Path(__file__).parents[2] / "data" / "device"


def chained(*, back: str = "cuda:0", between: str = "", output: bool = False) -> MethodBuilder:
    """Two delegates with a copy to the host and one back between them."""
    b = MethodBuilder()
    (z,) = b.delegate(BACKEND, [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    host = b.d2h(z)
    if between:
        b.kernel(between, host, host)
    (w,) = b.delegate(BACKEND, [b.h2d(host, device=back)], [SIZES], device=back)
    b.output(b.d2h(w), *([host] if output else []))
    return b


def test_there_and_straight_back() -> None:
    said = report(chained())
    found = only(said, "PTE318")
    assert found.severity is Severity.WARNING
    assert place(found) == (3, 0, 3)
    assert found.evidence == {
        "bytes_per_call": 512,
        "d2h_instruction": 2,
        "h2d_instruction": 3,
        "device": "cuda:0",
    }
    assert verdict(said) == "execute ok"


def test_a_host_copy_that_others_need_is_not_counted() -> None:
    assert only(report(chained(output=True)), "PTE318").evidence["bytes_per_call"] == 256


def test_another_device_needs_the_bounce() -> None:
    assert rules(report(chained(back="cuda:1"))) == []


def test_a_change_on_the_host_needs_it_too() -> None:
    assert findings(report(chained(between="aten::relu_")), "PTE318") == []
    assert findings(report(island()), "PTE318") == []


def test_a_source_that_is_written_again_in_between() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    host = b.d2h(x)
    b.call("et_copy::_h2d_copy.out", b.input(SIZES), out=x)
    b.output(b.d2h(b.h2d(host)), b.d2h(x))
    assert findings(report(b), "PTE318") == []


def test_the_exporter_elides_the_pair() -> None:
    said = pte_lint.check(DATA / "chain_elided.pte", isolated=True).artifacts[0]
    assert findings(said, "PTE318") == []
