"""The test cases of a bundled program."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from pte_lint.data.context import Context
from pte_lint.files.artifact import Artifact
from pte_lint.harness.elements import in_logical_order
from pte_lint.harness.expected.cases import Case, GivenTensor
from pte_lint.schema.bundled_program import BundledTensor, BundledValue
from pte_lint.schema.enums import MAX_RANK, dtype_name, element_size
from pte_lint.text.printable import printable

_MOST_BYTES = 1 << 30


def bundled_cases(context: Context) -> Iterator[Case]:
    """The cases of a bundle that can be read; PTE532 says what is wrong with the others."""
    if context.bundle is None or context.bundle.bundle is None:
        return
    for position, suite in enumerate(context.bundle.bundle.method_test_suites or ()):
        name = printable(suite.method_name or "")
        for number, case in enumerate(suite.test_cases or ()):
            made = Case(
                f"test case {number} of {name}",
                name,
                dict(_tensors(case.inputs or (), context.artifact)),
                dict(_tensors(case.expected_outputs or (), context.artifact)),
                f"method_test_suites[{position}].test_cases[{number}]",
            )
            if made.outputs:
                yield made


def _tensors(
    values: tuple[BundledValue, ...], artifact: Artifact
) -> Iterator[tuple[int, GivenTensor]]:
    for position, value in enumerate(values):
        tensor = value.val
        if not isinstance(tensor, BundledTensor) or tensor.data is None or tensor.sizes is None:
            continue
        width = element_size(tensor.scalar_type)
        sizes = tensor.sizes
        if width is None or min(sizes, default=0) < 0 or len(sizes) > MAX_RANK:
            continue
        order = tensor.dim_order or tuple(range(len(sizes)))
        length = prod(sizes) * width
        if (
            sorted(order) != list(range(len(sizes)))
            or not length <= tensor.data.size <= _MOST_BYTES
        ):
            continue
        data = bytes(artifact.buffer[tensor.data.start : tensor.data.start + length])
        logical = in_logical_order(data, width, sizes, order)
        yield position, GivenTensor(dtype_name(tensor.scalar_type), tuple(sizes), logical)
