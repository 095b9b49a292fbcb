"""Planned ranges never overlap, lie inside their arenas and on the right device."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pte_lint.schema.program import AllocationDetails, NonConstBufferDevice

from pte_lint.testing.planner import Placement, plan_memory

CUDA0, CUDA1 = (1, 0), (1, 1)
PLACEMENTS = st.lists(
    st.builds(
        lambda nbytes, home: (nbytes, home),
        st.integers(0, 100),
        st.sampled_from([(0, 0), CUDA0, CUDA1]),
    ),
    max_size=12,
).map(lambda items: [Placement(i, nbytes, home) for i, (nbytes, home) in enumerate(items)])


@given(PLACEMENTS, st.sampled_from([1, 16, 64]))
def test_no_overlap_and_the_right_device(placements: list[Placement], alignment: int) -> None:
    plan = plan_memory(placements, alignment)
    devices = {
        each.buffer_idx: (each.device_type, each.device_index) for each in plan.devices or ()
    }
    taken: dict[int, list[tuple[int, int]]] = {}
    for each in placements:
        found = plan.ranges[each.value]
        start, end = found.memory_offset, found.memory_offset + each.nbytes
        assert start % alignment == 0
        assert end <= plan.sizes[found.memory_id]
        assert devices.get(found.memory_id, (0, 0)) == each.home
        for other_start, other_end in taken.setdefault(found.memory_id, []):
            assert end <= other_start or other_end <= start
        taken[found.memory_id].append((start, end))
    assert plan.sizes[0] == 0


def test_host_comes_first_then_devices() -> None:
    plan = plan_memory([Placement(0, 4, CUDA1), Placement(1, 4, CUDA0), Placement(2, 4)])
    assert [plan.ranges[i].memory_id for i in range(3)] == [3, 2, 1]
    assert plan.sizes == (0, 4, 4, 4)
    assert plan.devices == (NonConstBufferDevice(2, 1, 0), NonConstBufferDevice(3, 1, 1))


def test_a_device_has_arena_one_when_nothing_is_on_the_host() -> None:
    plan = plan_memory([Placement(0, 4, CUDA0)])
    assert (plan.sizes, plan.devices) == ((0, 4), (NonConstBufferDevice(1, 1, 0),))


def test_nothing_planned() -> None:
    plan = plan_memory([])
    assert (plan.ranges, plan.sizes, plan.devices) == ({}, (0,), None)


def test_chosen_places_are_kept() -> None:
    plan = plan_memory(
        [
            Placement(0, 16, memory_id=2, offset=64),
            Placement(1, 16, memory_id=2, offset=72),
            Placement(2, 16, memory_id=3),
            Placement(3, 16, memory_id=4_000_000_000, offset=1 << 40),
        ]
    )
    assert plan.ranges[0] == AllocationDetails(2, 64, 0)
    assert plan.ranges[1] == AllocationDetails(2, 72, 0)
    assert plan.ranges[2] == AllocationDetails(3, 0, 0)
    assert plan.ranges[3] == AllocationDetails(4_000_000_000, 0, 256)
    assert plan.sizes == (0, 0, 88, 16)


def test_automatic_tensors_avoid_a_chosen_arena_of_another_device() -> None:
    plan = plan_memory([Placement(0, 8, CUDA0, memory_id=1), Placement(1, 8)])
    assert plan.ranges[1].memory_id == 2
    assert plan.devices == (NonConstBufferDevice(1, 1, 0),)
