"""How said and seen are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.claims.forecast import Prediction, Stage, crash, error, undefined
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.fuzz.comparison import Comparison, Kind, Original, compare
from tests.fuzz.explain import (
    BRANCH,
    DELEGATE,
    DEVICES,
    HARMLESS,
    KERNEL,
    NOTHING,
    ORDER,
    RESOURCES,
    STATE,
    agrees,
)
from tests.fuzz.oracle import CALLS, Ending, MethodSeen, Observation, Seen
from tests.fuzz.verdicts import judgement
from tests.support.examples import adder

LOADED = Ending("program", "load_program", "ok")
RUNS = Ending("default", "execute", "ok", outputs=("a",), visited=((0, 0, 99),))


def compared(
    program: BuiltProgram,
    *endings: Ending,
    unwritten: tuple[tuple[str, str], ...] = (),
    original: Original | None = None,
) -> Comparison:
    """The comparison of a program of one method with endings of its calls."""
    return compared_as(program, MethodSeen(0, "forward", endings, unwritten), original)


def compared_as(
    program: BuiltProgram, method: MethodSeen, original: Original | None = None
) -> Comparison:
    """The comparison of a program of one method with what was seen of it."""
    seen = Seen(LOADED, (method,))
    return compare(Observation(seen, seen), judgement(program.bytes(), ()), original)


def fails(stage: str, outcome: str, detail: str | None = None, **more: object) -> Ending:
    return replace(Ending("default", stage, outcome, detail), **more)  # type: ignore[arg-type]


GOOD = build_program(adder())
REFUSED = GOOD.replaced("execution_plan[0].chains", None)


@pytest.mark.parametrize(
    ("said", "seen", "same"),
    [
        (error(Stage.EXECUTE, "Internal"), fails("execute", "error", "Internal"), True),
        (error(Stage.EXECUTE, "Internal"), fails("execute", "error", "NotFound"), False),
        (error(Stage.EXECUTE, "Internal"), fails("load_method", "error", "Internal"), False),
        (crash(Stage.EXECUTE), fails("execute", "crash", "SIGABRT"), True),
        (crash(Stage.EXECUTE, "SIGSEGV"), fails("execute", "crash", "SIGABRT"), False),
        (crash(Stage.EXECUTE), fails("execute", "error", "Internal"), False),
        (undefined(Stage.SET_INPUT), fails("execute", "crash", "SIGSEGV"), True),
        (undefined(Stage.EXECUTE), fails("load_method", "error", "Internal"), False),
        (undefined(Stage.EXECUTE), fails("set_input", "crash", "SIGSEGV"), False),
        (undefined(Stage.EXECUTE), fails("set_input", "crash", "SIGSEGV", outputs=("a",)), True),
    ],
)
def test_predictions_and_endings(said: Prediction, seen: Ending, same: bool) -> None:
    assert agrees(said, seen) is same


def test_what_runs_and_was_said_to() -> None:
    assert compared(GOOD, RUNS).kind is Kind.AGREE_OK


def test_what_fails_and_was_not_said_to() -> None:
    found = compared(GOOD, fails("load_method", "error", "Internal"))
    assert (found.kind, found.method) == (Kind.MISSED, 0)
    found = compared(GOOD, fails("execute", "crash", "SIGSEGV", chain=0, instruction=0))
    assert found.kind is Kind.MISSED


def test_what_runs_and_was_said_to_fail() -> None:
    assert compared(REFUSED, RUNS).kind is Kind.FALSE_ALARM


def test_what_fails_otherwise() -> None:
    assert compared(REFUSED, fails("load_method", "error", "InvalidProgram")).kind is Kind.AGREE_BAD
    assert compared(REFUSED, fails("load_method", "error", "Internal")).kind is Kind.OTHER
    assert compared(REFUSED, fails("set_input", "error", "InvalidProgram")).kind is Kind.OTHER


def test_any_call_that_fails_as_said_will_do() -> None:
    endings = RUNS, fails("load_method", "error", "InvalidProgram", call="rising")
    assert compared(REFUSED, *endings).kind is Kind.AGREE_BAD


def test_checks_of_kernels() -> None:
    refused = fails("execute", "error", "InvalidArgument", chain=0, instruction=0)
    assert compared(GOOD, refused).category == KERNEL
    counted = fails("execute", "error", "InvalidProgram", chain=0, instruction=0)
    assert compared(GOOD, counted).kind is Kind.MISSED
    converted = fails(
        "execute", "crash", "SIGABRT", chain=0, instruction=0, logs=("F evalue.h:348 no tensor",)
    )
    assert compared(GOOD, converted).kind is Kind.MISSED
    own = replace(converted, logs=("F op_add.cpp:12 no",))
    assert compared(GOOD, own).category == KERNEL


def test_limits_of_the_sandbox() -> None:
    assert compared(GOOD, fails("execute", "timeout")).category == RESOURCES
    outside = fails("load_method", "error", "MemoryAllocationFailed")
    assert compared(GOOD, outside).category == RESOURCES
    outside = replace(outside, logs=("E hierarchical_allocator.h:102 offset_bytes",))
    assert compared(GOOD, outside).kind is Kind.MISSED


def test_memory_on_another_index_is_announced() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input((2, 2)))
    b.output(b.d2h(b.delegate("SomeBackend", [x], [(2, 2)], device="cuda:0")[0]))
    program = build_program(b)
    other = program.replaced(
        "execution_plan[0].non_const_buffer_device", (NonConstBufferDevice(2, 1, 1),)
    )
    seen = fails("execute", "undefined")
    lies = "pointer lies on cuda:1, "
    odd = (
        lies + "the delegate runs on cuda:0",
        lies + "the delegate runs on cuda:0; tag cuda:1 is not cuda:0",
        lies + "copy asked for index 0",
    )
    index = replace(seen, remarks=odd)
    assert compared(other, index).category == DEVICES
    # The same without a warning, and something else that is wrong.
    assert compared(program, index).kind is Kind.MISSED
    host = replace(index, remarks=(*index.remarks, "pointer is null"))
    assert compared(other, host).kind is Kind.MISSED


def test_a_free_in_a_branch_that_no_call_took() -> None:
    b = MethodBuilder()
    x, flag = b.input((2, 2)), b.input((), "bool")
    over = Label()
    y = b.add(x, x)
    b.jump_false(flag, over)
    b.free(x)
    b.mark(over)
    b.output(y)
    program = build_program(b)
    skipped = replace(RUNS, visited=((0, 0, 1),))
    assert compared(program, skipped).category == BRANCH
    assert compared(program, replace(RUNS, visited=((0, 0, 2),))).kind is Kind.FALSE_ALARM


def test_garbage_that_is_handed_on_proves_what_was_said() -> None:
    program = unwritten_output()
    seen = MethodSeen(0, "forward", (RUNS,), passed_on=(("host", "delegate argument"),))
    assert compared_as(program, seen).kind is Kind.AGREE_BAD
    assert compared_as(GOOD, seen).kind is Kind.AGREE_OK


def unwritten_output() -> BuiltProgram:
    b = adder()
    b.output(b.tensor((2, 2)))
    return build_program(b)


def test_undefined_behaviour_shows_in_results() -> None:
    program = unwritten_output()
    assert compared(program, RUNS).category == HARMLESS
    depends = compared(program, RUNS, unwritten=(("host", "output"),))
    assert depends.kind is Kind.AGREE_BAD
    before = Original((MethodSeen(0, "forward", (replace(RUNS, outputs=("b",)),)),))
    assert compared(program, RUNS, original=before).kind is Kind.AGREE_BAD


def test_results_that_depend_on_memory_that_nothing_wrote() -> None:
    found = compared(GOOD, RUNS, unwritten=(("host", "output"),))
    assert found.kind is Kind.MISSED
    b = adder()
    state = b.state((2, 2))
    total = b.add(state, 0)
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    found = compared(build_program(b), RUNS, unwritten=(("host", "output"),))
    assert found.category == STATE
    before = Original((MethodSeen(0, "forward", (RUNS,), (("host", "output"),)),))
    assert compared(GOOD, RUNS, unwritten=(("host", "output"),), original=before).kind is (
        Kind.AGREE_OK
    )


def test_results_that_must_not_change() -> None:
    other = (MethodSeen(0, "forward", (replace(RUNS, outputs=("b",)),)),)
    assert compared(GOOD, RUNS, original=Original(other)).kind is Kind.AGREE_OK
    assert compared(GOOD, RUNS, original=Original(other, same_meaning=True)).kind is Kind.MISSED


def test_the_order_inside_a_kernel_is_a_warnings_matter() -> None:
    b = MethodBuilder()
    x = b.input((1, 2, 2, 2), memory_id=1, offset=4096)
    weight, bias = b.input((2,)), b.input((2,), memory_id=1, offset=8192)
    outs = [b.tensor((1, 2, 2, 2)), b.tensor((2,)), b.tensor((2,), memory_id=1, offset=8192)]
    numbers = b.bool_value(True), b.double_value(0.1), b.double_value(1e-5)
    name = "aten::_native_batch_norm_legit.no_stats_out"
    b.kernel(name, x, weight, bias, *numbers, *outs, b.tensor_list(outs))
    b.output(outs[0])
    before = (MethodSeen(0, "forward", (replace(RUNS, outputs=("b",)),)),)
    found = compared(build_program(b), RUNS, original=Original(before, same_meaning=True))
    assert found.category == ORDER
    assert compared(GOOD, RUNS, original=Original(before, same_meaning=True)).kind is Kind.MISSED


def test_branches_that_no_call_took() -> None:
    b = adder()
    end = Label()
    b.jump_false(b.input((), "bool"), end)
    b.kernel("aten::relu.out", 0)
    b.mark(end)
    program = build_program(b)
    assert compared(program, replace(RUNS, visited=((0, 0, 1),))).category == BRANCH
    assert compared(program, RUNS).kind is Kind.FALSE_ALARM


def test_loops_that_no_call_went_round() -> None:
    b = adder()
    b.jump_false(b.input((), "bool"), 0)
    program = build_program(b)
    assert compared(program, RUNS).category == BRANCH
    assert compared(program, replace(RUNS, turned_back=((0, 1),))).kind is Kind.FALSE_ALARM


def test_calls_that_were_not_made_are_made_up_for() -> None:
    for calls, is_thorough in ((1, False), (4, True)):
        endings = tuple(fails("execute", "error", "Internal", call=each) for each in CALLS[:calls])
        seen = Seen(LOADED, (MethodSeen(0, "forward", endings),))
        assert Observation(seen, seen).is_thorough is is_thorough
    seen = Seen(LOADED, (MethodSeen(0, "forward", (RUNS,)),))
    assert Observation(seen, seen).is_thorough


def test_programs_without_methods() -> None:
    program = GOOD.replaced("execution_plan", ())
    seen = Seen(LOADED)
    assert compare(Observation(seen, seen), judgement(program.bytes(), ())).category == NOTHING


def test_a_probe_that_says_nothing() -> None:
    seen = Seen(LOADED, known=False)
    found = compare(Observation(seen, seen), judgement(GOOD.bytes(), ()))
    assert found.kind is Kind.INCONCLUSIVE


def test_both_levels_count() -> None:
    refused = Ending("program", "load_program", "error", "InvalidProgram")
    program = GOOD.replaced("execution_plan[0].values[0].val.scalar_type", 77)
    said = judgement(program.bytes(), ())
    missing = MethodSeen(0, "forward", (fails("load_method", "error", "InvalidProgram"),))
    agreed = Observation(Seen(refused), Seen(LOADED, (missing,)))
    assert compare(agreed, said).kind is Kind.AGREE_BAD
    other = MethodSeen(0, "forward", (fails("load_method", "error", "Internal"),))
    assert compare(Observation(Seen(refused), Seen(LOADED, (other,))), said).level == "minimal"


def test_methods_with_one_name() -> None:
    b = MethodBuilder("forward")
    b.output(b.add(b.input((2,)), b.input((2,))))
    program = build_program(b, adder())
    first = MethodSeen(0, "forward", (RUNS,))
    second = MethodSeen(1, "forward", (fails("execute", "error", "Internal"),))
    seen = Seen(LOADED, (first, second))
    found = compare(Observation(seen, seen), judgement(program.bytes(), ()))
    # PTE103 says that whoever asks for the second method gets the first; no run here asks for it.
    assert (found.kind, found.category) == (
        Kind.INCONCLUSIVE,
        "undefined behaviour that did not show",
    )


def test_a_crash_inside_a_changed_blob() -> None:
    crashed = fails("load_method", "crash", "SIGSEGV")
    assert compared(GOOD, crashed).kind is Kind.MISSED
    changed = Original(changed_blob=True)
    assert compared(GOOD, crashed, original=changed).category == DELEGATE
    # What the runtime itself says is not the delegate's.
    said = replace(crashed, logs=("E method.cpp:1 no",))
    assert compared(GOOD, said, original=changed).kind is Kind.MISSED


def test_delegates_are_loaded_before_what_comes_later() -> None:
    b = adder()
    b.output(b.tensor((2, 2)))
    refused = fails("load_method", "error", "Internal", logs=("E XNNCompiler.cpp:838 no",))
    assert compared(build_program(b), refused).category == DELEGATE
    assert compared(REFUSED, refused).category == DELEGATE
    early = GOOD.replaced("execution_plan[0].values[0].val.sizes", None)
    assert compared(early, refused).kind is Kind.OTHER


def test_kernels_run_before_outputs_are_asked_for() -> None:
    program = GOOD.replaced("execution_plan[0].outputs", (99,))
    kernel = fails("execute", "error", "InvalidArgument", chain=0, instruction=0)
    assert compared(program, kernel).category == KERNEL


def test_two_conditions_that_no_call_left_at_false() -> None:
    b = MethodBuilder()
    x, slot = b.input((2, 2)), b.tensor((2, 2), planned=False)
    for _ in range(2):
        over = Label()
        b.jump_false(b.input((), "bool"), over)
        b.move(x, slot)
        b.mark(over)
    b.output(b.add(slot, x))
    program = build_program(b)
    one_each = tuple(
        replace(RUNS, visited=visited)
        for visited in (((0, 0, 2), (0, 4, 4)), ((0, 0, 0), (0, 2, 4)))
    )
    assert compared(program, *one_each).category == BRANCH
    neither = replace(RUNS, visited=((0, 0, 0), (0, 2, 2), (0, 4, 4)))
    assert compared(program, *one_each, neither).kind is Kind.FALSE_ALARM


def test_a_second_run_that_no_call_spoilt() -> None:
    b = MethodBuilder()
    x, flag, alpha = b.input((2, 2)), b.input((), "bool"), b.int_value(1)
    els, end, out = Label(), Label(), b.tensor((2, 2))
    b.jump_false(flag, els)
    b.kernel("aten::add.out", x, x, alpha, out, out)
    b.jump(end)
    b.mark(els)
    b.move(x, alpha)
    b.mark(end)
    b.output(x)
    program = build_program(b)
    one, other = ((0, 0, 2),), ((0, 0, 0), (0, 3, 3))
    calls = [replace(RUNS, visited=visited) for visited in (one, other)]
    assert compared(program, *calls).category == BRANCH
    both = replace(RUNS, visited=(*one, *other))
    assert compared(program, both).kind is Kind.FALSE_ALARM
