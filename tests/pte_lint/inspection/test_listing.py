"""Instructions, readably."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.golden import check_golden
from tests.support.look import DATA, listings

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    "name",
    [
        "device/add_default",
        "device/add_skip_both_planned",
        "clean/cond",
        "clean/map_rows",
        "clean/index_optional_list",
        "clean/stack_traces",
    ],
)
def test_golden(name: str) -> None:
    lines = [line for method in listings(DATA / f"{name}.pte") for line in method]
    check_golden(GOLDEN / f"{name.rpartition('/')[2]}.txt", "\n".join(lines) + "\n")


def test_every_kind_of_instruction() -> None:
    b = MethodBuilder()
    x = b.input((2, 3))
    flag = b.takes(b.bool_value(True))
    y = b.tensor((2, 3))
    end = Label()
    b.jump_false(flag, end)
    b.move(x, y)
    b.free(y)
    b.kernel("aten::cat.out", b.tensor_list([x, y]), b.int_value(0), y, y)
    b.kernel("x::y.out", b.optional_list([x, None]), b.ints([1, 2]), b.doubles([0.5]),
             b.bools([True]), b.string_value("mean"), b.null(), 999, y, y)  # fmt: skip
    b.mark(end)
    b.output(y)
    head, *lines = listings(build_program(b).bytes())[0]
    assert head == f"method forward(%{x} f32[2,3] cpu@arena1+0, %{flag} Bool) -> (%{y})"
    place = f"%{y} f32[2,3] cpu@arena1+32"
    assert [line.strip() for line in lines] == [
        f"0  jump_false %{flag} -> 5",
        f"1  {place} = move %{x}",
        f"2  free %{y}",
        f"3  {place} = aten::cat.out([%{x}, %{y}], 0)",
        f'4  {place} = x::y.out([%{x}, None], [1, 2], [0.5], [1], "mean", None, missing %999)',
        ">5  end",
    ]


def test_a_jump_target_is_marked() -> None:
    lines = listings(DATA / "clean" / "cond.pte")[0]
    targets = {line.split("-> ")[1] for line in lines if "jump_false" in line}
    marked = {line.split()[0].lstrip(">") for line in lines if line.startswith(" >")}
    assert targets == marked


def test_a_long_list_is_cut() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    b.call("x::y.out", x, b.ints(range(1000)), out=(2,))
    (line,) = [line for line in listings(build_program(b).bytes())[0] if "x::y" in line]
    assert "15, ... 1000 items]" in line
    assert len(line) < 500


def test_a_list_that_holds_itself_is_no_trouble() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    trap = b.tensor_list([x])
    b.call("x::y.out", x, trap, out=(2,))
    built = build_program(b).replaced(f"execution_plan[0].values[{trap}].val.items", (trap, x))
    assert any(f"[%{trap}, %{x}]" in line for line in listings(built.bytes())[0])
