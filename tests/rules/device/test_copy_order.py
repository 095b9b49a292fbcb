from __future__ import annotations

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import (
    BACKEND,
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

STEPS = "execution_plan[0].chains[0].instructions"


def reordered(order: list[int], method: MethodBuilder | None = None) -> BuiltProgram:
    """A program with its instructions in another order."""
    return build_program(method or add_method()).replaced(
        STEPS, lambda old: tuple(old[i] for i in order)
    )


def test_the_exporters_order_is_fine() -> None:
    assert rules(report(reordered([0, 1, 2, 3]))) == []
    assert findings(report(island()), "PTE317") == []


def test_a_copy_back_before_the_delegate() -> None:
    said = report(reordered([0, 1, 3, 2]))
    found = only(said, "PTE317")
    assert found.severity is Severity.ERROR
    assert place(found) == (2, 0, 4)
    assert "instruction 3 writes it later" in found.message
    assert verdict(said) == "execute undefined"


def test_a_copy_to_the_device_behind_the_delegate() -> None:
    """A tensor that a copy produces is an input of the delegate wherever the copy stands."""
    found = only(report(reordered([0, 2, 1, 3])), "PTE317")
    assert place(found) == (1, 1, 3)


def test_a_copy_that_is_jumped_over() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    on_device, behind = b.tensor(SIZES, device="cuda:0"), Label()
    b.jump(behind)
    b.call("et_copy::_h2d_copy.out", x, out=on_device)
    b.mark(behind)
    (z,) = b.delegate(BACKEND, [on_device, b.h2d(x)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    said = report(b)
    assert "nothing that runs ever writes it" in only(said, "PTE317").message
    assert verdict(said) == "execute undefined"


def conditional(*, both: bool) -> MethodBuilder:
    """A copy in one branch, or in both."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    on_device = b.tensor(SIZES, device="cuda:0")
    other, end = Label(), Label()
    b.jump_false(p, other)
    b.call("et_copy::_h2d_copy.out", x, out=on_device)
    b.jump(end)
    b.mark(other)
    if both:
        b.call("et_copy::_h2d_copy.out", x, out=on_device)
    b.mark(end)
    (z,) = b.delegate(BACKEND, [on_device, b.h2d(x)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    return b


def test_a_copy_on_one_of_two_paths() -> None:
    said = report(conditional(both=False))
    assert "does not run on every path" in only(said, "PTE317").message
    assert verdict(said) == "execute undefined"


def test_a_copy_on_both_paths_is_fine() -> None:
    assert findings(report(conditional(both=True)), "PTE317") == []


def test_a_branch_hands_on_what_it_has_written() -> None:
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    chosen = b.tensor(SIZES, device="cuda:0")
    other, end = Label(), Label()
    b.jump_false(p, other)
    b.move(b.h2d(x), chosen)
    b.jump(end)
    b.mark(other)
    b.move(b.h2d(x), chosen)
    b.mark(end)
    b.output(b.d2h(chosen))
    assert findings(report(b), "PTE317") == []


def test_a_write_behind_the_move_fills_what_was_handed_on() -> None:
    """The moved value and its source are one tensor: it runs."""
    b = MethodBuilder()
    chosen, source = b.tensor(SIZES, device="cuda:0"), b.tensor(SIZES, device="cuda:0")
    b.move(source, chosen)
    b.call("et_copy::_h2d_copy.out", b.input(SIZES), out=source)
    b.output(b.d2h(chosen))
    said = report(b)
    assert only(said, "PTE317").severity is Severity.WARNING
    assert verdict(said) == "execute ok"


def test_what_was_handed_on_empty_stays_empty() -> None:
    b = MethodBuilder()
    chosen, source = b.tensor(SIZES, device="cuda:0"), b.tensor(SIZES, device="cuda:0")
    b.move(source, chosen)
    b.output(b.d2h(chosen))
    b.call("et_copy::_h2d_copy.out", b.input(SIZES), out=source)
    assert only(report(b), "PTE317").severity is Severity.ERROR


def test_a_freed_tensor_is_null() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    b.free(x)
    (z,) = b.delegate(BACKEND, [x], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    said = report(b)
    assert {place(f) for f in findings(said, "PTE317")} == {(0, 1, x), (2, 0, x)}
    assert verdict(said) == "execute error Internal"


def test_what_only_the_second_run_meets_comes_after_the_first() -> None:
    """The copy of the second run meets the null pointer; the first run ends in undefined data."""
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    on_device = b.h2d(x)
    (z,) = b.delegate(CUDA, [on_device, y], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    b.free(on_device)
    assert verdict(report(b)) == "execute error InvalidArgument"


def test_an_input_whose_place_is_taken() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    y = b.h2d(x)
    b.output(b.d2h(y))
    b.move(y, x)
    assert verdicts(b)["1.4"] == "set_input crash SIGSEGV"
    assert verdicts(b)["1.5"] == "set_input error NotSupported"


def test_a_read_whose_result_is_lost_is_a_warning() -> None:
    """The call runs on garbage first and is made again before anybody looks."""
    said = report(reordered([0, 2, 1, 2, 3]))
    found = only(said, "PTE317")
    assert found.severity is Severity.WARNING
    assert "nobody uses what it makes of it" in found.message
    assert verdict(said) == "execute ok"


def test_an_argument_that_only_the_call_knows() -> None:
    """A copy was deleted: nobody reads the input any more that it took."""
    said = report(reordered([0, 2, 3]))
    found = only(said, "PTE317")
    assert found.severity is Severity.ERROR
    assert "nobody reads input 1, a tensor of the host like it" in found.message
    assert place(found) == (1, 1, 3)
    assert verdict(said) == "execute undefined"


def test_an_argument_that_only_the_call_knows_and_no_source() -> None:
    """Input or unused result: where the input is used elsewhere, the file does not say."""
    b = add_method()
    b.output(b.call("aten::neg.out", b.inputs[1], out=SIZES))
    said = report(reordered([0, 2, 3, 4], b))
    found = only(said, "PTE317")
    assert found.severity is Severity.WARNING
    assert place(found) == (1, 1, 3)
    assert verdict(said) == "execute ok"


def test_an_input_that_nobody_writes() -> None:
    """Another input stands behind it, so it is no result."""
    said = report(reordered([1, 2, 3]))
    assert only(said, "PTE317").severity is Severity.ERROR
    assert verdict(said) == "execute undefined"


def test_a_call_in_place_is_a_warning() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    b.delegate(BACKEND, [x, b.h2d(b.input(SIZES))], [x], device="cuda:0")
    b.output(b.d2h(x))
    said = report(b)
    assert only(said, "PTE317").severity is Severity.WARNING
    assert verdict(said) == "execute ok"


def test_state_on_the_host_may_be_returned_too() -> None:
    b = MethodBuilder()
    state, x = b.tensor(SIZES), b.input(SIZES)
    (made,) = b.delegate(BACKEND, [b.h2d(state)], [SIZES], device="cuda:0")
    new = b.add(b.d2h(made), x)
    b.kernel("aten::copy_", state, new, b.bool_value(False), state)
    b.output(new, state)
    assert findings(report(b), "PTE317") == []


@pytest.mark.parametrize("home", ["cuda:0", "cpu"])
def test_state_without_initial_data(home: str) -> None:
    """Host arenas are zeroed, device arenas are not."""
    b = MethodBuilder()
    state = b.tensor(SIZES, device="cuda:0", home=home)
    x = b.input(SIZES, device="cuda:0", planned=False)
    b.delegate(BACKEND, [state, x], [state], device="cuda:0")
    found = [f for f in findings(report(b), "PTE317") if "initial data" in f.message]
    assert len(found) == (1 if home == "cuda:0" else 0)
    assert all(f.severity is Severity.WARNING for f in found)


def test_what_another_tensor_fills_in_part_only() -> None:
    b = MethodBuilder()
    b.h2d(b.input((1,)), memory_id=2, offset=0)
    view = b.tensor(SIZES, device="cuda:0", memory_id=2, offset=0)
    b.output(b.d2h(view))
    assert only(report(b), "PTE317").severity is Severity.ERROR


def test_a_move_of_no_value_is_not_followed() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    b.move(-(2**31), x)
    b.output(b.d2h(*b.delegate(BACKEND, [x], [SIZES], device="cuda:0")))
    (said,) = pte_lint.check(build_program(b).bytes(), isolated=True).artifacts
    assert said.internal_errors == ()
    assert [f.rule for f in said.findings if f.severity is Severity.ERROR] == ["PTE121"]


def test_the_type_of_an_input_is_looked_at_before_its_memory() -> None:
    b = MethodBuilder()
    x = b.input((8, 8))
    other = b.tensor((8, 8), "int32", device="cuda:0")
    b.output(*b.delegate("SomeBackend", [b.h2d(x)], [(8, 8)], device="cuda:0"))
    b.move(other, x)
    said = report(b, select=("PTE1", "PTE3"))
    assert findings(said, "PTE317") != []
    assert verdict(said) == "set_input error InvalidArgument"
