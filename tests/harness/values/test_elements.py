"""Bytes to numbers in logical order and back, and how far two tensors are apart."""

from __future__ import annotations

import struct
from itertools import permutations

import pytest

from pte_lint.harness.elements import (
    Tolerance,
    compare,
    in_logical_order,
    in_memory_order,
    numbers,
)


def test_channels_last_becomes_row_major_and_back() -> None:
    laid = struct.pack("<6h", 0, 10, 1, 11, 2, 12)  # (1, 2, 1, 3) in the order 0, 2, 3, 1
    rows = struct.pack("<6h", 0, 1, 2, 10, 11, 12)
    assert in_logical_order(laid, 2, (1, 2, 1, 3), (0, 2, 3, 1)) == rows
    assert in_memory_order(rows, 2, (1, 2, 1, 3), (0, 2, 3, 1)) == laid


def test_every_order_comes_back() -> None:
    data = bytes(range(24))
    for order in permutations(range(3)):
        laid = in_memory_order(data, 1, (2, 3, 4), order)
        assert in_logical_order(laid, 1, (2, 3, 4), order) == data
        assert (laid == data) == (order == (0, 1, 2))


@pytest.mark.parametrize(
    ("dtype", "data", "want"),
    [
        ("float16", b"\x00\x3c\x00\xc0", [1.0, -2.0]),
        ("bfloat16", b"\x80\x3f\x00\xc0", [1.0, -2.0]),
        ("int64", struct.pack("<2q", -1, 1 << 40), [-1, 1 << 40]),
        ("bool", b"\x01\x00", [1, 0]),
    ],
)
def test_numbers(dtype: str, data: bytes, want: list[float]) -> None:
    assert list(numbers(data, dtype) or ()) == want


def test_a_type_without_numbers_compares_by_its_bytes() -> None:
    assert numbers(b"\1\2", "bits8") is None
    apart = compare(b"\1\2\3", b"\1\5\3", "bits8", (3,))
    assert apart is not None
    assert (apart.element, apart.different) == ((1,), 1)


def test_the_first_the_largest_and_the_count() -> None:
    want = struct.pack("<6f", 1, 2, 3, 4, 5, 8)
    got = struct.pack("<6f", 1, 2.0001, 3, 4.5, 5, 6)
    apart = compare(got, want, "float32", (2, 3))
    assert apart is not None
    assert (apart.element, apart.got, apart.want) == ((1, 0), 4.5, 4.0)
    assert (apart.absolute, apart.relative, apart.different, apart.elements) == (2.0, 0.25, 2, 6)


def test_what_is_no_number_equals_itself_only() -> None:
    nan, inf, one = (struct.pack("<f", x) for x in (float("nan"), float("inf"), 1.0))
    other_nan = struct.pack("<I", 0x7FC00001)
    assert compare(nan, other_nan, "float32", ()) is None
    assert compare(inf, inf, "float32", ()) is None
    for got, want in ((nan, one), (one, nan), (inf, one), (one, inf), (nan, inf)):
        apart = compare(got, want, "float32", ())
        assert apart is not None
        assert apart.absolute == float("inf")


def test_tolerances_are_by_type_and_can_be_chosen() -> None:
    want, got = struct.pack("<2f", 100, 1), struct.pack("<2f", 100, 1.09)
    assert compare(got, want, "float32", (2,)) is None  # 0.1 of 100
    assert compare(got, want, "float32", (2,), Tolerance(1e-4, 0)) is not None
    assert compare(b"\x05", b"\x06", "uint8", (1,)) is None
    assert compare(b"\x05\0", b"\x06\0", "int16", (1,)) is not None


def test_parts_of_complex_elements_belong_together() -> None:
    want, got = struct.pack("<4f", 1, 2, 3, 4), struct.pack("<4f", 1, 2, 3, 5)
    apart = compare(got, want, "complex64", (2,))
    assert apart is not None
    assert apart.element == (1,)
