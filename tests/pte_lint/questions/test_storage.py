"""Alias sets of views with their base, and what counts as state."""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    AllocationDetails,
    EValue,
    ExtraTensorInfo,
    Program,
    Tensor,
)

from pte_lint.questions.method import Method
from tests.pte_lint.small import boolean, delegate, flag, jump_false, kernel, method, tensor

RELU, COPY, INDEX_PUT = "aten::relu.out", "aten::copy_.x", "aten::index_put_.x"
OPERATORS = (RELU, COPY, INDEX_PUT)


def test_a_view_has_the_place_and_type_of_what_was_written_there_last() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))],
        [kernel(0, 0, 1, 1), kernel(0, 0, 2, 2), kernel(0, 3, 4, 4)],
        inputs=[0],
        outputs=[4],
    )
    storage = m.liveness.storage
    assert storage.base(3) == 2
    assert storage.alias_set(3) == storage.alias_set(2) != storage.alias_set(1)
    assert sorted(storage.together(3)) == [2, 3]


def test_another_size_or_type_is_no_view() -> None:
    other = Tensor(3, 0, (4,), (0,), allocation_info=AllocationDetails(1, 16))
    m = method(
        [tensor((1, 0)), tensor((1, 16)), EValue(KernelTypes.TENSOR, other), tensor((1, 16), n=3)],
        [kernel(0, 0, 1, 1), kernel(1, 2, 3, 0, 0)],
        inputs=[0],
        outputs=[0],
        operators=[RELU, "aten::maximum.out"],
    )
    assert m.liveness.storage.base(2) is None
    assert [s.value for s in m.liveness.stale_reads] == [2, 3]


def test_views_of_inputs_and_of_state() -> None:
    values = [tensor((1, 0)), tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))]
    m = method(
        [*values, boolean()],
        [kernel(3, 1, 3, 5, 4, 4), kernel(1, 2, 4, 0, 2)],
        inputs=[0],
        outputs=[4],
        operators=(*OPERATORS, "aten::add.out"),
    )
    storage = m.liveness.storage
    assert (storage.base(1), storage.base(3)) == (0, 2)
    assert storage.is_state(2)
    assert storage.is_state(3)
    assert not storage.is_state(1)
    assert not m.liveness.stale_reads


def test_a_view_updated_in_place_is_not_state() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16))],
        [kernel(0, 0, 1, 1), kernel(2, 2, 0, 0, 2)],
        inputs=[0],
        outputs=[1],
        operators=OPERATORS,
    )
    assert m.liveness.storage.base(2) == 1
    assert not m.liveness.storage.is_state(2)
    assert not m.liveness.conflicts


def test_a_buffer_that_another_tensor_was_put_over_stays_state() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))],
        [kernel(0, 0, 1, 1), kernel(0, 2, 3, 3), kernel(1, 2, 3, 0, 2)],
        inputs=[0],
        operators=OPERATORS,
    )
    assert m.liveness.storage.is_state(2)
    assert [(c.step, c.writer, c.victim) for c in m.liveness.conflicts] == [(0, 1, 2)]


def test_named_and_initialised_tensors_are_state() -> None:
    named = tensor((1, 16), ExtraTensorInfo(0, "cache"))
    initial = EValue(
        KernelTypes.TENSOR, Tensor(6, 0, (4,), (0,), False, 1, AllocationDetails(1, 32))
    )
    m = method([tensor((1, 0)), named, initial], [kernel(0, 1, 2, 0, 0)])
    assert m.liveness.storage.is_state(1)
    assert m.liveness.storage.is_state(2)


def test_a_buffer_that_only_another_method_writes_is_state() -> None:
    reads = method(
        [tensor((2, 0)), tensor((1, 0))], [kernel(0, 0, 1, 1)], outputs=[1], operators=OPERATORS
    )
    writes = method(
        [tensor((1, 0)), tensor((2, 0))],
        [kernel(1, 1, 0, 0, 1)],
        inputs=[0],
        operators=OPERATORS,
    )
    assert [s.value for s in reads.liveness.stale_reads] == [0]
    both = Method(Program(execution_plan=(reads.plan, writes.plan)), 0)
    assert both.liveness.storage.is_state(0)
    assert not both.liveness.stale_reads


def test_bases_are_sought_on_every_path() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))]
    steps = [
        jump_false(5, 3),
        kernel(0, 0, 1, 1),
        jump_false(6, 4),
        kernel(0, 0, 2, 2),
        kernel(0, 3, 4, 4),
    ]
    m = method([*values, flag(), boolean()], steps, inputs=[0, 5], outputs=[4])
    assert sorted(m.liveness.storage.together(3)) == [1, 2, 3]


def test_what_an_opaque_delegate_might_write_is_left_alone() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))],
        [kernel(0, 0, 1, 1), delegate(0, 2, 3), kernel(0, 2, 1, 1)],
        inputs=[0],
    )
    assert m.liveness.storage.base(2) is None
    assert not m.liveness.stale_reads
    assert not m.liveness.conflicts


def test_scratch_of_a_foreign_operator_is_left_alone() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32))],
        [kernel(0, 0, 1, 2, 2)],
        inputs=[0],
        operators=["cortex_m::pool.out"],
    )
    assert not m.liveness.stale_reads
