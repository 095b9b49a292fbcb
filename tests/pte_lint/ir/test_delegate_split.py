"""Where outputs of delegate calls begin; the programs are laid out as the exporter does it."""

from __future__ import annotations

import itertools

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.device import Device
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    BACKEND,
    SIZES,
    findings,
    only,
    place,
    report,
    rules,
    verdict,
)

CUDA: Device = "cuda:0"


def method(b: MethodBuilder, arity: dict[int, tuple[int | None, int]] | None = None) -> Method:
    return Method(build_program(b).program, 0, arity=arity)


def parts(m: Method, call: int = 0) -> tuple[int, int, list[int]]:
    """Inputs, outputs and open positions of one delegate call."""
    step = m.delegate_calls()[call]
    return step.first_output, len(step.args) - step.first_output, list(m.open_arguments(step))


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_every_export_setting(count: int, device: Device) -> None:
    """Unplanned arguments have no place, and so no place in common."""
    for flags in itertools.product((False, True), repeat=4):
        b = exported(count, device, *flags)
        assert parts(method(b)) == (2, count, []), flags
        said = report(b, select=("PTE1", "PTE3"))
        assert findings(said, "PTE317") == findings(said, "PTE129") == [], flags


def exported(count: int, device: Device, *flags: bool) -> MethodBuilder:
    """Two inputs and some results; the flags are those of PropagateDeviceConfig and planning."""
    skip_h2d, skip_d2h, plan_inputs, plan_outputs = flags
    b, copies = MethodBuilder(), device != "cpu"
    where = device if skip_h2d else "cpu"
    fed = [b.input(SIZES, device=where, planned=plan_inputs) for _ in range(2)]
    if copies and not skip_h2d:
        fed = [b.h2d(v) for v in fed]
    direct = not copies or skip_d2h
    planned = plan_outputs or not direct
    results = [b.tensor(SIZES, device=device, planned=planned) for _ in range(count)]
    b.delegate(BACKEND, fed, results, device=device)
    b.output(*(results if direct else (b.d2h(v, planned=plan_outputs) for v in results)))
    return b


def test_a_result_that_goes_on_and_one_that_is_handed_over() -> None:
    """One output is copied into state, the other is the caller's."""
    b = MethodBuilder()
    x, state = b.input(SIZES, planned=False), b.tensor(SIZES)
    new, out = b.tensor(SIZES, device=CUDA), b.tensor(SIZES, device=CUDA, planned=False)
    b.delegate(BACKEND, [b.h2d(x), b.h2d(state)], [new, out], device=CUDA)
    b.kernel("aten::copy_", state, b.d2h(new), b.bool_value(False), state)
    b.output(out)
    said = report(b, select=("PTE1", "PTE3"))
    assert parts(method(b)) == (2, 2, [])
    assert rules(said) == []
    assert verdict(said) == "execute ok"


def test_without_inputs_and_without_outputs() -> None:
    b = MethodBuilder()
    (only_out,) = b.delegate(BACKEND, [], [SIZES])
    b.delegate(BACKEND, [b.input(SIZES)], [])
    b.output(only_out)
    m = method(b)
    assert parts(m, 0) == (0, 1, [])
    assert parts(m, 1) == (1, 0, [])


def test_a_call_that_changes_its_input() -> None:
    """The exporter gives a mutated buffer back as an output of its own; a tool may not."""
    b = MethodBuilder()
    x = b.input(SIZES)
    on_device = b.h2d(x)
    b.delegate(BACKEND, [on_device], [on_device], device=CUDA)
    b.output(b.d2h(on_device))
    assert parts(method(b)) == (1, 1, [])


def test_a_call_that_else_gives_nothing_gives_its_last_tensor() -> None:
    """Written before, and read afterwards; a tensor of the caller's stays an input."""
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    b.delegate(BACKEND, [b.add(x, x), y], [])
    first, last = b.h2d(x), b.h2d(y)
    b.delegate(BACKEND, [first, last], [], device=CUDA)
    b.output(b.d2h(last))
    m = method(b)
    assert [parts(m, n) for n in (0, 1)] == [(2, 0, []), (1, 1, [])]


def test_one_tensor_twice() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(BACKEND, [x, x], [SIZES])
    b.output(z, x)
    m = method(b)
    assert parts(m) == (2, 1, [])
    (step,) = m.delegate_calls()
    assert (step.reads, step.writes) == ((x, x), (z,))


def test_an_input_that_is_an_output_of_the_method_too() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, planned=False)
    (z,) = b.delegate(BACKEND, [x], [SIZES])
    b.output(x, z)
    assert parts(method(b)) == (1, 1, [])


def test_numbers_stand_among_the_inputs() -> None:
    b = MethodBuilder()
    x, n = b.input(SIZES), b.int_value(0)
    b.kernel("aten::sym_size.int", x, b.int_value(0), n)
    (z,) = b.delegate(BACKEND, [n, x, b.int_value(7)], [SIZES])
    b.output(z)
    assert parts(method(b))[:2] == (3, 1)


def test_chained_calls() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    first, second = b.delegate(BACKEND, [b.h2d(x)], [SIZES, SIZES], device=CUDA)
    (last,) = b.delegate(BACKEND, [first, second], [SIZES], device=CUDA)
    b.output(b.d2h(last), b.d2h(second))
    m = method(b)
    assert [parts(m, n) for n in (0, 1)] == [(1, 2, []), (2, 1, [])]


def test_calls_in_branches_and_loops() -> None:
    """A call may run again, and what a branch moves into a value is no delegate's result."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    chosen = b.tensor(SIZES)
    top = b.mark()
    (one,) = b.delegate(BACKEND, [x], [SIZES])
    b.move(one, chosen)
    b.delegate(BACKEND, [chosen], [SIZES])
    b.jump_false(p, top)
    (two,) = b.delegate(BACKEND, [x, chosen], [SIZES])
    b.output(two)
    m = method(b)
    assert [parts(m, n)[:2] for n in range(3)] == [(1, 1), (1, 1), (2, 1)]


def test_the_blob_decides() -> None:
    b = MethodBuilder()
    x, y = b.input(SIZES), b.tensor(SIZES)
    b.delegate(BACKEND, [x], [y, SIZES])
    b.output(y)
    assert parts(method(b)) == (1, 2, [])
    assert parts(method(b, {0: (2, 1)})) == (2, 1, [])
    assert parts(method(b, {0: (None, 1)})) == (2, 1, [])
    assert parts(method(b, {0: (9, 1)})) == (1, 2, []), "more than the call has: not this blob"


def test_a_view_before_the_results_stays_open_where_its_base_has_its_bytes() -> None:
    """An input that is an elided view looks like a result that takes over dead memory."""
    b = MethodBuilder()
    x = b.input(SIZES, memory_id=1, offset=0)
    lit = b.call("aten::sigmoid.out", x, out=b.tensor(SIZES, memory_id=1, offset=256))
    gap = b.call("aten::sigmoid.out", x, out=b.tensor(SIZES, memory_id=1, offset=512))
    view = b.tensor((64,), memory_id=1, offset=256)
    (z,) = b.delegate(BACKEND, [gap, view], [b.tensor(SIZES, memory_id=1, offset=768)])
    b.output(b.call("aten::neg.out", view, out=b.tensor((64,), memory_id=1, offset=0)), z)
    assert lit != view
    assert parts(method(b))[2] == [1]
    assert rules(report(b, select=("PTE1", "PTE2", "PTE3"))) == []


def lost_copy(*, again: bool) -> MethodBuilder:
    """A call whose last input nothing writes; `again`: the blob is called as it should be too."""
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    lost = b.tensor(SIZES, device=CUDA)
    (z,) = b.delegate(BACKEND, [b.h2d(x), lost], [SIZES], device=CUDA)
    b.output(b.d2h(z))
    if again:
        right, out = [b.h2d(y), b.h2d(x)], b.tensor(SIZES, device=CUDA)
        b.delegate(BACKEND, right, [out], device=CUDA)
        b.output(b.d2h(out))
    b.call("aten::neg.out", y, out=SIZES)
    return b


def test_what_nothing_tells_is_neither_an_error_nor_passed_over() -> None:
    b = lost_copy(again=False)
    assert parts(method(b)) == (1, 2, [1])
    found = only(report(b), "PTE317")
    assert found.severity is Severity.WARNING
    assert place(found) == (1, 1, 2)
    assert verdict(report(b)) == "execute ok"


def test_another_call_of_the_blob_tells() -> None:
    b = lost_copy(again=True)
    one = build_program(b).replaced(
        "execution_plan[0].delegates",
        lambda table: (table[0], table[0]),
    )
    assert parts(Method(one.program, 0)) == (2, 1, [])
    found = only(report(one), "PTE317")
    assert found.severity is Severity.ERROR
    assert place(found) == (1, 1, 2)
    assert verdict(report(one)) == "execute undefined"
