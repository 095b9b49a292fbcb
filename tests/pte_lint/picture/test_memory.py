"""The memory plan as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pte_lint.claims.finding import Severity
from pte_lint.picture.memory import ArenaPicture, Role, Tenant, facts
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.arena_use import live_bytes
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint.picture.programs import (
    around_a_delegate,
    built,
    loop,
    planned_on_a_device,
)
from tests.pte_lint.small import method
from tests.support.look import DATA, every_file
from tests.support.pictures import drawn, nothing, planned_inputs


def scene_of(program: MethodBuilder) -> MethodScene:
    (scene,) = drawn(built(program), find=nothing)
    return scene


def arena(scene: MethodScene, memory_id: int = 1) -> ArenaPicture:
    return next(a for a in scene.arenas if a.arena.memory_id == memory_id)


def tenant(picture: ArenaPicture, v: int) -> Tenant:
    return next(t for t in picture.tenants if v in t.values)


def test_who_lives_where_and_when() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    y = b.call("aten::relu.out", x, out=(4,))
    z = b.call("aten::neg.out", y, out=(4,))
    b.output(z)
    picture = arena(scene_of(b))
    lives = [(t.label, t.role, t.first, t.last, t.nbytes) for t in picture.tenants]
    assert sorted(lives) == [
        ("%1", Role.OTHER, 0, 1, 16),
        ("input 0", Role.INPUT, -1, 0, 16),
        ("output 0", Role.OUTPUT, 1, 2, 16),
    ]
    assert (picture.peak, picture.peak_at) == (32, 0)


def test_peak_and_waste() -> None:
    b = MethodBuilder()
    x = b.input((64,), memory_id=1, offset=0)
    y = b.tensor((64,), memory_id=1, offset=1024)
    b.output(b.call("aten::relu.out", x, out=y))
    picture = arena(scene_of(b))
    assert (picture.size, picture.peak, picture.wasted) == (1280, 512, 768)
    assert facts(picture) == (
        "1280 bytes planned",
        "peak 512 bytes at instruction 0",
        "768 bytes wasted",
    )


def test_state_lives_throughout() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    kept = b.state((4,), initial=[1, 2, 3, 4], name="cache")
    total = b.add(kept, x)
    b.kernel("aten::copy_", kept, total, b.bool_value(False), kept)
    b.output(b.call("aten::relu.out", total, out=(4,)))
    state = tenant(arena(scene_of(b)), kept)
    assert (state.role, state.first, state.last, state.label) == (Role.STATE, -1, 3, "cache")


def test_a_view_is_one_tenant_with_its_base() -> None:
    scene = drawn(DATA / "clean" / "transformer_block.pte", find=nothing)[0]
    views = [t for t in arena(scene).tenants if len(t.values) > 1]
    assert views
    assert all("view" in t.label for t in views)


def test_what_a_loop_reads_again_lives_as_long_as_the_loop() -> None:
    scene = scene_of(loop())
    picture = arena(scene)
    kept = tenant(picture, 1)
    assert (kept.first, kept.last) == (0, 4)  # read at 1, needed until the jump back
    x = tenant(picture, 0)
    assert (x.first, x.last) == (-1, 5)


def test_a_tensor_that_leaves_its_arena_is_inside_of_the_picture() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.input((4,)), out=(4,)))
    program = built(b)
    scene = drawn(program, find=nothing)[0]
    small = method([], sizes=[0, 8]).arenas[1]
    picture = ArenaPicture(small, 1, arena(scene).tenants, 32, 0)
    assert picture.extent == 32
    assert picture.wasted == 0


def test_the_fix_takes_the_inputs_out() -> None:
    (scene,) = drawn(built(planned_on_a_device()), find=planned_inputs)
    assert scene.fix is not None
    assert scene.fix.mark.severity is Severity.ERROR
    (change,) = scene.fix.arenas.values()
    assert change.size == 256
    assert [t.label for t in change.dropped] == ["input 0", "input 1"]
    assert change.picture is not None
    (left,) = change.picture.tenants
    assert (left.label, left.start, left.nbytes) == ("output 0", 0, 256)
    assert (change.picture.size, change.picture.peak) == (256, 256)


def test_a_real_file_with_its_real_rule() -> None:
    (scene,) = drawn(DATA / "device" / "add_skip_both_planned.pte")
    assert scene.fix is not None
    assert scene.fix.mark.rule == "PTE301"
    assert {m: c.size for m, c in scene.fix.arenas.items()} == {1: 256}
    assert [t.marks[0].rule for t in scene.arenas[0].tenants] == ["PTE302", "PTE301", "PTE301"]


def test_without_a_finding_there_is_no_fix() -> None:
    assert scene_of(planned_on_a_device()).fix is None


def test_a_plan_of_another_planner_has_a_size_but_no_picture_after_the_fix() -> None:
    b = planned_on_a_device()
    x = b.tensor((4,), device="cuda:0", memory_id=1, offset=5000)
    b.output(*b.delegate("Backend", [b.inputs[0]], outputs=[x], device="cuda:0"))
    (scene,) = drawn(built(b), find=planned_inputs)
    assert scene.fix is not None
    (change,) = scene.fix.arenas.values()
    assert change.picture is None
    assert 0 < change.size < scene.arenas[0].size


@pytest.mark.parametrize("path", every_file(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_file_accounts_for_its_planned_tensors(path: Path) -> None:
    for scene in drawn(path, find=nothing):
        found = [v for a in scene.arenas for t in a.tenants for v in t.values]
        planned = [
            v
            for v in scene.method.tensors
            if (place := scene.method.place(v)) and place[0] in scene.method.arenas
        ]
        assert sorted(found) == planned
        for a in scene.arenas:
            assert a.peak <= sum(t.nbytes for t in a.tenants)


_TIMES = st.tuples(st.integers(0, 99), st.integers(0, 9), st.integers(-1, 9))


@settings(deadline=None)
@given(st.lists(_TIMES, max_size=12))
def test_live_bytes_are_what_counting_gives(lives: list[tuple[int, int, int]]) -> None:
    m = method([])
    tenants = [
        Tenant(m, (n,), Role.OTHER, 0, nbytes, first, last)
        for n, (nbytes, first, last) in enumerate(lives)
    ]
    changes = dict(live_bytes(tenants))
    live = 0
    for step in range(-2, 12):
        live = changes.get(step, live)
        assert live == sum(t.nbytes for t in tenants if t.first <= step <= t.last)


def test_lanes_tell_planned_bytes() -> None:
    scene = scene_of(around_a_delegate())
    planned = {lane.name: lane.planned_bytes for lane in scene.placement.lanes}
    assert planned == {"host": 768, "cuda:0": 512}
