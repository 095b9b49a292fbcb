from __future__ import annotations

import pytest
from pte_lint.schema import fbs
from pte_lint.schema.binding import Delivery, bind
from pte_lint.schema.errors import LayoutError
from pte_lint.schema.loaded import binding
from pte_lint.schema.program import AllocationDetails, Tensor
from pte_lint.schema.record import record

from tests.schema.small_format import BINDING, LAYOUT, Pair, Root


def test_the_annotation_decides_the_delivery() -> None:
    delivery = {item.layout.name: item.delivery for item in BINDING.tables["Root"].fields}
    assert delivery["numbers"] is Delivery.TUPLE
    assert delivery["raw"] is Delivery.BYTES
    assert delivery["blob"] is Delivery.SPAN


def test_a_class_that_does_not_repeat_its_table_is_refused() -> None:
    @record
    class Other:
        wrong: int = 0
        at: int = 0

    with pytest.raises(LayoutError, match="Leaf"):
        bind(LAYOUT, {"Leaf": Other, "Pair": Pair, "Root": Root})


def test_the_fast_constructor_makes_the_real_record() -> None:
    made = binding("program").tables["AllocationDetails"].make(1, 2, 3, 40)
    assert type(made) is AllocationDetails
    assert made == AllocationDetails(1, 2, 3)
    assert made.at == 40
    assert made.memory_offset == (3 << 32) + 2
    assert hash(made) == hash(AllocationDetails(1, 2, 3))
    with pytest.raises(AttributeError):
        made.memory_id = 5  # type: ignore[misc]


@pytest.mark.parametrize("name", ["program", "flat_tensor", "bundled_program"])
def test_defaults_are_the_layouts(name: str) -> None:
    for table in binding(name).tables.values():
        made = table.make(*table.defaults, 0)
        assert made == type(made)()


def test_depth_counts_tables_from_the_root() -> None:
    # Program, ExecutionPlan, EValue, Tensor, ExtraTensorInfo; or ..., Chain, Instruction, call.
    assert binding("program").depth == 5
    assert BINDING.depth == 2


def test_depth_of_a_table_inside_itself_is_unknown() -> None:
    @record
    class Node:
        next: object = None
        at: int = 0

    layout = fbs.parse("table Node { next: Node; } root_type Node;", lambda name: "")
    assert bind(layout, {"Node": Node}).depth is None


def test_positions_do_not_count_in_comparisons() -> None:
    assert Tensor() == Tensor(at=5)
