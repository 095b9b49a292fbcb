"""Tag and home of arguments through moves, views, frees, branches and a second run."""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    EValue,
    ExtraTensorInfo,
    NonConstBufferDevice,
    Tensor,
)

from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.device import HOST, Device, Home, HomeKind
from pte_lint.questions.method import Method
from tests.pte_lint.small import CUDA, flag, free, jump_false, kernel, method, move, tensor

DEVICE_2 = (NonConstBufferDevice(buffer_idx=2, device_type=1),)
CUDA0 = Device(1, 0)


def homes(m: Method, step: int, value: int) -> set[str]:
    return {str(p.home) for p in m.residency.places(m.steps[step], value)}


def test_homes_at_load() -> None:
    constant = EValue(KernelTypes.TENSOR, Tensor(6, 0, (4,), (0,), data_buffer_idx=1))
    external = EValue(
        KernelTypes.TENSOR, Tensor(6, 0, (4,), (0,), extra_tensor_info=ExtraTensorInfo(location=1))
    )
    m = method(
        [
            tensor((1, 0)),
            tensor((2, 0), CUDA),
            constant,
            external,
            tensor(extra=CUDA),
            tensor(extra=CUDA),
        ],
        [],
        inputs=[4],
        devices=DEVICE_2,
    )
    assert [m.home(v) for v in range(6)] == [
        Home(HomeKind.ARENA, HOST, 1),
        Home(HomeKind.ARENA, CUDA0, 2),
        Home(HomeKind.CONSTANT),
        Home(HomeKind.EXTERNAL),
        Home(HomeKind.CALLER, CUDA0),
        Home(HomeKind.NONE),
    ]
    assert [m.tag(v) for v in (0, 1)] == [HOST, CUDA0]


def test_arena_device_is_looked_up_by_value_and_the_first_entry_wins() -> None:
    entries = (
        NonConstBufferDevice(2, 1, 3),
        NonConstBufferDevice(2, 1, 0),
        NonConstBufferDevice(99, 1, 0),
    )
    m = method([], [], devices=entries)
    assert {k: str(a.device) for k, a in m.arenas.items()} == {1: "cpu", 2: "cuda:3"}
    assert m.arenas[2].entry == 0
    assert m.arenas[1].entry is None


def test_move_shares_the_tensor_object() -> None:
    m = method(
        [tensor((1, 0)), tensor((2, 0), CUDA), tensor((1, 64))],
        [kernel(0, 0, 2, 2), move(1, 0), kernel(0, 0, 2, 2)],
        devices=DEVICE_2,
    )
    after = m.residency.places(m.steps[2], 0)
    assert [(p.value, p.tag, str(p.home)) for p in after] == [(1, CUDA0, "arena 2 on cuda:0")]


def test_what_a_run_leaves_behind_is_what_the_next_starts_with() -> None:
    m = method(
        [tensor((1, 0)), tensor((2, 0), CUDA), tensor((1, 64))],
        [kernel(0, 0, 2, 2), move(1, 0)],
        devices=DEVICE_2,
    )
    assert homes(m, 0, 0) == {"arena 1 on the host", "arena 2 on cuda:0"}


def test_view_points_at_the_memory_of_its_input() -> None:
    m = method(
        [tensor((2, 0), CUDA), tensor(), tensor((1, 0))],
        [kernel(0, 0, 2, 1), kernel(1, 1, 2, 2)],
        operators=[ET_VIEW, "aten::relu.out"],
        devices=DEVICE_2,
    )
    assert homes(m, 1, 1) == {"arena 2 on cuda:0"}


def test_free_takes_the_memory_away() -> None:
    m = method([tensor((1, 0)), tensor((1, 64))], [free(0), kernel(0, 0, 1, 1)])
    assert homes(m, 1, 0) == {"no memory (freed)"}


def test_branches_join() -> None:
    values = [tensor((1, 0)), tensor((2, 0), CUDA), tensor((1, 64)), flag()]
    m = method(
        values,
        [jump_false(3, 2), move(1, 0), kernel(0, 0, 2, 2)],
        inputs=[3],
        devices=DEVICE_2,
    )
    assert homes(m, 2, 0) == {"arena 1 on the host", "arena 2 on cuda:0"}
    assert m.residency.moved == {0}


def test_methods_without_moves_keep_no_state() -> None:
    m = method([tensor((1, 0)), tensor((1, 64))], [kernel(0, 0, 1, 1)])
    assert homes(m, 0, 0) == {"arena 1 on the host"}
    assert m.residency.moved == set()


def test_storage_is_the_value_whose_memory_a_view_points_to() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 48))],
        [kernel(0, 0, 3, 1), move(1, 2), kernel(1, 2, 3, 3)],
        operators=[ET_VIEW, "aten::relu.out"],
    )
    (place,) = m.residency.places(m.steps[2], 2)
    assert (place.value, place.storage) == (1, 0)
    assert not m.residency.is_static


def test_places_after_any_step() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), flag()],
        [jump_false(3, 2), move(1, 0), kernel(0, 0, 2, 2)],
        inputs=[3],
    )

    def values(step: int) -> list[int]:
        return [p.value for p in m.residency.places_after({0: [step]})[step, 0]]

    assert values(0) == [0, 1]  # what the run before left behind
    assert values(1) == [1]
    assert values(2) == [0, 1]
