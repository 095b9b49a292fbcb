"""Places of what several runs meet."""

import pytest

from pte_lint.claims.order import Timeline


@pytest.mark.parametrize(
    ("run", "within", "place"), [(1, 0, 0), (1, 2, 2), (1, 3, 3), (2, 0, 4), (2, 2, 6), (2, 3, 7)]
)
def test_runs_stand_one_behind_the_other(run: int, within: int, place: int) -> None:
    line = Timeline(3)
    assert line.place(run, within) == place
    assert line.split(place) == (run, within)
    assert line.is_later((place, 5)) == (run == 2)
    assert line.end(run) == line.place(run, 3)


def test_later_iterations_lie_between_steps() -> None:
    line = Timeline(3)
    assert line.place(1, 1) < line.place(1, 1.5) < line.place(1, 2)
    assert line.split(line.place(2, 1.5)) == (2, 1.5)
    assert not line.is_later((line.end() - 0.5,))
    assert line.is_later((line.end() + 1 + 0.5,))


def test_a_method_without_steps_has_an_end() -> None:
    line = Timeline(0)
    assert [line.end(1), line.end(2)] == [0, 1]
    assert line.split(1) == (2, 0)
