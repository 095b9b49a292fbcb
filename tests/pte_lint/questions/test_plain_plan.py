"""The quick proof that a memory plan is sound against the analysis that it saves."""

from __future__ import annotations

import random

import pytest
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    AllocationDetails,
    EValue,
    ExtraTensorInfo,
    Tensor,
    TensorList,
)

from pte_lint.questions.liveness import Liveness
from pte_lint.questions.method import Method
from pte_lint.questions.plain_plan import is_plainly_sound
from tests.pte_lint.small import delegate, kernel, method, move, tensor

OPERATORS = (
    "aten::relu.out",
    "aten::add.out",
    "aten::copy_",
    "aten::relu_",
    "aten::full_like.out",
    "my::custom.out",
    "executorch_prim::et_view.default",
)
PLACES = (0, 0, 0, 4, 8, 8, 16, 16, 24, 32, 32, 48, 64, 64, 80)


def random_values(rng: random.Random) -> list[EValue]:
    """Tensors that mostly share a few places; some unplanned, named, loaded, of another type."""
    values = []
    for _ in range(rng.randint(3, 8)):
        planned = rng.random() < 0.85
        place = AllocationDetails(rng.choice((1, 1, 1, 2)), rng.choice(PLACES)) if planned else None
        values.append(
            EValue(
                KernelTypes.TENSOR,
                Tensor(
                    scalar_type=rng.choice((6, 6, 6, 6, 3)),
                    sizes=(rng.choice((4, 4, 4, 2, 8, 0)),),
                    dim_order=(0,),
                    data_buffer_idx=1 if rng.random() < 0.1 else 0,
                    allocation_info=place,
                    extra_tensor_info=ExtraTensorInfo(
                        fully_qualified_name="state" if rng.random() < 0.5 else None
                    )
                    if rng.random() < 0.1
                    else None,
                ),
            )
        )
    return values


def random_method(seed: int) -> Method:
    """A chain of calls over such values, which mostly read what was written last."""
    rng = random.Random(seed)
    values = random_values(rng)
    n = len(values)
    inputs = rng.sample(range(n), rng.randint(0, 2))
    known = inputs or [0]
    steps = []
    for _ in range(rng.randint(1, 7)):
        source = rng.choice(known) if rng.random() < 0.9 else rng.randrange(n)
        out = rng.randrange(n)
        kind = rng.random()
        if kind < 0.5:
            steps.append(kernel(0, source, out, out))
        elif kind < 0.65:
            steps.append(kernel(1, source, rng.choice(known), out, out))
        elif kind < 0.75:
            steps.append(kernel(2, out, source, out))
        elif kind < 0.83:
            steps.append(kernel(3, out, out))
        elif kind < 0.87:
            steps.append(kernel(4, source, out, out))
        elif kind < 0.93:
            steps.append(kernel(5, rng.randrange(n), source, out, out))
        elif kind < 0.98:
            steps.append(delegate(0, source, rng.randrange(n), out))
        else:
            steps.append(move(source, out) if rng.random() < 0.5 else kernel(6, source, 0, out))
        known = [*known, out]
    outputs = rng.sample(range(n), rng.randint(0, 2)) if rng.random() < 0.4 else known[-1:]
    if rng.random() < 0.1:
        values.append(EValue(KernelTypes.TENSOR_LIST, TensorList(tuple(outputs))))
        outputs = [n]
    return method(values, steps, inputs=inputs, outputs=outputs, operators=OPERATORS)


@pytest.mark.parametrize("block", range(20))
def test_what_is_plainly_sound_has_no_fault(block: int) -> None:
    sound = 0
    for seed in range(block * 500, block * 500 + 500):
        m = random_method(seed)
        if not is_plainly_sound(m):
            continue
        sound += 1
        live = Liveness(m)
        live.is_plain = False
        assert (live.conflicts, live.shared_steps, live.stale_reads) == ((), (), ()), seed
        assert not m.ledger, seed
    assert sound > 50


def chain(*places: int, output: int | None = None) -> Method:
    """relu(relu(...)) from one place of arena 1 to the next; the input is unplanned."""
    values = [tensor(), *(tensor((1, place)) for place in places)]
    steps = [kernel(0, at, at + 1, at + 1) for at in range(len(places))]
    return method(values, steps, inputs=[0], outputs=[output or len(places)])


def test_places_are_reused() -> None:
    assert is_plainly_sound(chain(0, 16, 0, 16))
    assert is_plainly_sound(chain(0, 16, 8 * 4, 4))


def test_what_is_lost_is_seen() -> None:
    assert not is_plainly_sound(chain(0, 16, 0, 16, output=1))
    assert not is_plainly_sound(chain(0, 16, 12, output=2))
    assert not is_plainly_sound(chain(0, 8))  # over its own input


def test_views_and_state() -> None:
    view = [tensor(), tensor((1, 0)), tensor((1, 0)), tensor((1, 16))]
    calls = [kernel(0, 0, 1, 1), kernel(0, 2, 3, 3)]
    assert is_plainly_sound(method(view, calls, inputs=[0], outputs=[3]))
    assert not is_plainly_sound(method(view, calls[::-1], inputs=[0], outputs=[3]))
    state = [tensor(), tensor((1, 0)), tensor((1, 0))]
    update = [kernel(1, 1, 0, 1)]
    known = ("aten::relu.out", "aten::add_.Tensor")
    assert is_plainly_sound(method(state, update, inputs=[0], outputs=[1], operators=known))
    lost = [*update, kernel(0, 0, 2, 2)]
    assert not is_plainly_sound(method(state, lost, inputs=[0], outputs=[2], operators=known))
