"""What of a long method is shown, and what is folded."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pte_lint.claims.finding import Finding
from pte_lint.picture import placement
from pte_lint.picture.folds import MOST_ROWS, SHORT
from pte_lint.picture.placement import Fold
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint.picture.programs import around_a_delegate, built, chain
from tests.support.pictures import FindIn, drawn, nothing


def scene_of(program: MethodBuilder, find: FindIn = nothing) -> MethodScene:
    (scene,) = drawn(built(program), find=find)
    return scene


def folds(scene: MethodScene) -> list[Fold]:
    return [entry.fold for entry in scene.placement.entries if entry.fold is not None]


def shown(scene: MethodScene) -> list[int]:
    rows = [entry.row for entry in scene.placement.entries if entry.row is not None]
    return [int(row.number) for row in rows if row.number.isdigit()]


def everything(scene: MethodScene) -> list[int]:
    folded = [i for fold in folds(scene) for i in range(fold.first, fold.last + 1)]
    return sorted(shown(scene) + folded)


def bad_at(*indices: int) -> FindIn:
    def find(method: Method) -> Sequence[Finding]:
        return [
            Finding(message="bad", remediation="", location=method.location(step=method.steps[i]))
            for i in indices
        ]

    return find


def test_a_short_method_is_not_folded() -> None:
    assert folds(scene_of(chain(SHORT))) == []


def test_the_middle_of_a_chain_is_folded() -> None:
    scene = scene_of(chain(100))
    (fold,) = folds(scene)
    assert (fold.first, fold.last, fold.count) == (6, 96, 91)
    assert fold.lanes == ("91 kernel calls",)
    assert fold.operators == "91 x aten::relu.out"
    assert [n for n, _ in fold.lines] == list(range(6, 97))
    assert "aten::relu.out" in fold.lines[0][1]
    assert everything(scene) == list(range(100))


def test_findings_are_never_folded() -> None:
    scene = scene_of(chain(500), bad_at(250, 400))
    assert {250, 400} <= set(shown(scene))
    assert len(folds(scene)) == 3
    assert everything(scene) == list(range(500))


def test_delegates_and_copies_are_shown_while_there_is_room() -> None:
    scene = scene_of(around_a_delegate(10, kernels=20))
    assert len(folds(scene)) == 10
    for fold in folds(scene):
        assert fold.crossings == ""
        assert fold.lanes == (f"{fold.count} kernel calls", "")
    assert everything(scene) == list(range(230))


def test_where_all_is_remarkable_only_the_ends_are_shown() -> None:
    scene = scene_of(around_a_delegate(400, kernels=0))
    (fold,) = folds(scene)
    assert (fold.first, fold.last) == (6, 1196)
    assert fold.lanes == ("", "397 delegate calls")
    assert fold.crossings == "397 h2d copies (99.2 KiB), 397 d2h copies (99.2 KiB)"


def test_more_findings_than_rows_are_counted() -> None:
    scene = scene_of(chain(1000), bad_at(*range(0, 1000, 2)))
    assert len(shown(scene)) <= 3 * MOST_ROWS  # what stands between two shown ones is shown too
    assert sum(fold.findings for fold in folds(scene)) > 100
    assert everything(scene) == list(range(1000))


def test_a_page_lists_so_many_lines_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement.Budget.__init__, "__defaults__", (50,))
    (fold,) = folds(scene_of(chain(100)))
    assert fold.lines == ()
    assert fold.count == 91


def test_many_inputs_are_counted() -> None:
    b = MethodBuilder()
    inputs = [b.input((1,)) for _ in range(100)]
    b.output(*inputs)
    scene = scene_of(b)
    assert (scene.placement.hidden_inputs, scene.placement.hidden_outputs) == (40, 40)


def test_inputs_with_findings_are_shown_wherever_they_are() -> None:
    b = MethodBuilder()
    inputs = [b.input((1,)) for _ in range(100)]
    b.output(inputs[0])
    scene = scene_of(
        b,
        lambda method: [
            Finding(message="bad", remediation="", location=method.location(value=inputs[99]))
        ],
    )
    assert scene.placement.hidden_inputs == 39
    numbers = [entry.row.number for entry in scene.placement.entries if entry.row is not None]
    assert "in 99" in numbers
