"""Sizes after windows have moved over a dimension."""

from __future__ import annotations

import pytest

from pte_lint.ops.checks.call import Refused
from pte_lint.ops.checks.windows import (
    Movement,
    check_parameters,
    nth,
    positive,
    transposed_size,
    windows,
)


@pytest.mark.parametrize(
    ("size", "window", "movement", "ceil", "count"),
    [
        (6, 2, Movement(2, 0, 1), False, 3),
        (7, 2, Movement(2, 0, 1), False, 3),
        (7, 2, Movement(2, 0, 1), True, 4),
        (5, 3, Movement(1, 1, 1), False, 5),
        (8, 3, Movement(2, 0, 2), False, 2),
        (5, 2, Movement(2, 1, 1), True, 3),  # a fourth window would start outside
        (1, 3, Movement(2, 0, 1), False, 0),  # C++ rounds -2 / 2 and -1 / 2 towards zero
        (2, 3, Movement(2, 0, 1), False, 1),
        (None, 3, Movement(2, 0, 1), False, None),
        (6, 3, Movement(None, 0, 1), False, None),
    ],
)
def test_windows(
    size: int | None, window: int, movement: Movement, ceil: bool, count: int | None
) -> None:
    assert windows(size, window, movement, ceil=ceil) == count


def test_a_transposed_convolution() -> None:
    assert transposed_size(5, 3, Movement(2, 1, 1), 1) == 10
    assert transposed_size(5, 3, Movement(1, 0, 2), 0) == 9
    assert transposed_size(5, 3, Movement(1, 0, 1), None) is None


def test_one_number_is_for_all_dimensions() -> None:
    assert [nth((3,), n) for n in range(2)] == [3, 3]
    assert [nth((3, 4), n) for n in range(2)] == [3, 4]
    assert nth((), 0) is nth(None, 0) is None


def test_parameters() -> None:
    check_parameters((1, 2), 2, 1)
    check_parameters(None, 2, 1)
    with pytest.raises(Refused, match="3 numbers are given for 2 dimensions"):
        check_parameters((1, 2, 3), 2, 1)
    with pytest.raises(Refused, match="below 1"):
        check_parameters((1, 0), 2, 1)


def test_an_empty_result() -> None:
    positive((0, 3, 2, None), 2)
    with pytest.raises(Refused):
        positive((1, 3, 0, 2), 2)
