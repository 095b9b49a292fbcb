"""What arenas would need without some tensors."""

from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.ir.device import HOST, Device
from pte_lint.questions import planning
from pte_lint.questions.method import Method
from pte_lint.questions.planning import replan
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.small import delegate, kernel, method, tensor

DATA = Path(__file__).parents[2] / "data"
CUDA0 = Device(1, 0)


def load(name: str) -> Method:
    program = read_program((DATA / name).read_bytes()).program
    assert program is not None
    return Method(program, 0)


def test_two_inputs_and_an_output_on_a_device() -> None:
    m = method(
        [tensor((1, 256 * i), n=64) for i in range(3)],
        [delegate(0, 0, 1, 2)],
        inputs=[0, 1],
        outputs=[2],
        sizes=[0, 768],
        devices=[NonConstBufferDevice(1, 1, 0)],
    )
    assert replan(m, ()) == {CUDA0: 768}
    assert replan(m, (0,)) == {CUDA0: 512}
    assert replan(m, (0, 1)) == {CUDA0: 256}
    assert replan(m, (0, 1, 2)) == {}


def test_the_arena_of_an_input_that_shares_its_memory_does_not_shrink() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 0))],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
        sizes=[0, 32],
    )
    assert replan(m, (0,)) == {HOST: 32}


def test_padding_of_the_file_is_kept() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16))],
        [kernel(0, 0, 1, 1)],
        inputs=[0],
        outputs=[1],
        sizes=[0, 32 + 64],
    )
    assert replan(m, (0,)) == {HOST: 16 + 64}


def test_a_view_is_planned_with_its_base() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 0))],
        [kernel(0, 0, 1, 1), kernel(0, 2, 3, 3)],
        inputs=[0],
        outputs=[3],
        sizes=[0, 32],
    )
    assert replan(m, (1,)) == {HOST: 32}
    assert replan(m, (1, 2)) == {HOST: 16}  # input and output take turns


@pytest.mark.parametrize(
    "name",
    ["clean/linear.pte", "clean/transformer_block.pte", "clean/cond.pte", "clean/io_unplanned.pte"],
)
def test_nothing_left_out_changes_nothing(name: str) -> None:
    m = load(name)
    assert {str(d): n for d, n in replan(m, ()).items()} == {
        k: v for k, v in m.planned_bytes().items() if v
    }


@pytest.mark.parametrize("name", ["clean/linear.pte", "clean/split_outputs.pte"])
def test_the_simulation_reproduces_what_the_exporter_planned(name: str) -> None:
    m = load(name)
    everything = [v for v in m.tensors if m.is_planned(v)]
    allocations = planning.allocations(m, 1, ())
    assert allocations is not None
    assert (
        max(allocation.offset + allocation.size for allocation in allocations) == m.arenas[1].size
    )
    assert sorted(v for allocation in allocations for v in allocation.members) == everything
    assert replan(m, everything) == {}


def test_what_is_left_moves_together() -> None:
    m = load("device/add_skip_both_planned.pte")
    now, after = (planning.allocations(m, 1, without) for without in ((), m.inputs))
    assert now is not None
    assert after is not None
    assert {allocation.members for allocation in now} == {(0,), (1,), (2,)}
    assert after == (planning.Allocation((2,), 0, 256),)


def test_a_plan_of_another_planner_has_no_allocations() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 64))],
        [kernel(0, 0, 1, 1)],
        inputs=[0],
        outputs=[1],
        sizes=[0, 80],
    )
    assert planning.allocations(m, 1, ()) is None
    assert planning.allocations(m, 9, ()) is None


def test_lifetimes() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 48))],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
    )
    lives = [planning.lifetime(m, (v,)) for v in range(4)]
    assert lives == [(-1, 0), (0, 1), (1, 2), (2, -1)]
    assert planning.lifetime(m, (0, 1)) == (-1, 1)


def test_a_plan_too_large_to_simulate_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_BUDGET", -1)
    m = method(
        [tensor((1, 0), n=5), tensor((1, 32))],
        [kernel(0, 0, 1, 1)],
        inputs=[0],
        outputs=[1],
        sizes=[0, 48],
    )
    assert replan(m, (0,)) == {HOST: 16}
    assert planning.allocations(m, 1, ()) is None


@pytest.mark.parametrize(("returned", "bytes_left"), [(True, 128), (False, 64)])
def test_what_is_copied_to_an_output_keeps_its_bytes_to_the_end(
    returned: bool, bytes_left: int
) -> None:
    b = MethodBuilder()
    x = b.input((16,), device="cuda:0")
    (first,) = b.delegate("SomeBackend", [x], [(16,)], device="cuda:0")
    copied = b.d2h(first)
    lit = b.call("aten::sigmoid.out", copied, out=(16,))
    b.output(lit, *([copied] if returned else []))
    later = b.tensor((16,), device="cuda:0")
    b.delegate("SomeBackend", [later], [later], device="cuda:0")
    program = read_program(build_program(b).bytes()).program
    assert program is not None
    m = Method(program, 0)
    found = planning._greedy(m, [(first,), (later,)])
    assert planning._total(found) == bytes_left
