"""Sizes through graphs whose values were defined with others than they get."""

from __future__ import annotations

import pytest
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from pte_lint.ops.xnnpack import reshaped
from pte_lint.ops.xnnpack_sizes import Refused
from tests.fuzz.xnnpack_seeds import NO_ID, GraphBuilder


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


def sizes_of(g: GraphBuilder, given: dict[int, tuple[int, ...]]) -> dict[int, object]:
    blob = g.blob()
    graph = describe_blob("XnnpackBackend", blob, Span(0, len(blob))).graph
    assert graph is not None
    return dict(reshaped(graph, given))


def test_nothing_is_joined_with_what_does_not_fit() -> None:
    """A slice that begins behind the end is empty, and joined along another dimension."""
    g = GraphBuilder()
    source, cut, made = g.external(1, (2, 3)), g.value((2, 3)), g.external(2, (2, 6))
    g.node("StaticSlice", num_dims=2, offsets=[9, 0], sizes=[2, 3], input_id=source, output_id=cut)
    g.node("Concatenate2", axis=1, input1_id=source, input2_id=cut, output_id=made)
    with pytest.raises(Refused, match=r"\[2, 3\] and \[0, 3\] are joined along dimension 1"):
        sizes_of(g, {0: (2, 3)})


def test_paddings_of_a_transposed_convolution_are_added_in_32_bits() -> None:
    g = GraphBuilder()
    source, made = g.external(1, (1, 5, 5, 2)), g.external(2, (1, 6, 6, 3))
    g.node(
        "ConvTranspose2d", input1_id=source, filter_id=g.constant((3, 2, 2, 2)), bias_id=NO_ID,
        output_id=made, groups=1, group_input_channels=2, group_output_channels=3, kernel_height=2,
        kernel_width=2, subsampling_height=1, subsampling_width=1, dilation_height=1,
        dilation_width=1, padding_left=1, padding_right=0xFFFFFFFF,
    )  # fmt: skip
    assert sizes_of(g, {0: (1, 5, 5, 2)}) == {1: (1, 6, 6, 3)}


def pooled_and_resized(padding: int) -> GraphBuilder:
    g = GraphBuilder()
    source, wide, small = g.external(1, (1, 4, 4, 2)), g.value((1, 4, 4, 2)), g.value((1, 4, 4, 2))
    made = g.external(2, (1, 2, 2, 2))
    g.node(
        "StaticConstantPad", pre_paddings=[0, 0, 0, 0], post_paddings=[0, 0, padding, 0],
        input_id=source, output_id=wide,
    )  # fmt: skip
    g.node(
        "MaxPooling2d", pooling_height=1, pooling_width=2, stride_height=1, stride_width=1,
        dilation_height=1, dilation_width=1, input_id=wide, output_id=small,
    )  # fmt: skip
    g.node("StaticResizeBilinear2D", new_height=2, new_width=2, input_id=small, output_id=made)
    return g


def test_what_may_lack_memory_is_refused_or_not_known() -> None:
    """Internal either way where a later node refuses the sizes."""
    given = {0: (1, 4, 4, 2)}
    assert sizes_of(pooled_and_resized(3), given) == {1: (1, 2, 2, 2)}
    assert sizes_of(pooled_and_resized((1 << 24) - 9), given) == {1: (1, 2, 2, 2)}
    with pytest.raises(Refused, match="a resize gets images of 4 x"):
        sizes_of(pooled_and_resized(0xFFFFFFFF), given)


@pytest.mark.parametrize(
    ("first", "second", "made"),
    [
        ([0, 5], [2, 3], (2, 3)),
        ([7], [2, 3], (2, 3)),
        ([0, 5], [0, 3], (2, 3)),
        ([7], [0, 3], None),
        ([3, 2], [7], None),
    ],
)
def test_a_reshape_of_a_reshape(
    first: list[int], second: list[int], made: tuple[int, ...] | None
) -> None:
    """Only the second one is asked, unless it takes a size from the first."""
    g = GraphBuilder()
    source, between, result = g.external(1, (6,)), g.value((6,)), g.external(2, (2, 3))
    for shape, given, to in ((first, source, between), (second, between, result)):
        g.node("StaticReshape", num_dims=len(shape), new_shape=shape, input_id=given, output_id=to)
    if made is not None:
        assert sizes_of(g, {0: (6,)}) == {1: made}
        return
    with pytest.raises(Refused, match=r"6 elements are reshaped to"):
        sizes_of(g, {0: (6,)})


def test_an_adjustment_beyond_the_steps() -> None:
    g = GraphBuilder()
    source, made = g.external(1, (1, 5, 5, 2)), g.external(2, (1, 6, 6, 3))
    g.node(
        "ConvTranspose2d", input1_id=source, filter_id=g.constant((3, 2, 2, 2)), bias_id=NO_ID,
        output_id=made, groups=1, group_input_channels=2, group_output_channels=3, kernel_height=2,
        kernel_width=2, subsampling_height=2, subsampling_width=1, dilation_height=1,
        dilation_width=1, adjustment_height=1, adjustment_width=1,
    )  # fmt: skip
    with pytest.raises(Refused, match="adds 1 to steps of 1"):
        sizes_of(g, {0: (1, 5, 5, 2)})
