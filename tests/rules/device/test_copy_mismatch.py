from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import D2H, H2D, MethodBuilder
from tests.support.device_programs import (
    add_method,
    findings,
    only,
    place,
    report,
    verdict,
    verdicts,
)


def copied(
    source: tuple[int, ...],
    target: tuple[int, ...],
    *,
    types: tuple[str, str] = ("float32", "float32"),
    orders: tuple[tuple[int, ...] | None, tuple[int, ...] | None] = (None, None),
    dynamism: tuple[int, int] = (0, 0),
) -> MethodBuilder:
    """One h2d copy and one copy back of its result."""
    b = MethodBuilder()
    first, second = orders
    x = b.tensor(source, types[0], dynamism=dynamism[0], dim_order=first or range(len(source)))
    b.takes(x)
    y = b.tensor(
        target,
        types[1],
        device="cuda:0",
        dynamism=dynamism[1],
        dim_order=second or range(len(target)),
    )
    b.call(H2D, x, out=y)
    z = b.tensor(target, types[1], dynamism=dynamism[1], dim_order=second or range(len(target)))
    b.output(b.call(D2H, y, out=z))
    return b


def test_equal_sides_are_fine() -> None:
    assert findings(report(copied((8, 8), (8, 8))), "PTE307") == []


@pytest.mark.parametrize(("source", "target"), [((8, 8), (8, 4)), ((8, 8), (64,)), ((4,), (8,))])
def test_static_sizes_that_differ_are_refused(
    source: tuple[int, ...], target: tuple[int, ...]
) -> None:
    """K34."""
    b = copied(source, target)
    found = only(report(b), "PTE307")
    assert found.severity is Severity.ERROR
    assert place(found)[0] == 0
    assert found.evidence["difference"] == "sizes"
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute error InvalidArgument"


def test_fewer_elements_than_the_bound_are_fine() -> None:
    assert findings(report(copied((4, 8), (16, 8), dynamism=(0, 1))), "PTE307") == []


def test_more_elements_than_the_bound_are_refused() -> None:
    said = report(copied((16, 8), (4, 8), dynamism=(0, 1)))
    assert only(said, "PTE307").severity is Severity.ERROR
    assert verdict(said) == "execute error InvalidArgument"


@pytest.mark.parametrize(("target", "dynamism"), [((4, 8), 1), ((4, 8), 0)])
def test_the_largest_dynamic_sizes_must_fit(target: tuple[int, ...], dynamism: int) -> None:
    said = report(copied((16, 8), target, dynamism=(1, dynamism)))
    found = only(said, "PTE307")
    assert "[16, 8] of a tensor for [4, 8]" in found.message
    assert verdict(said) == "execute error InvalidArgument"


def test_a_destination_for_the_largest_sizes_alone_is_a_warning() -> None:
    said = report(copied((16, 8), (16, 8), dynamism=(1, 0)))
    found = only(said, "PTE307")
    assert found.severity is Severity.WARNING
    assert found.evidence["difference"] == "dynamic bounds"
    assert verdict(said) == "execute ok"


def test_a_copy_is_never_larger_than_what_is_copied() -> None:
    """What a delegate gives has at most eight rows, then nine; the place between has nine."""
    for rows, difference in ((8, []), (9, ["sizes"])):
        b = MethodBuilder()
        x = b.h2d(b.input((8, 2), dynamism=1), dynamism=1)
        y = b.tensor((rows, 2), device="cuda:0", dynamism=1)
        b.delegate("SomeBackend", [x], [y], device="cuda:0")
        z = b.call(D2H, y, out=b.tensor((9, 2), dynamism=1))
        b.call(H2D, z, out=b.tensor((8, 2), device="cuda:0", dynamism=1))
        b.output(z)
        found = [f for f in findings(report(b), "PTE307") if f.severity is Severity.ERROR]
        assert [f.evidence["difference"] for f in found] == difference


def test_dynamic_copies_of_the_exporter_are_fine() -> None:
    assert findings(report(add_method(sizes=(16, 8), dynamism=1)), "PTE307") == []


def test_a_wider_type_to_copy_to_is_wrong_data() -> None:
    """K32: the runtime says Ok."""
    said = report(copied((8, 8), (8, 8), types=("float32", "float64")))
    found = only(said, "PTE307")
    assert found.severity is Severity.ERROR
    assert "float32 is copied as float64" in found.message
    assert verdict(said) == "execute undefined"


def test_a_narrower_type_with_room_behind_it_is_wrong_data() -> None:
    b = copied((8, 8), (8, 8), types=("float32", "float16"))
    b.output(b.d2h(b.h2d(b.input((64, 8)))))
    assert verdict(report(b)) == "execute undefined"


def test_a_wider_type_is_copied_beyond_the_end_of_the_arena() -> None:
    """The device's allocator refuses; what fails later is not what is seen."""
    b = copied((8, 8), (8, 8), types=("float32", "int8"))
    other = b.tensor((3, 3))
    b.kernel("aten::relu.out", other, b.tensor((4, 4)), other)
    said = report(b)
    assert "beyond the end of the arena" in findings(said, "PTE307")[0].message
    assert verdict(said) == "execute error Internal"


def test_types_of_one_width_keep_their_bits() -> None:
    said = report(copied((8, 8), (8, 8), types=("float32", "int32")))
    assert only(said, "PTE307").severity is Severity.WARNING
    assert verdict(said) == "execute ok"


def test_dim_orders_that_differ() -> None:
    """K33: copied as they are."""
    said = report(copied((8, 4), (8, 4), orders=((0, 1), (1, 0))))
    found = only(said, "PTE307")
    assert found.severity is Severity.WARNING
    assert found.evidence["difference"] == "dim orders"


def test_a_dimension_of_size_one_has_no_say_in_the_layout() -> None:
    assert findings(report(copied((1, 8), (1, 8), orders=((0, 1), (1, 0)))), "PTE307") == []


def test_the_tensor_object_behind_a_move_is_compared() -> None:
    b = MethodBuilder()
    x, small = b.input((8, 8)), b.input((4, 4))
    b.move(small, x)
    b.output(b.d2h(b.call(H2D, x, out=b.tensor((8, 8), device="cuda:0"))))
    assert only(report(b), "PTE307").evidence["difference"] == "sizes"


def test_what_only_a_second_run_copies_is_met_after_its_inputs_are_set() -> None:
    b = MethodBuilder()
    x, scalar = b.input((8, 8)), b.input(())
    b.output(b.d2h(b.call(H2D, x, out=b.tensor((8, 8), device="cuda:0"))))
    b.move(scalar, x)
    said = report(b)
    finding = only(said, "PTE307")
    assert finding.evidence["difference"] == "sizes"
    assert finding.runtime is not None
    assert finding.runtime.run == 2


def copied_rows(times: int, room: int, target: int, *, dynamic: bool = False) -> MethodBuilder:
    """Rows are put together in a tensor with some room, which is then copied to the device."""
    b = MethodBuilder()
    x, rows = b.input((times, 2), dynamism=int(dynamic)), b.tensor((room, 2), dynamism=1)
    row = b.tensor((2,))
    at, zero, end, done = b.int_value(0), b.int_value(0), b.null(), b.null()
    b.kernel("aten::sym_size.int", x, zero, end)
    top = b.mark()
    b.kernel("aten::select_copy.int_out", x, zero, at, row, row)
    b.kernel("executorch_prim::et_copy_index.tensor", rows, row, at)
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, end, done)
    b.jump_false(done, top)
    b.kernel("executorch_prim::sub.Scalar", at, end, at)
    b.output(b.d2h(b.call(H2D, rows, out=b.tensor((target, 2), device="cuda:0"))))
    return b


def test_sizes_that_a_loop_gives_count_for_more_than_bounds() -> None:
    assert findings(report(copied_rows(4, 6, 4)), "PTE307") == []
    assert findings(report(copied_rows(4, 4, 4)), "PTE307") == []
    (found,) = findings(report(copied_rows(3, 4, 4)), "PTE307")
    assert "makes [3, 2] of a tensor for [4, 2]" in found.message
    assert verdict(report(copied_rows(3, 4, 4))) == "execute error InvalidArgument"


def test_sizes_that_callers_choose_are_a_warning_where_the_largest_fit() -> None:
    (found,) = findings(report(copied_rows(4, 4, 4, dynamic=True)), "PTE307")
    assert found.severity is Severity.WARNING
