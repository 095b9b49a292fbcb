"""Numbers mean what they meant in the file, and jumps follow their instructions."""

from __future__ import annotations

import pytest
from pte_lint.schema.program import (
    Chain,
    EValue,
    ExecutionPlan,
    Frame,
    FrameList,
    Instruction,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Null,
    Operator,
    OptionalTensorList,
    Tensor,
)

from pte_lint.edits.plan_draft import EditError, PlanDraft, kernel_call


def call(operator: int, *args: int) -> Instruction:
    return kernel_call(operator, args)


def jump(condition: int, to: int) -> Instruction:
    return Instruction(4, JumpFalseCall(condition, to))


def plan(*chains: Chain, values: int = 4) -> ExecutionPlan:
    return ExecutionPlan(
        name="forward",
        values=tuple(EValue(2, Int(n)) for n in range(values)),
        inputs=(0,),
        outputs=(values - 1,),
        chains=chains,
        operators=(Operator("a", ""), Operator("b", "out")),
    )


def destinations(changed: ExecutionPlan) -> list[int]:
    return [
        i.instr_args.destination_instruction
        for chain in changed.chains or ()
        for i in chain.instructions or ()
        if isinstance(i.instr_args, JumpFalseCall)
    ]


def called(changed: ExecutionPlan, chain: int = 0) -> list[tuple[int, ...] | str]:
    instructions = (changed.chains or ())[chain].instructions or ()
    return [
        i.instr_args.args or () if isinstance(i.instr_args, KernelCall) else "jump"
        for i in instructions
    ]


def test_nothing_done_changes_nothing() -> None:
    same = plan(Chain(instructions=(call(0, 1), jump(0, 2), call(1, 2))), Chain(), values=3)
    assert PlanDraft(same).finish() == same


def test_absent_vectors_stay_absent_until_something_comes_in() -> None:
    assert PlanDraft(ExecutionPlan()).finish() == ExecutionPlan()
    draft = PlanDraft(ExecutionPlan())
    assert draft.add_tensor(Tensor()) == 0
    assert draft.finish().values == (EValue(5, Tensor()),)
    assert draft.finish().operators is None


def test_jumps_lead_to_their_instructions_whatever_comes_between() -> None:
    draft = PlanDraft(
        plan(Chain(instructions=(jump(0, 2), call(0, 1), call(0, 2), jump(1, 1), jump(2, 5))))
    )
    draft.insert_before(1, call(1, 0))
    draft.insert_after(1, call(1, 9))
    draft.insert_after(1, call(1, 10))
    draft.insert_before(2, call(1, 20))
    changed = draft.finish()
    assert called(changed) == ["jump", (0,), (1,), (9,), (10,), (20,), (2,), "jump", "jump"]
    # To what was put before 2, to what was put before 1, and to the end.
    assert destinations(changed) == [5, 1, 9]


def test_what_jumped_to_a_dropped_instruction_goes_on_with_the_next() -> None:
    draft = PlanDraft(plan(Chain(instructions=(jump(0, 1), call(0, 1), call(0, 2), jump(1, 2)))))
    draft.drop(1)
    draft.insert_before(2, call(1, 20))
    draft.drop(2)
    assert called(draft.finish()) == ["jump", (20,), "jump"]
    assert destinations(draft.finish()) == [1, 1]
    with pytest.raises(EditError, match="no instruction 1"):
        draft.drop(1)
    with pytest.raises(EditError, match="no instruction 4"):
        draft.insert_before(4, call(0))


def test_instructions_are_counted_over_all_chains() -> None:
    first, second = Chain(instructions=(call(0, 0),)), Chain(instructions=(call(0, 1), jump(0, 0)))
    draft = PlanDraft(plan(first, second))
    draft.insert_before(1, call(1, 5))
    changed = draft.finish()
    assert called(changed, 0) == [(0,)]
    assert called(changed, 1) == [(5,), (1,), "jump"]
    assert destinations(changed) == [0]


def test_stack_traces_stay_with_their_instructions() -> None:
    traces = tuple(FrameList((Frame(name=str(n)),)) for n in range(2))
    draft = PlanDraft(plan(Chain(instructions=(call(0, 0), call(0, 1)), stacktrace=traces)))
    draft.insert_before(0, call(1, 7))
    draft.drop(0)
    (chain,) = draft.finish().chains or ()
    assert chain.stacktrace == (FrameList(()), traces[1])


def test_values_left_out_renumber_everything_that_names_values() -> None:
    start = plan(
        Chain(
            inputs=(0, 2),
            outputs=(3,),
            instructions=(call(0, 0, 2), Instruction(3, MoveCall(2, 3)), jump(3, 0)),
        )
    )
    draft = PlanDraft(start)
    listed = draft.add_value(EValue(6, IntList((2, 3))))
    optional = draft.add_value(EValue(11, OptionalTensorList((-1, 3))))
    draft.dropped_values.add(1)
    changed = draft.finish()
    assert changed.inputs == (0,)
    assert changed.outputs == (2,)
    assert changed.values is not None
    assert [v.val for v in changed.values[:3]] == [Int(0), Int(2), Int(3)]
    assert changed.values[listed - 1].val == IntList((1, 2))
    assert changed.values[optional - 1].val == OptionalTensorList((-1, 2))
    assert changed.chains == (
        Chain(
            inputs=(0, 1),
            outputs=(2,),
            instructions=(call(0, 0, 1), Instruction(3, MoveCall(1, 2)), jump(2, 0)),
        ),
    )
    draft.dropped_values.add(2)
    with pytest.raises(EditError, match="value 2 is left out and still used"):
        draft.finish()


def test_operators_are_found_before_they_are_added_and_renumbered_when_dropped() -> None:
    draft = PlanDraft(plan(Chain(instructions=(call(1, 0),))))
    assert draft.operator("b", "out") == 1
    assert draft.operator("b", "") == 2
    draft.dropped_operators.update((0, 2))
    changed = draft.finish()
    assert changed.operators == (Operator("b", "out"),)
    assert changed.chains == (Chain(instructions=(call(0, 0),)),)


def test_arguments_of_calls_alone_can_be_changed() -> None:
    draft = PlanDraft(plan(Chain(instructions=(call(0, 0), jump(0, 0)))))
    draft.change_call(0, lambda args: args.append(3))
    assert called(draft.finish()) == [(0, 3), "jump"]
    with pytest.raises(EditError, match="instruction 1 is no call"):
        draft.change_call(1, lambda args: None)


def test_jumps_to_below_zero_cannot_be_taken_apart() -> None:
    with pytest.raises(EditError, match="jump at instruction 1"):
        PlanDraft(plan(Chain(instructions=(call(0, 0), jump(0, -1)))))
    PlanDraft(plan(Chain(instructions=(call(0, 0), jump(0, 2)))))


def test_jumps_past_the_end_stay_as_far_behind_it() -> None:
    draft = PlanDraft(plan(Chain(instructions=(call(0, 0), jump(0, 5)))))
    draft.insert_before(0, call(0, 0))
    (chain,) = draft.finish().chains or ()
    assert chain.instructions == (call(0, 0), call(0, 0), jump(0, 6))


def test_only_tensors_can_be_changed_as_tensors() -> None:
    draft = PlanDraft(plan())
    for v in (-1, 0, 4):
        with pytest.raises(EditError, match=f"value {v} is no tensor"):
            draft.change_tensor(v, layout=1)
    v = draft.add_value(EValue(1, Null()))
    with pytest.raises(EditError, match="no tensor"):
        draft.tensor(v)
