"""Sizes through graphs whose values were defined with others than they get."""

from __future__ import annotations

import pytest
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from pte_lint.ops.xnnpack import reshaped
from pte_lint.ops.xnnpack_sizes import Refused
from tests.fuzz.xnnpack_seeds import GraphBuilder


def joined(axis: int, made: tuple[int, ...]) -> dict[int, tuple[int, ...] | None]:
    """The sizes that two tensors of 2 x 3 have when they are joined."""
    g = GraphBuilder()
    for _ in range(2):
        g.external(1, (2, 3))
    g.external(2, made)
    g.node("Concatenate2", axis=axis, input1_id=0, input2_id=1, output_id=2)
    blob = g.blob()
    graph = describe_blob("XnnpackBackend", blob, Span(0, len(blob))).graph
    assert graph is not None
    return dict(reshaped(graph, {0: (2, 3), 1: (2, 3)}))


@pytest.mark.parametrize("made", [(4, 3), (0, 3), (1,)])
def test_what_an_output_was_defined_with_is_not_kept(made: tuple[int, ...]) -> None:
    assert joined(0, made) == {2: (4, 3)}


@pytest.mark.parametrize(("axis", "is_refused"), [(1, False), (2, True), (0x7FFFFFFF, True)])
def test_a_dimension_that_is_not_there(axis: int, is_refused: bool) -> None:
    if not is_refused:
        assert joined(axis, (2, 0)) == {2: (2, 6)}
        return
    with pytest.raises(Refused, match=f"2 dimensions are joined along dimension {axis}"):
        joined(axis, (2, 0))


def test_an_input_without_elements_tells_nothing() -> None:
    g = GraphBuilder()
    g.external(1, (0, 3))
    g.external(2, (0, 3))
    g.node("Abs", input_id=0, output_id=1)
    blob = g.blob()
    graph = describe_blob("XnnpackBackend", blob, Span(0, len(blob))).graph
    assert graph is not None
    assert reshaped(graph, {0: (0, 3)}) == {1: None}
