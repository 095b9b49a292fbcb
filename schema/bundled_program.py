"""The decoded .bpte (bundled program): one record per table of `bundled_program.fbs`.

The conventions of `pte_lint.schema.program` hold.
"""

from __future__ import annotations

from pte_lint.schema.program import Bool, Double, Int, Span
from pte_lint.schema.record import record


@record
class BundledTensor:
    """A test input or expected output with its bytes."""

    scalar_type: int = 0
    sizes: tuple[int, ...] | None = None
    data: Span | None = None
    dim_order: tuple[int, ...] | None = None
    at: int = 0


@record
class BundledValue:
    """A union of the kinds a bundled input may have; `val_type` is the code as stored."""

    val_type: int = 0
    val: BundledTensor | Int | Bool | Double | None = None
    at: int = 0


@record
class BundledMethodTestCase:
    """Inputs of one run and the outputs it should give."""

    inputs: tuple[BundledValue, ...] | None = None
    expected_outputs: tuple[BundledValue, ...] | None = None
    at: int = 0


@record
class BundledMethodTestSuite:
    """The test cases of one method."""

    method_name: str | None = None
    test_cases: tuple[BundledMethodTestCase, ...] | None = None
    at: int = 0


@record
class BundledProgram:
    """The root table. `program` is a complete .pte whose offsets are relative to its own start."""

    version: int = 0
    method_test_suites: tuple[BundledMethodTestSuite, ...] | None = None
    program: Span | None = None
    at: int = 0
