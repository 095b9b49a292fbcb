"""Valid device programs with one or two things moved, compared with a brute-force oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pte_lint.schema.program import (
    AllocationDetails,
    DelegateCall,
    ExecutionPlan,
    ExtraTensorInfo,
    FreeCall,
    KernelCall,
    MoveCall,
    NonConstBufferDevice,
    Program,
    Tensor,
)

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.builder import D2H, H2D, Label, MethodBuilder, instruction
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import BACKEND, CUDA, SIZES, add_method, island, report
from tests.support.oracle import OK, Foreign, outcomes

Arity = dict[int, int]
Base = tuple[BuiltProgram, Arity]
PLAN = "execution_plan[0]"
STEPS = f"{PLAN}.chains[0].instructions"


def two_devices() -> MethodBuilder:
    b = MethodBuilder()
    (z,) = b.delegate(BACKEND, [b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    (w,) = b.delegate(BACKEND, [b.h2d(b.d2h(z), device="cuda:1")], [SIZES], device="cuda:1")
    b.output(b.d2h(w))
    return b


def branches(*, on_device: bool) -> MethodBuilder:
    """torch.cond on a host predicate; the branches' results are on the host or on the device."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    chosen = b.tensor(SIZES, device="cuda:0" if on_device else "cpu")
    other, end = Label(), Label()
    made = []
    for operator in ("aten::relu.out", "aten::sigmoid.out"):
        made.append((operator, b.tensor(SIZES)))
    b.jump_false(p, other)
    for n, (operator, out) in enumerate(made):
        if n == 1:
            b.jump(end)
            b.mark(other)
        b.call(operator, x, out=out)
        b.move(b.h2d(out) if on_device else out, chosen)
    b.mark(end)
    (z,) = b.delegate(
        BACKEND, [chosen if on_device else b.h2d(chosen), b.h2d(x)], [SIZES], device="cuda:0"
    )
    b.output(b.d2h(z))
    return b


def stateful() -> MethodBuilder:
    """Host state that is copied to the device at each run and updated in place."""
    b = MethodBuilder()
    x = b.input(SIZES)
    state = b.state(SIZES, initial=[1.0] * 64)
    (z,) = b.delegate(BACKEND, [b.h2d(state), b.h2d(x)], [SIZES], device="cuda:0")
    out = b.d2h(z)
    b.kernel("aten::copy_", state, out, b.bool_value(False), state)
    b.output(out)
    return b


def weighted() -> MethodBuilder:
    b = MethodBuilder()
    w = b.constant([1.0] * 64, SIZES)
    (z,) = b.delegate(BACKEND, [b.h2d(b.input(SIZES)), b.h2d(w)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    return b


def bases() -> dict[str, Base]:
    """Valid programs, with the number of inputs of each delegate."""
    two = {0: 2}
    paired = {"plan_inputs": False, "plan_outputs": False}
    return {
        "default": (build_program(add_method()), two),
        "cuda": (build_program(add_method(backend=CUDA)), two),
        "paired": (build_program(add_method(skip_h2d=True, skip_d2h=True, **paired)), two),
        "cuda paired": (
            build_program(add_method(backend=CUDA, skip_h2d=True, skip_d2h=True, **paired)),
            two,
        ),
        "kept": (build_program(add_method(skip_d2h=True)), two),
        "unplanned": (build_program(add_method(plan_inputs=False)), two),
        "island": (build_program(island()), {0: 2, 1: 2}),
        "two devices": (build_program(two_devices()), {0: 1, 1: 1}),
        "host branches": (build_program(branches(on_device=False)), two),
        "device branches": (build_program(branches(on_device=True)), two),
        "state": (build_program(stateful()), two),
        "weight": (build_program(weighted()), two),
    }


BASES = bases()
Edit = Callable[[st.DataObject, BuiltProgram], BuiltProgram]


def plan_of(built: BuiltProgram) -> ExecutionPlan:
    return (built.program.execution_plan or ())[0]


def tensors(built: BuiltProgram) -> list[int]:
    """Tensor values of the common sizes."""
    values = plan_of(built).values or ()
    return [v for v, e in enumerate(values) if isinstance(e.val, Tensor) and e.val.sizes == SIZES]


def retag(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    v = data.draw(st.sampled_from(tensors(built)), "tensor")
    tag = data.draw(st.sampled_from([(0, 0), (1, 0), (5, 0), (1, -1), (1, -2)]), "tag")
    path = f"{PLAN}.values[{v}].val.extra_tensor_info"
    return built.replaced(path, ExtraTensorInfo(device_type=tag[0], device_index=tag[1]))


def rehome(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    v = data.draw(st.sampled_from(tensors(built)), "tensor")
    sizes = list(plan_of(built).non_const_buffer_sizes or ())
    assume(len(sizes) > 1)
    arena = data.draw(st.integers(1, len(sizes) - 1), "arena")
    tensor = (plan_of(built).values or ())[v].val
    assert isinstance(tensor, Tensor)
    assume(tensor.data_buffer_idx == 0 or tensor.allocation_info is not None)
    place = AllocationDetails(arena, sizes[arena])
    sizes[arena] += 256
    moved = built.replaced(f"{PLAN}.values[{v}].val.allocation_info", place)
    return moved.replaced(f"{PLAN}.non_const_buffer_sizes", tuple(sizes))


def unplan(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    v = data.draw(st.sampled_from(tensors(built)), "tensor")
    tensor = (plan_of(built).values or ())[v].val
    assume(isinstance(tensor, Tensor) and tensor.data_buffer_idx == 0)
    return built.replaced(f"{PLAN}.values[{v}].val.allocation_info", None)


def relist(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    count = len(plan_of(built).non_const_buffer_sizes or ())
    entry = st.builds(
        NonConstBufferDevice,
        buffer_idx=st.integers(-1, count),
        device_type=st.sampled_from([0, 1, 1, 1, 2]),
        device_index=st.just(0),
    )
    old = plan_of(built).non_const_buffer_device or ()
    new = data.draw(
        st.one_of(
            st.just(()),
            entry.map(lambda e: (e, *old)),
            entry.map(lambda e: (*old, e)),
            st.lists(entry, max_size=2).map(tuple),
        ),
        "device list",
    )
    return built.replaced(f"{PLAN}.non_const_buffer_device", new)


def copies(built: BuiltProgram) -> list[int]:
    plan = plan_of(built)
    names = [f"{o.name}.{o.overload}" for o in plan.operators or ()]
    (chain,) = plan.chains or ()
    return [
        n
        for n, i in enumerate(chain.instructions or ())
        if isinstance(i.instr_args, KernelCall) and names[i.instr_args.op_index] in (H2D, D2H)
    ]


def recopy(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    """Another direction, swapped or missing arguments."""
    found = copies(built)
    assume(found)
    n = data.draw(st.sampled_from(found), "copy")
    path = f"{STEPS}[{n}].instr_args"
    change = data.draw(st.sampled_from(["direction", "reverse", "short"]), "change")
    if change == "direction":
        names = [f"{o.name}.{o.overload}" for o in plan_of(built).operators or ()]
        assume(H2D in names and D2H in names)
        flip = {names.index(H2D): names.index(D2H), names.index(D2H): names.index(H2D)}
        return built.replaced(f"{path}.op_index", lambda op: flip[op])
    if change == "reverse":
        return built.replaced(f"{path}.args", lambda a: (a[1], a[0], a[0]))
    return built.replaced(f"{path}.args", lambda a: a[:2])


def reargue(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    """Another tensor as an input of a delegate, or as the source of a copy."""
    (chain,) = plan_of(built).chains or ()
    calls = [
        n
        for n, i in enumerate(chain.instructions or ())
        if isinstance(i.instr_args, DelegateCall) or n in copies(built)
    ]
    n = data.draw(st.sampled_from(calls), "call")
    v = data.draw(st.sampled_from(tensors(built)), "argument")
    call = (chain.instructions or ())[n].instr_args
    assert isinstance(call, KernelCall | DelegateCall)
    assume(v not in (call.args or ())[-1:])
    return built.replaced(f"{STEPS}[{n}].instr_args.args[0]", v)


def reorder(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    (chain,) = plan_of(built).chains or ()
    steps = list(chain.instructions or ())
    assume(len(steps) > 1)
    n = data.draw(st.integers(0, len(steps) - 2), "first of the pair")
    straight = (KernelCall, DelegateCall, MoveCall)
    assume(all(isinstance(s.instr_args, straight) for s in steps[n : n + 2]))
    steps[n], steps[n + 1] = steps[n + 1], steps[n]
    return built.replaced(STEPS, tuple(steps))


def insert(data: st.DataObject, built: BuiltProgram) -> BuiltProgram:
    """A move or a free at the end, where no jump counts instructions."""
    v, w = (data.draw(st.sampled_from(tensors(built)), "value") for _ in range(2))
    made = instruction(data.draw(st.sampled_from([MoveCall(v, w), FreeCall(v)]), "instruction"))
    assume(v != w)
    return built.replaced(STEPS, lambda old: (*old, made))


def takes_an_input_away(built: BuiltProgram) -> bool:
    """A move over an unplanned input, with another run to follow.

    The next set_input would then point another tensor at the caller's memory, which the residency
    does not follow.
    """
    plan = plan_of(built)
    (chain,) = plan.chains or ()
    for step in chain.instructions or ():
        call = step.instr_args
        if isinstance(call, MoveCall) and call.move_to in (plan.inputs or ()):
            target = (plan.values or ())[call.move_to].val
            if isinstance(target, Tensor) and target.allocation_info is None:
                return True
    return False


EDITS: list[Edit] = [retag, rehome, unplan, relist, recopy, reargue, reorder, insert]


def agree(said: Any, expected: set[tuple[str, str, str | None]]) -> bool:
    """True when the verdict is one that the oracle has seen, or the file runs on all paths."""
    told = (str(said.stage), str(said.outcome), said.error or said.signal)
    if expected == {OK}:
        return said.outcome is Outcome.OK
    return told in expected and told != OK


def check(built: BuiltProgram, arity: Arity, version: str) -> None:
    assume(not takes_an_input_away(built))
    try:
        expected = outcomes(built.program, version, arity)
    except Foreign:
        assume(False)
    said = report(built, target=version)
    if said.verdict[0].outcome is Outcome.OK and expected != {OK}:
        # Garbage that never comes near a device is told by the data-flow rules.
        said = report(built, target=version, select=("PTE1", "PTE3"))
    doubtful = [f.message for f in said.findings if f.rule == "PTE317" and f.severity != "error"]
    (verdict,) = said.verdict
    if verdict.outcome is Outcome.OK and doubtful:
        assume(False)  # an input or a result: the file does not say, and neither does pte-lint
    errors = [(f.rule, f.message) for f in said.findings if f.severity == "error"]
    assert agree(verdict, expected), (expected, verdict, errors)


@pytest.mark.parametrize("version", ["1.4", "1.5"])
@pytest.mark.parametrize("name", BASES)
def test_the_bases_are_valid(name: str, version: str) -> None:
    built, arity = BASES[name]
    assert outcomes(built.program, version, arity) == {OK}
    assert report(built, target=version).verdict[0].outcome is Outcome.OK


SLOW = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@SLOW
@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e.__name__)
@given(data=st.data())
def test_one_edit(edit: Edit, data: st.DataObject) -> None:
    built, arity = BASES[data.draw(st.sampled_from(sorted(BASES)), "base")]
    check(edit(data, built), arity, data.draw(st.sampled_from(["1.4", "1.5"]), "version"))


@settings(parent=SLOW, max_examples=300)
@given(data=st.data())
def test_two_edits(data: st.DataObject) -> None:
    built, arity = BASES[data.draw(st.sampled_from(sorted(BASES)), "base")]
    for _ in range(2):
        built = data.draw(st.sampled_from(EDITS), "edit")(data, built)
    check(built, arity, data.draw(st.sampled_from(["1.4", "1.5"]), "version"))


def test_every_proven_fault_is_reported() -> None:
    """No fault falls between two rules."""
    from pte_lint.questions.method import Method

    for built, _ in BASES.values():
        program: Program = built.program
        for v in tensors(built):
            edited = replace(built, program=built.program).replaced(
                f"{PLAN}.values[{v}].val.extra_tensor_info", ExtraTensorInfo(device_type=1)
            )
            method = Method(edited.program, 0)
            proven = {
                (str(f.cause), f.value)
                for f in method.placement.faults
                if f.certain and any(f.forecast.full)
            }
            told = {(f.name, f.location.value) for f in report(edited).findings}
            names = {name for name, _ in told}
            assert {blame for blame, _ in proven} <= names, (v, proven, told)
        assert program is built.program
