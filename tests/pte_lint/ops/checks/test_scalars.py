"""Which numbers fit into an element type."""

from __future__ import annotations

import math

import pytest

from pte_lint.ops.checks.scalars import Number, castable, extractable
from pte_lint.testing.elements import scalar_type


@pytest.mark.parametrize(
    ("number", "dtype", "fits"),
    [
        (1, "bool", True),
        (True, "bool", True),
        (1.0, "bool", False),
        (127, "int8", True),
        (128, "int8", False),
        (True, "int8", False),
        (1.0, "int8", False),
        (-1, "uint8", False),
        (1, "float32", True),
        (True, "float32", False),
        (3.4e38, "float32", True),
        (3.5e38, "float32", False),
        (3.5e38, "float64", True),
        (math.inf, "float32", True),
    ],
)
def test_extractable(number: Number, dtype: str, fits: bool) -> None:
    assert extractable(number, scalar_type(dtype)) is fits


@pytest.mark.parametrize(
    ("number", "dtype", "fits"),
    [
        (1e300, "bool", True),
        (-255, "uint8", True),
        (-256, "uint8", False),
        (-1.0, "uint8", False),
        (255.0, "uint8", True),
        (-129, "int8", False),
        (math.nan, "int64", False),
        (2.0**63, "int64", False),
        (255.99999999999997, "uint8", True),
        (256.0, "uint8", False),
        (-128.5, "int8", False),
        (2.0**64, "int64", False),
        (65504, "float16", True),
        (65505, "float16", False),
        (math.nan, "float16", True),
        (-math.inf, "float16", True),
        (True, "int8", True),
    ],
)
def test_castable(number: Number, dtype: str, fits: bool) -> None:
    assert castable(number, scalar_type(dtype)) is fits


@pytest.mark.parametrize(
    ("number", "dtype", "fits"),
    [(255.0, "uint8", True), (255.5, "uint8", False), (2.0**63, "int64", True)],
)
def test_castable_before_1_5(number: Number, dtype: str, fits: bool) -> None:
    assert castable(number, scalar_type(dtype), whole_part=False) is fits
