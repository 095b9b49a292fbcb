"""Every byte of a file belongs to exactly one region."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pte_lint.schema.program import Span

from pte_lint.inspection.regions import Claim, Region, RegionKind, partition

KINDS = (RegionKind.TABLES, RegionKind.CONSTANTS, RegionKind.BLOB, None)

claims = st.lists(
    st.builds(
        Claim,
        st.sampled_from(KINDS),
        st.sampled_from(["a", "b"]),
        st.builds(Span, st.integers(0, 60), st.integers(0, 60)),
    ),
    max_size=8,
)


@given(claims, st.binary(max_size=50), st.integers(0, 60))
def test_regions_cover_the_file_without_overlap(
    given_claims: list[Claim], buffer: bytes, end: int
) -> None:
    at = 0
    for region in partition(buffer, given_claims, end):
        assert region.start == at
        assert region.size > 0
        at += region.size
    assert at == len(buffer)


@given(claims, st.integers(1, 50))
def test_a_byte_belongs_to_the_claim_that_starts_last(given_claims: list[Claim], size: int) -> None:
    painted: list[RegionKind | None] = [None] * size
    # Paint the claims one over the other: early before late, of two that start together the
    # larger first.
    clipped = [(c.span.start, min(size, c.span.start + c.span.size), c) for c in given_claims]
    for start, stop, claim in sorted(clipped, key=lambda each: (each[0], -each[1])):
        painted[start:stop] = [claim.kind] * max(0, stop - start)
    told: list[RegionKind] = []
    for region in partition(bytes(size), given_claims, size):
        told += [region.kind] * region.size
    assert told == [kind or RegionKind.PADDING for kind in painted]


def test_a_gap_of_zeros_is_padding_and_any_other_is_not() -> None:
    claimed = [Claim(RegionKind.TABLES, "", Span(0, 4)), Claim(RegionKind.BLOB, "x", Span(8, 2))]
    assert [r.kind for r in partition(bytes(10), claimed, 10)] == [
        RegionKind.TABLES,
        RegionKind.PADDING,
        RegionKind.BLOB,
    ]
    assert partition(b"\0\0\0\0\0\0\0\1\0\0", claimed, 10)[1].kind is RegionKind.UNCLAIMED


def test_what_lies_after_the_end_is_trailing() -> None:
    claimed = [Claim(RegionKind.TABLES, "", Span(0, 4))]
    assert partition(bytes(12), claimed, 8) == (
        Region(RegionKind.TABLES, "", 0, 4),
        Region(RegionKind.PADDING, "", 4, 4),
        Region(RegionKind.TRAILING, "", 8, 4),
    )


def test_a_part_is_told_apart_from_the_whole() -> None:
    claimed = [Claim(RegionKind.TABLES, "", Span(0, 9)), Claim(RegionKind.HEADER, "", Span(0, 3)),
               Claim(RegionKind.BLOB, "x", Span(5, 2))]  # fmt: skip
    assert [(r.kind, r.start, r.size) for r in partition(bytes(9), claimed, 9)] == [
        (RegionKind.HEADER, 0, 3),
        (RegionKind.TABLES, 3, 2),
        (RegionKind.BLOB, 5, 2),
        (RegionKind.TABLES, 7, 2),
    ]


def test_a_long_gap_is_not_read_whole() -> None:
    size = 1 << 20
    assert partition(bytes(size), [], size)[0].kind is RegionKind.UNCLAIMED
