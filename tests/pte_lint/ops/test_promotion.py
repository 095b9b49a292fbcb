"""Promotion of element types, against PyTorch's own table."""

from __future__ import annotations

import pytest

from pte_lint.ops.promotion import can_cast, promote, promote_scalar
from pte_lint.testing.elements import scalar_type

# torch.promote_types of the type before the colon and each of the columns.
TABLE = """
         uint8 int8 int16 int32 int64 float16 float32 float64 bool bfloat16
uint8:   uint8 int16 int16 int32 int64 float16 float32 float64 uint8 bfloat16
int8:    int16 int8 int16 int32 int64 float16 float32 float64 int8 bfloat16
int16:   int16 int16 int16 int32 int64 float16 float32 float64 int16 bfloat16
int32:   int32 int32 int32 int32 int64 float16 float32 float64 int32 bfloat16
int64:   int64 int64 int64 int64 int64 float16 float32 float64 int64 bfloat16
float16: float16 float16 float16 float16 float16 float16 float32 float64 float16 float32
float32: float32 float32 float32 float32 float32 float32 float32 float64 float32 float32
float64: float64 float64 float64 float64 float64 float64 float64 float64 float64 float64
bool:    uint8 int8 int16 int32 int64 float16 float32 float64 bool bfloat16
bfloat16: bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32 float32 float64 bfloat16 bfloat16
"""
_COLUMNS, *_ROWS = [line.split() for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0])
def test_two_tensors(row: list[str]) -> None:
    left = row[0].removesuffix(":")
    found = [promote(scalar_type(left), scalar_type(name)) for name in _COLUMNS]
    assert found == [scalar_type(name) for name in row[1:]]


@pytest.mark.parametrize("odd", ["qint8", "bits8", "float8_e5m2", "uint16"])
def test_types_that_go_with_themselves_only(odd: str) -> None:
    assert promote(scalar_type(odd), scalar_type("float32")) is None
    assert promote(scalar_type(odd), scalar_type(odd)) == scalar_type(odd)


# torch.promote_types of the type before the colon and complex32, complex64, complex128.
COMPLEX = """
uint8:     complex32 complex64 complex128
int64:     complex32 complex64 complex128
bool:      complex32 complex64 complex128
float16:   complex32 complex64 complex128
float32:   complex64 complex64 complex128
bfloat16:  complex64 complex64 complex128
float64:   complex128 complex128 complex128
complex32: complex32 complex64 complex128
complex64: complex64 complex64 complex128
"""


@pytest.mark.parametrize("row", COMPLEX.strip().splitlines(), ids=lambda row: row.split(":")[0])
def test_complex_numbers(row: str) -> None:
    left, _, results = row.partition(":")
    for name, result in zip(("complex32", "complex64", "complex128"), results.split(), strict=True):
        assert promote(scalar_type(left), scalar_type(name)) == scalar_type(result)
        assert promote(scalar_type(name), scalar_type(left)) == scalar_type(result)


def test_complex_numbers_become_no_real_ones() -> None:
    assert can_cast(scalar_type("float32"), scalar_type("complex64")) is True
    assert can_cast(scalar_type("complex64"), scalar_type("float64")) is False


@pytest.mark.parametrize(
    ("tensor", "scalar", "result"),
    [
        ("bool", "int64", "int64"),
        ("bool", "float64", "float32"),
        ("bool", "bool", "bool"),
        ("int8", "int64", "int8"),
        ("int8", "float64", "float32"),
        ("float16", "float64", "float16"),
        ("float64", "int64", "float64"),
        ("complex32", "float64", "complex32"),
        ("uint16", "int64", "int64"),
    ],
)
def test_a_tensor_and_a_number(tensor: str, scalar: str, result: str) -> None:
    assert promote_scalar(scalar_type(tensor), scalar_type(scalar)) == scalar_type(result)


def test_a_quantised_tensor_goes_with_no_number() -> None:
    assert promote_scalar(scalar_type("qint8"), scalar_type("int64")) is None
    assert promote_scalar(scalar_type("bits8"), scalar_type("bool")) is None


def test_casts_never_lose_a_kind() -> None:
    kinds = (("bool",), ("uint8", "int8", "int64"), ("float16", "float32", "bfloat16"))
    for low, sources in enumerate(kinds):
        for high, targets in enumerate(kinds):
            for source in sources:
                for target in targets:
                    assert can_cast(scalar_type(source), scalar_type(target)) is (low <= high)
