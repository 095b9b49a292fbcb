"""Builds .ptd files from tensors and blobs, and .bpte files from a program and test cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pte_lint.schema.bundled_program import (
    BundledMethodTestCase,
    BundledMethodTestSuite,
    BundledProgram,
    BundledTensor,
    BundledValue,
)
from pte_lint.schema.flat_tensor import FlatTensor, NamedTensorData, TensorLayout
from pte_lint.schema.program import Bool, Double, Int, Span
from pte_lint.testing.containers import (
    Layout,
    pack_segments,
    write_bundled_program,
    write_flat_tensor,
)
from pte_lint.testing.edit import replaced
from pte_lint.testing.elements import Numbers, encoded, scalar_type


@dataclass(frozen=True)
class DataTensor:
    """A tensor of a .ptd or a bundled test case: numbers (or bytes), sizes, element type."""

    data: bytes | Numbers
    sizes: Sequence[int]
    dtype: str | int = "float32"
    dim_order: Sequence[int] | None = None

    @property
    def content(self) -> bytes:
        """The tensor's bytes."""
        return encoded(self.data, self.dtype)

    @property
    def order(self) -> tuple[int, ...]:
        """The dim order; contiguous unless given."""
        return tuple(range(len(self.sizes)) if self.dim_order is None else self.dim_order)


@dataclass(frozen=True)
class BuiltData:
    """A .ptd, ready to be edited and written."""

    flat_tensor: FlatTensor
    segment_data: bytes = b""

    def bytes(self, layout: Layout | None = None) -> bytes:
        """The .ptd file."""
        return write_flat_tensor(self.flat_tensor, self.segment_data, layout=layout)

    def replaced(self, path: str, value: Any) -> BuiltData:
        """A copy with one field changed; see `pte_lint.testing.edit.replaced`."""
        return replace(self, flat_tensor=replaced(self.flat_tensor, path, value))


def build_data(entries: Mapping[str, DataTensor | bytes]) -> BuiltData:
    """Builds a .ptd with one segment an entry; bytes are a blob without a tensor layout."""
    blobs = [e if isinstance(e, bytes) else e.content for e in entries.values()]
    segments, area = pack_segments(blobs)
    named = []
    for index, (key, entry) in enumerate(entries.items()):
        layout = None
        if isinstance(entry, DataTensor):
            layout = TensorLayout(scalar_type(entry.dtype), tuple(entry.sizes), entry.order)
        named.append(NamedTensorData(key, index, layout))
    return BuiltData(FlatTensor(0, segments, tuple(named)), area)


BundledItem = DataTensor | int | float | bool
Case = tuple[Sequence[BundledItem], Sequence[BundledItem]]


@dataclass(frozen=True)
class BuiltBundle:
    """A .bpte, ready to be edited and written."""

    bundled: BundledProgram
    source: bytes

    def bytes(self, layout: Layout | None = None) -> bytes:
        """The .bpte file."""
        return write_bundled_program(self.bundled, source=self.source, layout=layout)

    def replaced(self, path: str, value: Any) -> BuiltBundle:
        """A copy with one field changed; see `pte_lint.testing.edit.replaced`."""
        return replace(self, bundled=replaced(self.bundled, path, value))


def build_bundle(program: bytes, suites: Mapping[str, Sequence[Case]]) -> BuiltBundle:
    """Bundles a .pte with test cases: for each method, pairs of inputs and expected outputs."""
    source = bytearray(program)

    def value(item: BundledItem) -> BundledValue:
        if isinstance(item, DataTensor):
            span = Span(len(source), len(item.content))
            source.extend(item.content)
            sizes = tuple(item.sizes)
            return BundledValue(1, BundledTensor(scalar_type(item.dtype), sizes, span, item.order))
        if isinstance(item, bool):
            return BundledValue(3, Bool(item))
        return (
            BundledValue(2, Int(item)) if isinstance(item, int) else BundledValue(4, Double(item))
        )

    def case(pair: Case) -> BundledMethodTestCase:
        inputs, expected = pair
        return BundledMethodTestCase(tuple(map(value, inputs)), tuple(map(value, expected)))

    named = tuple(
        BundledMethodTestSuite(method, tuple(case(pair) for pair in cases))
        for method, cases in suites.items()
    )
    return BuiltBundle(BundledProgram(0, named, Span(0, len(program))), bytes(source))
