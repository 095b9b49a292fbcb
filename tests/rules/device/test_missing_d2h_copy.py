from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
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
    verdicts,
)


def test_a_host_kernel_reads_a_device_tensor() -> None:
    built = build_program(island())
    said = report(
        built.replaced("execution_plan[0].chains[0].instructions[4].instr_args.args[0]", 4)
    )
    found = only(said, "PTE305")
    assert found.severity is Severity.ERROR
    assert place(found) == (4, 0, 4)
    assert "reads value 4, which lies in arena 2 on cuda:0" in found.message
    assert verdict(said) == "execute crash SIGSEGV"


def test_with_the_copies_of_the_exporter_it_is_fine() -> None:
    assert findings(report(island()), "PTE305") == []


def test_a_host_kernel_writes_a_device_tensor() -> None:
    """K26, K27: the tag does not matter, the memory does."""
    b = MethodBuilder()
    x = b.input(SIZES)
    out = b.tensor(SIZES, device="cuda:0")
    b.output(b.call("aten::sigmoid.out", x, out=out))
    found = only(report(b), "PTE305")
    assert "writes output 0" in found.message
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "execute crash SIGSEGV",
        "1.5": "execute crash SIGSEGV",
    }


def test_an_item_of_a_tensor_list_counts() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    both = b.tensor_list([x, b.h2d(x)])
    out = b.tensor((16, 8))
    b.kernel("aten::cat.out", both, b.int_value(0), out, out)
    b.output(out)
    assert place(only(report(b), "PTE305")) == (1, 0, 3 - 2)


def test_an_optional_list_counts() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    index = b.h2d(b.input((8,), "int64"))
    both = b.optional_list([None, index])
    out = b.tensor(SIZES)
    b.kernel("aten::index.Tensor_out", x, both, out, out)
    b.output(out)
    assert place(only(report(b), "PTE305"))[1:] == (1, index)


def test_operators_that_look_at_sizes_only_are_fine() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    size = b.int_value(0)
    b.kernel("aten::sym_size.int", x, b.int_value(0), size)
    out = b.tensor(SIZES)
    b.kernel("aten::full_like.out", x, b.double_value(1.0), b.null(), out, out)
    b.output(out)
    assert findings(report(b), "PTE305") == []


def test_a_custom_operator_may_be_made_for_devices() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    out = b.tensor(SIZES, device="cuda:0")
    b.kernel("mylib::gelu.out", x, out, out)
    b.output(b.d2h(out))
    said = report(b)
    assert [f.severity for f in findings(said, "PTE305")] == [Severity.WARNING] * 2
    assert verdict(said) == "execute ok"


@pytest.mark.parametrize(
    ("backend", "outcome"),
    [("XnnpackBackend", "execute crash SIGSEGV"), (BACKEND, "execute undefined")],
)
def test_a_host_delegate_gets_device_memory(backend: str, outcome: str) -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(backend, [b.h2d(x), x], [SIZES])
    b.output(z)
    said = report(b)
    assert place(only(said, "PTE305"))[1] == 0
    assert verdict(said) == outcome


def test_a_device_tensor_that_a_branch_moves_into_a_host_value() -> None:
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    device, host, chosen = b.h2d(x), b.tensor(SIZES), b.tensor(SIZES)
    other, end = Label(), Label()
    b.jump_false(p, other)
    b.move(device, chosen)
    b.jump(end)
    b.mark(other)
    b.call("aten::relu.out", x, out=host)
    b.move(host, chosen)
    b.mark(end)
    b.output(b.call("aten::sigmoid.out", chosen, out=SIZES))
    said = report(b)
    found = only(said, "PTE305")
    assert found.location.value == chosen
    assert found.evidence["home"] == "arena 2 on cuda:0"
    assert verdict(said) == "execute crash SIGSEGV"


def test_a_condition_that_decides_twice_makes_it_a_warning() -> None:
    """On the path where the device tensor is chosen, the host kernel is not run."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    device, chosen, out = b.h2d(x), b.tensor(SIZES), b.tensor(SIZES)
    other, end, last = Label(), Label(), Label()
    b.jump_false(p, other)
    b.move(device, chosen)
    b.jump(end)
    b.mark(other)
    b.move(x, chosen)
    b.mark(end)
    q = b.call("aten::relu.out", x, out=SIZES)
    b.jump_false(p, last)
    b.jump(last)
    b.mark(last)
    b.call("aten::sigmoid.out", chosen, out=out)
    b.output(out, q)
    said = report(b)
    assert only(said, "PTE305").severity is Severity.WARNING


def test_a_view_points_at_the_device() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    view = b.tensor((64,), planned=False)
    b.kernel("executorch_prim::et_view.default", x, b.ints([64]), view)
    b.output(b.call("aten::sigmoid.out", view, out=(64,)))
    assert only(report(b), "PTE305").location.value == view


def test_a_list_that_was_moved_holds_what_the_other_held() -> None:
    b = MethodBuilder()
    x, d = b.input(SIZES), b.h2d(b.input(SIZES))
    on_device, on_host = b.tensor_list([d, x]), b.tensor_list([x, x])
    taken = b.tensor_list([x, x])
    b.move(on_device, taken)
    b.output(b.call("aten::stack.out", taken, b.int_value(0), out=(2, *SIZES), dtype="float32"))
    assert only(report(b), "PTE305").location.value == d
    b.move(on_host, taken)
    b.output(b.call("aten::stack.out", taken, b.int_value(0), out=(2, *SIZES), dtype="float32"))
    assert [each.location.instruction for each in report(b).findings if each.rule == "PTE305"] == [
        only(report(b), "PTE305").location.instruction
    ]


def test_a_list_that_replaces_one_on_the_device() -> None:
    b = MethodBuilder()
    x, d = b.input(SIZES), b.h2d(b.input(SIZES))
    taken = b.tensor_list([d, d])
    b.move(b.tensor_list([x, x]), taken)
    b.output(b.call("aten::stack.out", taken, b.int_value(0), out=(2, *SIZES), dtype="float32"))
    assert "PTE305" not in rules(report(b))


def test_host_programs_are_left_alone() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::sigmoid.out", b.input(SIZES), out=SIZES))
    assert rules(report(b)) == []


def test_a_number_put_into_the_slot_of_a_device_tensor_touches_no_memory() -> None:
    b = MethodBuilder()
    x, slot, one = b.input(SIZES), b.tensor(SIZES, device="cuda:0"), b.int_value(1)
    b.kernel("executorch_prim::add.Scalar", one, one, slot)
    b.output(b.call("aten::sigmoid.out", x, out=SIZES))
    assert findings(report(b), "PTE305") == []
    assert verdict(report(b)) == "execute ok"
