from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from tests.support.device_programs import (
    BACKEND,
    SIZES,
    add_method,
    findings,
    island,
    only,
    place,
    report,
    rules,
    verdict,
)


def test_an_input_that_is_copied_for_each_use() -> None:
    said = report(island())
    found = only(said, "PTE319")
    assert found.severity is Severity.INFO
    assert place(found) == (6, 0, 1)
    assert found.evidence == {
        "waste": "repeated",
        "direction": "h2d",
        "bytes_per_call": 256,
        "earlier_instruction": 1,
        "device": "cuda:0",
    }
    assert verdict(said) == "execute ok"


def test_one_copy_a_source_is_fine() -> None:
    assert rules(report(add_method())) == []


def test_a_copy_made_twice_into_one_tensor_comes_from_no_exporter() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    first = b.h2d(x)
    b.call("et_copy::_h2d_copy.out", x, out=first)
    (z,) = b.delegate(BACKEND, [first], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    found = only(report(b), "PTE319")
    assert (found.severity, place(found)) == (Severity.WARNING, (1, 0, 0))


def test_a_copy_to_another_device_is_another_copy() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(BACKEND, [b.h2d(x)], [SIZES], device="cuda:0")
    (w,) = b.delegate(BACKEND, [b.h2d(x, device="cuda:1")], [SIZES], device="cuda:1")
    b.output(b.d2h(z), b.d2h(w))
    assert rules(report(b)) == []


def test_a_source_that_has_changed_is_copied_again() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(BACKEND, [b.h2d(x)], [SIZES], device="cuda:0")
    b.kernel("aten::relu_", x, x)
    (w,) = b.delegate(BACKEND, [b.h2d(x)], [SIZES], device="cuda:0")
    b.output(b.d2h(z), b.d2h(w))
    assert findings(report(b), "PTE319") == []


def test_a_copy_that_a_delegate_has_overwritten_is_needed_again() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    first = b.h2d(x)
    b.delegate(BACKEND, [first, b.h2d(b.input(SIZES))], [first], device="cuda:0")
    (w,) = b.delegate(BACKEND, [first, b.h2d(x)], [SIZES], device="cuda:0")
    b.output(b.d2h(w))
    assert findings(report(b), "PTE319") == []


def test_a_first_copy_in_a_branch_may_not_have_been_made() -> None:
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    first, end = b.tensor(SIZES, device="cuda:0"), Label()
    b.jump_false(p, end)
    b.call("et_copy::_h2d_copy.out", x, out=first)
    b.output(b.d2h(first))
    b.mark(end)
    b.output(b.d2h(b.h2d(x)))
    assert findings(report(b), "PTE319") == []


def test_a_copy_that_nobody_reads() -> None:
    b = add_method()
    b.h2d(0)
    found = only(report(b), "PTE319")
    assert (found.severity, found.evidence["waste"]) == (Severity.WARNING, "dead")
    assert place(found) == (4, 0, 0)


def test_a_copy_back_that_nobody_reads() -> None:
    b = add_method()
    b.d2h(4)
    assert only(report(b), "PTE319").evidence["direction"] == "d2h"


def test_a_view_of_the_copy_keeps_it_alive() -> None:
    """The view was elided: another tensor value on the same bytes."""
    b = MethodBuilder()
    b.h2d(b.input(SIZES), memory_id=2, offset=0)
    view = b.tensor((64,), device="cuda:0", memory_id=2, offset=0)
    (z,) = b.delegate(BACKEND, [view, b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert findings(report(b), "PTE319") == []


def test_a_constant_that_is_copied_on_every_call() -> None:
    b = MethodBuilder()
    w = b.constant([1.0] * 64, SIZES)
    (z,) = b.delegate(BACKEND, [b.h2d(w)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    found = only(report(b), "PTE319")
    assert (found.severity, found.evidence["waste"]) == (Severity.INFO, "constant")
    assert "tag_constant_data" in found.remediation


def test_empty_tensors_cost_nothing() -> None:
    b = MethodBuilder()
    x = b.input((0, 8))
    b.h2d(x)
    b.h2d(x)
    b.output(x)
    assert findings(report(b), "PTE319") == []
