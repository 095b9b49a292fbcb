"""PTE152."""

from __future__ import annotations

import pytest

from pte_lint.ir.calling import ET_VIEW
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE152"
LAST = (0, 2, 3, 1)


def viewed(
    sizes: tuple[int, ...],
    view: tuple[int, ...],
    order: tuple[int, ...] | None = LAST,
    returned: bool = False,
    read: bool = True,
) -> BuiltProgram:
    """relu of an image, of which a value at the same place shows the memory in other sizes."""
    b = MethodBuilder()
    kept = b.call("aten::neg.out", b.input((3,)), out=(3,))
    x = b.input(sizes, dim_order=order)
    base = b.tensor(sizes, dim_order=order, memory_id=1, offset=256)
    b.call("aten::relu.out", x, out=base)
    shown = b.tensor(view, memory_id=1, offset=256)
    if read:
        result = b.call("aten::abs.out", shown, out=view)
    b.output(kept, *([shown] if returned else []), *([result] if read and not returned else []))
    return build_program(b)


def test_channels_that_are_split() -> None:
    bad = viewed((2, 4, 3, 5), (2, 2, 2, 3, 5))
    finding = only(bad, RULE)
    assert "of sizes [2, 2, 2, 3, 5] and dim order [0, 1, 2, 3, 4] is a view of" in finding.message
    assert "[2, 4, 3, 5] and dim order [0, 2, 3, 1]" in finding.message
    assert finding.location.instruction == 2
    assert finding.evidence["outputs"] == [1]
    assert verdict(bad, RULE) == "execute: wrong"


@pytest.mark.parametrize(
    ("sizes", "view", "order"),
    [
        ((2, 4, 3, 5), (2, 2, 2, 3, 5), None),
        ((2, 4, 1, 1), (2, 4), LAST),
        ((2, 1, 3, 5), (2, 15), LAST),
        ((2, 0, 3, 5), (2, 0), LAST),
    ],
    ids=["default order", "one pixel", "one channel", "no channels"],
)
def test_views_that_show_what_they_should(
    sizes: tuple[int, ...], view: tuple[int, ...], order: tuple[int, ...] | None
) -> None:
    assert found(viewed(sizes, view, order), RULE) == ()
    assert verdict(viewed(sizes, view, order), RULE) == OK


def test_the_limit_of_one_pixel() -> None:
    assert len(found(viewed((2, 4, 1, 2), (2, 8)), RULE)) == 1


@pytest.mark.parametrize("returned", [True, False])
def test_a_tensor_that_nobody_reads_is_no_view(returned: bool) -> None:
    """The exporter keeps the copy of a view that is returned."""
    assert found(viewed((2, 4, 3, 5), (2, 60), returned=returned, read=False), RULE) == ()


def test_a_view_that_a_prim_op_takes() -> None:
    def program(order: tuple[int, ...] | None) -> BuiltProgram:
        b = MethodBuilder()
        x = b.input((2, 4, 3, 5), dim_order=order)
        shown = b.tensor((2, 60), planned=False)
        b.kernel(ET_VIEW, x, b.ints((2, 60)), shown)
        b.output(b.call("aten::abs.out", shown, out=(2, 60)))
        return build_program(b)

    assert only(program(LAST), RULE).location.instruction == 0
    assert found(program(None), RULE) == ()
